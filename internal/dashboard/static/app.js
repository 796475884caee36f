// The dashboard's script. Every page works without it; with it, parts of a page change in place, lists follow what happens, and the
// keyboard does more. The answer to every request is a whole page, of which the named elements are taken over.
"use strict";
(() => {
const base = "/dashboard";
const $ = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const policy = window.trustedTypes ? trustedTypes.createPolicy("entrepot", { createHTML: text => text }) : { createHTML: text => text };
// Parsed pages are inert: their scripts do not run.
const parse = text => new DOMParser().parseFromString(policy.createHTML(text), "text/html");
const whole = ["main", "side", "toasts"];

// ---- morphing: an element becomes another one, and keeps focus, caret, ticks, open details and scroll
// idOf is a node's id. A form with an input named id has that input in place of form.id.
const idOf = node => node.nodeType === 1 && node.getAttribute("id") || "";
// nameOf finds a form again that has no id.
const nameOf = node => idOf(node) || node.nodeName === "FORM" && node.getAttribute("action");

// Who a page comes for: typed says that inputs keep what somebody has typed or ticked, stays which elements are left alone as a whole.
const everything = { typed: false, stays: () => false };
const asTyped = { typed: true, stays: () => false };
const news = { typed: true, stays: el => el.matches("[role=alert], [data-stays]") || begun(el) && (behind = true) };
const answerTo = form => ({ typed: false, stays: el => el !== form && begun(el) });
let behind = false; // news left a form alone

// begun reports whether somebody fills in this form, waits for its answer, or has to read why it was refused.
const begun = el => el.matches("form[method=post]") && (!!el.dataset.busy || !!$("[aria-invalid=true], [role=alert]", el) ||
  all("input, textarea, select", el).some(touched));

// holds reports whether something of an element stays.
const holds = (el, how) => el.nodeType === 1 && [el, ...all("form, [role=alert], [data-stays]", el)].some(how.stays);
// drop removes an element, but for the cards in it of which something stays.
const drop = (el, how) => !holds(el, how) ? el.remove() :
  how.stays(el) || el.matches("section, details") || [...el.childNodes].forEach(part => drop(part, how));

// morph changes from into to.
function morph(from, to, how) {
  if (from.nodeType !== to.nodeType || from.nodeName !== to.nodeName || idOf(from) !== idOf(to)) {
    if (!holds(from, how)) from.replaceWith(document.importNode(to, true));
  } else if (from.nodeType !== 1) {
    if (from.data !== to.data) from.data = to.data;
  } else {
    const typed = how.typed && touched(from);
    attributes(from, to);
    children(from, to, how);
    settle(from, to, typed);
  }
}

// touched reports whether an input holds something else than the page gave it.
function touched(el) {
  if (el.matches("input[type=checkbox], input[type=radio]")) return el.checked !== el.defaultChecked;
  if (el === document.activeElement) return el.matches("input, textarea, select");
  if (el.matches("select")) return el.selectedOptions[0] !== ($("option[selected]", el) ?? el.options[0]);
  return el.matches("input, textarea") && el.value !== el.defaultValue;
}

function attributes(from, to) {
  for (const { name } of [...from.attributes]) if (!to.hasAttribute(name) && !kept(from, name)) from.removeAttribute(name);
  for (const { name, value } of [...to.attributes]) if (from.getAttribute(name) !== value && !kept(from, name)) from.setAttribute(name, value);
}

// kept are attributes that belong to the person, not to the page.
const kept = (el, name) => name === "open" && el.matches("details, dialog") || name === "hidden" && el.hasAttribute("data-copy");

function settle(from, to, typed) {
  if (typed) return;
  if (from.matches("input[type=checkbox], input[type=radio]")) from.checked = to.hasAttribute("checked");
  else if (from.matches("input:not([type=file])")) { if (from.value !== to.getAttribute("value")) from.value = to.getAttribute("value") ?? ""; }
  else if (from.matches("textarea")) { if (from.value !== to.value) from.value = to.value; }
  else if (from.matches("select")) from.value = to.value;
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
    if (!match) {
      from.insertBefore(document.importNode(next, true), at);
      continue;
    }
    if (match === at) step();
    else from.moveBefore ? from.moveBefore(match, at) : from.insertBefore(match, at);
    morph(match, next, how);
  }
  while (at) drop(step(), how);
}

// swap takes the elements with these ids from a page.
function swap(page, ids, how) {
  const pairs = ids.map(id => [document.getElementById(id), page.getElementById(id)]).filter(([mine, theirs]) => mine && theirs);
  for (const [mine, theirs] of pairs) morph(mine, theirs, how);
  if (pairs.length) document.title = page.title;
  prepare();
}

// ---- links and forms
let under = null; // the request whose answer will be shown; a newer one takes its place
const pageOf = url => url.pathname + url.search;
let shown = pageOf(location); // the page that is shown; what follows a # is only a place on it

async function load(url, options, ids, { push = "", force = false, typing = null, form = null } = {}) {
  under?.abort();
  const mine = under = new AbortController(), posted = options?.method === "POST";
  let answer, text;
  try {
    answer = await fetch(url, { ...options, signal: mine.signal, headers: { Accept: "text/html", ...options?.headers } });
    text = await answer.text();
  } catch (error) {
    if (error.name === "AbortError") return;
    say(posted ? "No answer came. What you sent may have arrived: send it again, it is done only once."
      : "The service cannot be reached.", "bad");
    return;
  }
  const page = parse(text), end = new URL(answer.url);
  if (!page.getElementById("side")) return posted ? ended(true) : location.assign(end);
  ended(false);
  if (!answer.ok && !ids.some(id => page.getElementById(id))) return say($("main p", page).textContent, "bad"); // the list stays as it is
  const moved = end.pathname !== location.pathname && (answer.ok || !posted);
  if (push && answer.ok) {
    const to = new URL(moved || posted ? end : push, location.href);
    history[typing && typing === typedIn || pageOf(to) === shown ? "replaceState" : "pushState"]({ swapped: true }, "", to);
    shown = pageOf(to);
    typedIn = typing;
  }
  swap(page, moved ? whole : posted ? [...new Set([...ids, "toasts", "side"])] : ids,
    typing ? asTyped : force || moved ? everything : posted ? answerTo(form) : asTyped);
  if (answer.status >= 400) typing || refused();
  else {
    if (moved) scrollTo(0, 0);
    if (moved || posted && document.activeElement === document.body) $("#main").focus({ preventScroll: true }); // its button is gone
  }
  for (const dialog of answer.ok && posted ? all("dialog[open]") : []) dialog.close();
}

// ended says that the session has ended, on a page that keeps what was typed until somebody has logged in in another tab.
const ended = yes => { const bar = $("#ended"); if (bar) bar.hidden = !yes; };

// refused puts the cursor into the first input that is wrong, else onto the words that say what is.
function refused() {
  const wrong = $("[aria-invalid=true]") ?? $("main [role=alert]") ?? $("#main");
  if (wrong.tabIndex < 0) wrong.tabIndex = -1;
  wrong.focus();
}

// working marks elements until their work is done, once it takes 150 ms.
function working(marked, work) {
  const slow = setTimeout(() => { for (const el of marked) el?.setAttribute("aria-busy", "true"); }, 150);
  return work.finally(() => { clearTimeout(slow); for (const el of marked) el?.removeAttribute("aria-busy"); });
}

// show loads an address into the elements with these ids, which are marked meanwhile.
const show = (url, ids, options, ...by) => working([...by, ...ids.map(id => document.getElementById(id))], load(url, {}, ids, options));
const idsOf = el => el.dataset.swap.split(/\s+/);

function send(form, submitter, typing = null) {
  const url = new URL(submitter?.getAttribute("formaction") || form.getAttribute("action") || location.pathname, location.href);
  const data = new URLSearchParams(new FormData(form, submitter));
  if ((submitter?.getAttribute("formmethod") || form.method) === "post") {
    return load(url, { method: "POST", body: data }, idsOf(form), { push: url, form });
  }
  for (const [name, value] of [...data]) if (!value) data.delete(name, value);
  url.search = data;
  return show(url, idsOf(form), { push: url, typing });
}

addEventListener("submit", event => {
  const form = event.target, button = event.submitter;
  if (event.defaultPrevented) return;
  if (form.dataset.busy) return event.preventDefault();
  if (form.method === "dialog") return;
  const swaps = form.dataset.swap !== undefined && form.enctype !== "multipart/form-data";
  form.dataset.busy = "1";
  const done = () => { delete form.dataset.busy; };
  if (!swaps) {
    return working([button], new Promise(over => {
      if ((button ?? form).closest("[data-file]")) setTimeout(over, 1000); // a file is sent, and the page stays
      else addEventListener("pageshow", over, { once: true });
    })).then(done);
  }
  event.preventDefault();
  working([button], send(form, button)).finally(done);
});

addEventListener("click", event => {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const el = event.target.closest("a, button, summary");
  for (const menu of all("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  if (event.target.closest("[data-jump]")) return jump(event);
  if (!el) return;
  if (el.dataset.dialog) {
    event.preventDefault();
    document.getElementById(el.dataset.dialog)?.showModal();
  } else if (el.dataset.close !== undefined) {
    event.preventDefault();
    el.closest("dialog")?.close();
  } else if (el.dataset.copy !== undefined) {
    navigator.clipboard.writeText(el.dataset.copy).then(() => say("Copied"), () => say("Copying is not allowed here", "bad"));
  } else if (el.matches("a[data-swap]")) {
    event.preventDefault();
    show(el.href, idsOf(el), { push: el.href, force: true }, el);
  }
});

// Filters act as they are typed or chosen. What is typed in one go is one step of the history.
let typed = null, typedIn = null;
addEventListener("input", event => {
  const form = event.target.form;
  if (event.target.matches("[data-all], [name=id]")) return ticks(event.target);
  if (form?.matches("[data-count]")) {
    clearTimeout(typed);
    typed = setTimeout(count, 300, form);
    return;
  }
  if (!form?.matches("form[method=get][data-swap], form:not([method])[data-swap]")) return;
  const typing = event.target.matches("input:not([type=checkbox], [type=radio])") ? event.target : null;
  clearTimeout(typed);
  typed = setTimeout(() => send(form, null, typing), !typing ? 0 : typing.matches(".when") ? 400 : 50); // a year is typed in four keys
});
addEventListener("focusout", event => {
  typedIn = null;
  if (!behind || event.target.form && begun(event.target.form)) return;
  behind = false;
  happened(["*"]); // what was left alone may be renewed now
});

// count asks how many records fit what the form has now, and shows only that.
let counted = null;
async function count(form) {
  counted?.abort();
  const mine = counted = new AbortController(), data = new URLSearchParams(new FormData(form));
  data.set("count", "1");
  try {
    const answer = await fetch(form.getAttribute("action"), { method: "POST", body: data, signal: mine.signal, headers: { Accept: "text/html" } });
    const page = parse(await answer.text());
    if (!mine.signal.aborted) swap(page, ["count"], asTyped);
  } catch { /* a newer count takes its place, or the button says what is wrong */ }
}

addEventListener("popstate", () => {
  if (pageOf(location) === shown) return;
  shown = pageOf(location);
  typedIn = null;
  show(location.href, whole, { force: true });
});

// ---- ticked rows
function ticks(box) {
  const form = box.form ?? document;
  const rows = all("input[name=id][type=checkbox]", form.elements ? document : form).filter(row => row.form === box.form);
  if (box.dataset.all !== undefined) for (const row of rows) row.checked = box.checked;
  const n = rows.filter(row => row.checked).length;
  for (const el of all("[data-ticked]")) el.textContent = n;
  for (const el of all(".bulk[data-bulk]")) el.hidden = n === 0;
  for (const el of all("input[data-all]")) { el.checked = n > 0 && n === rows.length; el.indeterminate = n > 0 && n < rows.length; }
}

// ---- toasts, and what a fresh page needs
function say(words, tone = "good") {
  const toast = document.createElement("div"), text = document.createElement("span");
  toast.className = "toast";
  toast.dataset.tone = tone;
  text.textContent = words;
  toast.append(text);
  $("#toasts").replaceChildren(toast);
  fade();
}

let fading = 0;
function fade() {
  clearTimeout(fading);
  fading = setTimeout(() => {
    const toasts = $("#toasts");
    if (toasts.matches(":hover, :focus-within")) return fade();
    toasts.replaceChildren();
  }, 10000);
}

let again = 0; // what ends without news is looked at again while it goes on
function prepare() {
  for (const el of all("[data-copy][hidden]")) el.hidden = false;
  if ($("#toasts .toast")) fade();
  clearTimeout(again);
  const running = $("[data-again]");
  if (running) again = setTimeout(() => { for (const id of running.dataset.again.split(" ")) waiting.add(id); later(0); }, 2000);
  const first = $("input[name=id][type=checkbox]");
  if (first && $("[data-bulk]")) ticks(first);
}

// ---- live regions
const waiting = new Set();
let reloading = false, soon = 0;

// happened notes which regions follow a topic that has news; "*" is every topic.
function happened(topics) {
  for (const el of all("[data-topic][id]")) {
    if (topics.includes("*") || el.dataset.topic.split(/\s+/).some(topic => topics.includes(topic))) waiting.add(idOf(el));
  }
  if (waiting.size) later(300);
}

const later = wait => { clearTimeout(soon); soon = setTimeout(refresh, wait); };

async function refresh() {
  if (document.hidden || !waiting.size) return;
  if (reloading || $("dialog[open], details.menu[open], :popover-open")) return later(1000);
  reloading = true;
  const ids = [...waiting], at = pageOf(location), before = under;
  const from = ids.every(id => id === "side") ? $("#side").dataset.from : at; // the counts alone need not all of the page
  waiting.clear();
  try {
    const answer = await fetch(from, { headers: { Accept: "text/html", "Entrepot-Live": "1" } });
    const page = parse(await answer.text()), side = page.getElementById("side");
    if (side?.dataset.account !== $("#side").dataset.account) { // the page to log in, or one of another account
      if (answer.ok || side) all("main input, main textarea, main select").some(touched) ? ended(true) : location.reload();
      return;
    }
    ended(false);
    if (from !== at) page.title = document.title;
    if (under !== before) return happened(["*"]); // it may be older than what was loaded meanwhile
    const gone = [403, 404].includes(answer.status); // then its page says so
    if (!answer.ok && !gone || at !== pageOf(location)) return;
    const cursor = document.activeElement;
    swap(page, [...ids, "side"], news);
    if (!cursor.isConnected) $("#main").focus({ preventScroll: true });
  } catch { /* the stream says when the service is back */ }
  finally { reloading = false; }
}

// follow opens the one stream of this browser: whoever holds the lock has it, the other tabs hear of it.
function follow() {
  const channel = new BroadcastChannel("entrepot-live");
  channel.onmessage = event => happened(event.data);
  const hear = topics => { happened(topics); channel.postMessage(topics); };
  let polling = 0;
  const poll = () => { polling ||= setInterval(() => hear(["*"]), 10000); };
  const open = () => new Promise(release => {
    const stream = new EventSource(base + "/live");
    let missed = false;
    stream.onopen = () => { clearInterval(polling); polling = 0; if (missed) hear(["*"]); missed = false; };
    stream.onmessage = event => hear(JSON.parse(event.data));
    stream.onerror = () => {
      missed = true;
      poll();
      if (stream.readyState === EventSource.CLOSED) setTimeout(() => release(), 30000);
    };
    addEventListener("pagehide", () => { stream.close(); release(); }, { once: true });
  });
  const take = () => navigator.locks.request("entrepot-live", open).then(take, poll);
  if (navigator.locks && window.EventSource) take(); else poll();
}

document.addEventListener("visibilitychange", () => { if (!document.hidden) later(0); });
addEventListener("pageshow", event => { if (event.persisted) location.reload(); });
for (const kind of ["online", "offline"]) {
  addEventListener(kind, () => { const bar = $("#offline"); if (bar) bar.hidden = navigator.onLine; if (navigator.onLine) happened(["*"]); });
}

// ---- the keyboard
const places = { h: "/", o: "/orders", p: "/products", s: "/stock", c: "/customers", w: "/webhooks" };
let going = 0;

const keysOff = () => { try { return localStorage.getItem("entrepot-keys") === "off"; } catch { return false; } };

addEventListener("keydown", event => {
  if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) return jump(event);
  if (event.key === "Escape") document.documentElement.dataset.tips = "off"; // full times, until the focus moves on
  if (event.key === "Escape") for (const menu of all("details.menu[open]")) { menu.open = false; $("summary", menu).focus(); }
  if (event.ctrlKey || event.metaKey || event.altKey || keysOff() || $("dialog[open]")) return;
  if (event.target.matches("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]")) return;
  if (press(event.key, event.target)) event.preventDefault();
});

addEventListener("focusin", () => { delete document.documentElement.dataset.tips; });

// press does what a key stands for, and reports whether it stands for anything here.
function press(key, target) {
  if (Date.now() < going && places[key]) {
    location.assign(base + places[key]);
    return true;
  }
  going = key === "g" ? Date.now() + 1000 : 0;
  switch (key) {
    case "/": { const input = $("main input[type=search]"); input?.select(); return !!input; }
    case "?": { const keys = $("#keys"); keys?.showModal(); return !!keys; }
    case "j": return row(target, 1);
    case "k": return row(target, -1);
    case "x": { const box = target.closest("tr")?.querySelector("input[type=checkbox]"); box?.click(); return !!box; }
    case "[": return follows("a[rel=prev]");
    case "]": return follows("a[rel=next]");
    case "s": { const el = $("main [data-key=s]"); if (el?.matches("a, button")) el.click(); else el?.focus(); return !!el; }
  }
  return false;
}

// ---- the palette: the list of the page /search, as it is typed
// jump opens the palette.
function jump(event) {
  const palette = $("#palette");
  if (!palette || $("dialog[open]")) return;
  event.preventDefault();
  $("#side:popover-open")?.hidePopover();
  palette.showModal();
  $("input", palette).select();
  find();
}

let asked = null, asking = 0;
// find shows what the term finds; a newer term takes the place of an older one.
async function find() {
  asked?.abort();
  const mine = asked = new AbortController(), form = $("#palette form");
  try {
    const answer = await fetch(form.action + "?" + new URLSearchParams(new FormData(form)), { signal: mine.signal });
    const list = parse(await answer.text()).getElementById("found");
    if (mine.signal.aborted) return;
    if (!list) return location.assign(answer.url); // the session has ended
    for (const el of all("[id], [aria-labelledby]", list)) for (const name of ["id", "aria-labelledby"]) {
      if (el.hasAttribute(name)) el.setAttribute(name, "palette-" + el.getAttribute(name)); // the page below may be the search itself
    }
    $("#palette-list").replaceChildren(...[...list.childNodes].map(node => document.importNode(node, true)));
  } catch (error) {
    if (error.name !== "AbortError") $("#palette-list").textContent = "The service cannot be reached.";
  }
}

$("#palette")?.addEventListener("input", () => { clearTimeout(asking); asking = setTimeout(find, 120); });
$("#palette")?.addEventListener("click", event => { if (event.target === event.currentTarget) event.currentTarget.close(); });
$("#palette")?.addEventListener("keydown", event => {
  const stops = [$("#palette input"), ...all("#palette-list a")], at = stops.indexOf(document.activeElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || at < 0) return;
  stops[(at + step + stops.length) % stops.length].focus();
  event.preventDefault();
});
// Enter follows the first link that the term finds, also when it was typed just now.
$("#palette")?.addEventListener("submit", async event => {
  event.preventDefault();
  clearTimeout(asking);
  await find();
  $("#palette-list a")?.click();
});

const follows = selector => { const link = $("main " + selector); link?.click(); return !!link; };

// row moves to the link of the next or the one before.
function row(target, step) {
  const links = all("main table.rows tbody a.hit");
  const now = links.findIndex(link => link.closest("tr") === target.closest("tr"));
  const link = links[now < 0 ? 0 : Math.min(Math.max(now + step, 0), links.length - 1)];
  link?.focus();
  return !!link;
}

addEventListener("change", event => {
  const el = event.target;
  if (el.matches("[data-keys]")) try { localStorage.setItem("entrepot-keys", el.checked ? "on" : "off"); } catch { /* no storage */ }
  if (el.matches(".drop input[type=file]")) {
    const name = $("label b", el.parentElement);
    if (name && el.files[0]) name.textContent = el.files[0].name;
  }
});
for (const kind of ["dragover", "dragleave", "drop"]) {
  addEventListener(kind, event => event.target.closest?.(".drop")?.classList.toggle("over", kind === "dragover"));
}

// A row of a tree is dragged onto another one, below which it goes, or onto the head of the table, to the top.
let branch = null;
const onto = event => branch && event.target.closest?.("tr[data-branch], thead");
addEventListener("dragstart", event => { branch = $("#move") && event.target.closest?.("tr[data-branch]"); });
addEventListener("dragend", () => { branch = null; });
addEventListener("dragover", event => { if (onto(event) && onto(event) !== branch) event.preventDefault(); });
addEventListener("drop", event => {
  const place = onto(event), form = $("#move");
  if (!place || place === branch) return;
  event.preventDefault();
  form.action = base + "/categories/" + branch.dataset.branch;
  form.elements.parentId.value = place.dataset.branch ?? "";
  form.requestSubmit();
});

for (const box of all("[data-keys]")) box.checked = !keysOff();
prepare();
for (const tab of all(".views [aria-current]")) { // on a narrow screen, the tab of this page may be out of sight
  tab.parentElement.scrollLeft += Math.max(0, tab.getBoundingClientRect().right - tab.parentElement.getBoundingClientRect().right);
}
// A dialog whose form was refused comes open; the cursor is in what was wrong, there or on the page.
for (const dialog of all("dialog[open]")) { dialog.close(); dialog.showModal(); }
if ($("[aria-invalid=true], main [role=alert]")) refused();
if ($("[data-topic]")) follow();
})();
