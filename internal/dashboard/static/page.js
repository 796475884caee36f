// The page that is shown: its elements are taken from other pages, and it says what came of a request.
import { $, all } from "./dom.js";
import { morph } from "./morph.js";

const needed = [];
// whenFresh runs something for this page, and again whenever parts of it were taken from another one.
export const whenFresh = run => { needed.push(run); };
export const prepare = () => { for (const run of needed) run(); };

// swap takes the elements with these ids from a page.
export function swap(page, ids, how) {
  const pairs = ids.map(id => [document.getElementById(id), page.getElementById(id)]).filter(([mine, theirs]) => mine && theirs);
  for (const [mine, theirs] of pairs) morph(mine, theirs, how);
  if (pairs.length) document.title = page.title;
  prepare();
}

// ended says that the session has ended, on a page that keeps what was typed until somebody has logged in in another tab.
export const ended = yes => { const bar = $("#ended"); if (bar) bar.hidden = !yes; };

// refused puts the cursor into the first input that is wrong, else onto the words that say what is.
export function refused() {
  const wrong = $("[aria-invalid=true]") ?? $("main [role=alert]") ?? $("#main");
  if (wrong.tabIndex < 0) wrong.tabIndex = -1;
  wrong.focus();
}

// working marks elements until their work is done, once it takes 150 ms.
export function working(marked, work) {
  const slow = setTimeout(() => { for (const el of marked) el?.setAttribute("aria-busy", "true"); }, 150);
  return work.finally(() => { clearTimeout(slow); for (const el of marked) el?.removeAttribute("aria-busy"); });
}

// say shows a message for ten seconds, longer while the pointer or the cursor is on it.
export function say(words, tone = "good") {
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

whenFresh(() => {
  for (const el of all("[data-copy][hidden]")) el.hidden = false;
  if ($("#toasts .toast")) fade();
});
