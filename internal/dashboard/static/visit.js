// Links, forms, filters and the history: a request whose answer is shown in the page.
import { $, all, parse } from "./dom.js";
import { answerTo, asTyped, begun, everything } from "./morph.js";
import { ended, refused, say, swap, working } from "./page.js";
import { jump } from "./palette.js";

const whole = ["main", "side", "top", "toasts"];
export let under = null; // the request whose answer will be shown; a newer one takes its place
export const pageOf = url => url.pathname + url.search;
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
    copy(el.dataset.copy).then(() => say("Copied"), () => say("Copying is not allowed here: select the text and copy it yourself", "bad"));
  } else if (el.matches("a[data-swap]")) {
    event.preventDefault();
    show(el.href, idsOf(el), { push: el.href, force: true }, el);
  }
});

// copy puts a text on the clipboard, which browsers lend to pages that come by http only while the text is selected.
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const box = document.createElement("textarea"), focused = document.activeElement;
  box.value = text;
  document.body.append(box);
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  focused?.focus();
  if (!done) throw new Error("refused");
}

// Filters act as they are typed or chosen. What is typed in one go is one step of the history.
const filters = "form[method=get][data-swap], form:not([method])[data-swap]";
let typed = null, typedIn = null;
addEventListener("input", event => {
  const form = event.target.form;
  if (form?.matches("[data-count]")) {
    clearTimeout(typed);
    typed = setTimeout(count, 300, form);
    return;
  }
  if (!form?.matches(filters)) return;
  const typing = event.target.matches("input:not([type=checkbox], [type=radio])") ? event.target : null;
  clearTimeout(typed);
  typed = setTimeout(() => send(form, null, typing), !typing ? 0 : typing.matches(".when") ? 400 : 50); // a year is typed in four keys
});
addEventListener("focusout", () => { typedIn = null; });
// What was typed before this script came is searched for now.
for (const form of all(filters)) {
  const typing = [...form.elements].find(el => el.matches("input[type=search], input[type=text]") && el.value !== el.defaultValue);
  if (typing) send(form, null, typing);
}

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

// Who returns to a page finds again what was typed and ticked there: browsers keep it. The history keeps what the forms were filled from
// then, so that a form that comes back is refused if that has changed meanwhile.
const filled = () => all("input[name=_seen]").map(seen => [seen.form.getAttribute("action"), seen]);
addEventListener("pagehide", () => {
  const seen = filled().map(([form, { value }]) => [form, value]);
  if (seen.length) history.replaceState({ ...history.state, seen: Object.fromEntries(seen) }, "");
});
addEventListener("pageshow", () => {
  if (performance.getEntriesByType("navigation")[0]?.type !== "back_forward") return;
  for (const [form, seen] of filled()) {
    const then = history.state?.seen?.[form];
    if (then && begun(seen.form)) seen.value = then;
  }
});

addEventListener("popstate", () => {
  if (pageOf(location) === shown) return;
  shown = pageOf(location);
  typedIn = null;
  show(location.href, whole, { force: true });
});
