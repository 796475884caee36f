// Morphing: an element becomes another one, and keeps focus, caret, ticks, open details and scroll.
import { $, all, idOf } from "./dom.js";

// nameOf finds a form again that has no id.
const nameOf = node => idOf(node) || node.nodeName === "FORM" && node.getAttribute("action");

// Who a page comes for: typed says which inputs keep what somebody has typed or ticked, stays which elements are left alone as a whole.
export const everything = { typed: () => false, stays: () => false };
export const asTyped = { typed: touched, stays: () => false };
export const news = { typed: touched, stays: el => el.matches("[role=alert], [data-stays]") || begun(el) && (news.behind = true),
  behind: false }; // they left a form alone
// The answer to a form leaves other forms alone, and in its own what somebody has typed since it was sent.
export const answerTo = (form, sent = new Map([...form.elements].map(el => [el, el.value + el.checked]))) =>
  ({ typed: el => sent.has(el) && sent.get(el) !== el.value + el.checked, stays: el => el !== form && begun(el) });

// begun reports whether somebody fills in this form, waits for its answer, or has to read why it was refused.
export const begun = el => el.matches("form[method=post]") && (!!el.dataset.busy || el.dataset.guard === "changed" ||
  !!$("[aria-invalid=true], [role=alert]", el) || all("input, textarea, select", el).some(touched));

// holds reports whether something of an element stays.
const holds = (el, how) => el.nodeType === 1 && [el, ...all("form, [role=alert], [data-stays]", el)].some(how.stays);
// drop removes an element, but for the cards in it of which something stays.
const drop = (el, how) => !holds(el, how) ? el.remove() :
  how.stays(el) || el.matches("section, details") || [...el.childNodes].forEach(part => drop(part, how));

// morph changes from into to.
export function morph(from, to, how) {
  if (from.nodeType !== to.nodeType || from.nodeName !== to.nodeName || idOf(from) !== idOf(to)) {
    if (!holds(from, how)) from.replaceWith(document.importNode(to, true));
  } else if (from.nodeType !== 1) {
    if (from.data !== to.data) from.data = to.data;
  } else {
    const typed = how.typed(from);
    attributes(from, to);
    children(from, to, how);
    settle(from, to, typed);
  }
}

// touched reports whether an input holds something else than the page gave it.
export function touched(el) {
  if (el.matches("input[type=checkbox], input[type=radio]")) return el.checked !== el.defaultChecked;
  if (el === document.activeElement) return el.matches("input, textarea, select");
  if (el.matches("select")) return el.selectedOptions[0] !== ($("option[selected]", el) ?? el.options[0]);
  return el.matches("input:not([hidden]), textarea") && el.value !== el.defaultValue;
}

function attributes(from, to) {
  for (const { name } of [...from.attributes]) if (!to.hasAttribute(name) && !kept(from, name)) from.removeAttribute(name);
  for (const { name, value } of [...to.attributes]) {
    if (from.getAttribute(name) !== value && !kept(from, name)) from.setAttribute(name, value);
  }
}

// kept are attributes that belong to the person, not to the page.
const kept = (el, name) => name === "open" && el.matches("details, dialog");

function settle(from, to, typed) {
  if (typed) return;
  if (from.matches("[type=checkbox], [type=radio]")) from.checked = to.checked;
  else if (from.matches("input:not([type=file]), textarea, select") && from.value !== to.value) from.value = to.value;
}

function children(from, to, how) {
  const left = el => el.nodeType === 1 && how.stays(el);
  const there = new Set([...to.children].map(idOf)), parting = el => idOf(el) && !there.has(idOf(el));
  for (const el of [...from.children]) if (parting(el)) drop(el, how);
  const named = new Map([...from.children].filter(el => idOf(el) || left(el)).map(el => [nameOf(el), el]));
  let at = from.firstChild;
  const step = () => { const passed = at; at = at.nextSibling; return passed; };
  for (const next of [...to.childNodes]) {
    const over = () => left(at) || parting(at) || at.nodeType === 3 && next.nodeType === 1;
    while (at && over()) if (at.nodeType === 3) step().remove(); else step();
    const same = nameOf(next) && named.get(nameOf(next));
    if (same && left(same)) continue;
    const match = idOf(next) ? same : at && !idOf(at) && at.nodeName === next.nodeName ? at : null;
    if (!match) from.insertBefore(document.importNode(next, true), at);
    else if (match === at) step();
    else from.moveBefore ? from.moveBefore(match, at) : from.insertBefore(match, at);
    if (match) morph(match, next, how);
  }
  while (at) drop(step(), how);
}

