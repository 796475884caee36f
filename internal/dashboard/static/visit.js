// Links, forms, filters and the history: a request whose answer is shown in the page.
import { $, all, parse, plain } from "./dom.js";
import { answerTo, asTyped, everything } from "./morph.js";
import { ended, refused, say, swap, working } from "./page.js";

const whole = ["main", "side", "top", "toasts"];
export const under = { page: null, aside: null }; // the requests whose answers will be shown; a newer one takes its place
export const pageOf = url => url.pathname + url.search;
let shown = pageOf(location); // the page that is shown; what follows a # is only a place on it

// load shows the answer to a request, to a POST if it has a body: the elements with these ids, or all of it if it leads to another page.
// What stands aside shows what a form would find or count: it is no step of the history and leads nowhere.
async function load(url, body, ids, { push = "", how = asTyped, typing = null, place = "page" } = {}) {
  under[place]?.abort();
  const mine = under[place] = new AbortController(), beside = place === "aside", posted = body && !beside;
  let answer, page;
  try {
    const headers = beside ? { "Entrepot-Aside": "1" } : {};
    answer = await fetch(url, { method: body ? "POST" : "GET", body, headers, signal: mine.signal });
    page = parse(await answer.text());
    if (answer.status > 499 && !page.getElementById("side")) throw answer; // a proxy's, or in plain text
  } catch (error) {
    if (error.name === "AbortError") return;
    return say(posted ? $("#toasts").dataset.unsure : $("#toasts").dataset.away, "bad");
  }
  const end = new URL(answer.url);
  if (!page.getElementById("side")) return body ? ended(true) : location.assign(end);
  ended(false);
  if (!answer.ok && !ids.some(id => page.getElementById(id))) return say($("main p", page).textContent, "bad"); // the list stays as it is
  const moved = !beside && end.pathname !== location.pathname && (answer.ok || !posted);
  if (push && answer.ok) {
    const to = new URL(moved || posted ? end : push, location.href);
    history[typing && typing === typedIn || pageOf(to) === shown ? "replaceState" : "pushState"]({ swapped: true }, "", to);
    [shown, typedIn] = [pageOf(to), typing];
  }
  swap(page, moved ? whole : posted ? [...new Set([...ids, "toasts", "side"])] : ids, moved ? everything : how);
  if (answer.status >= 400) typing || refused();
  else {
    if (moved) scrollTo(0, 0);
    if (moved || posted && document.activeElement === document.body) $("#main").focus({ preventScroll: true }); // its button is gone
  }
  for (const dialog of answer.ok && posted ? all("dialog[open]") : []) dialog.close();
}

// show loads an address into the elements with these ids, which are marked meanwhile.
const show = (url, ids, options) => working(ids.map(id => document.getElementById(id)), load(url, null, ids, options));

function send(form, submitter, { typing = null, place = "page" } = {}) {
  const url = new URL(submitter?.getAttribute("formaction") || form.getAttribute("action") || location.pathname, location.href);
  const data = new URLSearchParams([...new FormData(form, submitter)].map(([k, v]) => [k, v.name ?? v])), beside = place === "aside";
  const ids = (beside ? submitter.dataset.aside : form.dataset.swap).split(/\s+/), push = beside ? "" : url;
  if ((submitter?.getAttribute("formmethod") || form.method) === "post") {
    return load(url, data, ids, { push, typing, place, how: beside ? asTyped : answerTo(form) });
  }
  for (const [name, value] of [...data]) if (!value) data.delete(name, value);
  url.search = data;
  return show(url, ids, { push, typing, place });
}

// aside sends a form by its button for that, which says what shows the answer.
export function aside(form) {
  clearTimeout(typed.get(form));
  return send(form, $("[data-aside]", form), { typing: form, place: "aside" });
}

addEventListener("submit", event => {
  const form = event.target, button = event.submitter;
  if (event.defaultPrevented) return;
  if (form.dataset.busy) return event.preventDefault();
  clearTimeout(typed.get(form)); // what was typed is sent now
  const swaps = form.dataset.swap !== undefined && (button?.formEnctype || form.enctype) !== "multipart/form-data";
  if (swaps) event.preventDefault();
  form.dataset.busy = "1";
  const work = swaps ? send(form, button) : new Promise(over => {
    if ((button ?? form).closest("[data-file]")) setTimeout(over, 1000); // a file is sent, and the page stays
    else addEventListener("pageshow", over, { once: true });
  });
  working([button], work).finally(() => { delete form.dataset.busy; });
});

addEventListener("click", event => {
  if (!plain(event)) return;
  if (event.target.closest("[data-print]")) return print();
  const text = event.target.closest("[data-copy]")?.dataset.copy;
  if (text) copy(text).then(() => say($("#toasts").dataset.copied), () => say($("#toasts").dataset.byHand, "bad"));
});

// copy puts a text on the clipboard, which browsers lend to pages that come by http only while something is selected.
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  addEventListener("copy", event => { event.preventDefault(); event.clipboardData.setData("text/plain", text); }, { once: true });
  getSelection().selectAllChildren($("#main"));
  const done = document.execCommand("copy");
  getSelection().removeAllRanges();
  if (!done) throw new Error("refused");
}

// Filters act as they are typed or chosen, and so does what stands aside. What is typed in one go is one step of the history.
const typed = new WeakMap(); // forms, with what waits for the next key
let typedIn = null;
addEventListener("input", ({ target }) => {
  const form = target.form, beside = form && $("[data-aside]", form);
  if (!form || form.dataset.busy || !beside && (form.method === "post" || !form.dataset.swap) || form.matches("[data-bulk]")) return;
  const typing = target.matches("input:not([type=checkbox], [type=radio])") ? target : null;
  clearTimeout(typed.get(form));
  const wait = beside ? 200 : !typing ? 0 : typing.matches(".when") ? 400 : 50; // a year is typed in four keys
  typed.set(form, setTimeout(() => beside ? aside(form) : send(form, null, { typing }), wait));
});
addEventListener("focusout", () => { typedIn = null; });
// What was typed before this script came is searched for now.
for (const input of all(".filters :is([type=search], [type=text])")) {
  if (input.value !== input.defaultValue) input.dispatchEvent(new Event("input", { bubbles: true }));
}

// Who returns to a page finds again what was typed and ticked there: browsers keep it. A space at its end lets them keep what a form was
// filled from, too, so that one that comes back is refused if that has changed meanwhile.
const keep = () => { for (const seen of all("input[name=_seen]")) seen.value = seen.value.trim() + " "; };
keep();
addEventListener("fresh", keep);

addEventListener("popstate", () => {
  if (pageOf(location) === shown) return;
  [shown, typedIn] = [pageOf(location), null];
  show(location.href, whole, { how: everything });
});
