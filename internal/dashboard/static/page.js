// The page that is shown: its elements are taken from other pages, and it says what came of a request.
import { $ } from "./dom.js";
import { asTyped, morph } from "./morph.js";

// swap takes the elements with these ids from a page, and its title unless it is the same page as it is typed. Who has to look at them then
// listens for "fresh".
export function swap(page, ids, how) {
  const pairs = ids.map(id => [document.getElementById(id), page.getElementById(id)]).filter(([mine, theirs]) => mine && theirs);
  for (const [mine, theirs] of pairs) morph(mine, theirs, how);
  if (pairs.length && how !== asTyped) document.title = page.title;
  dispatchEvent(new Event("fresh"));
}

// ended says that the session has ended, on a page that keeps what was typed until somebody has logged in in another tab.
export const ended = yes => { const bar = $("#ended"); if (bar) bar.hidden = !yes; };

// refused puts the cursor into the first input that is wrong, else onto the words that say what is.
export function refused() {
  const wrong = $("[aria-invalid=true]") ?? $("main [role=alert]") ?? $("#main");
  if (wrong.tabIndex < 0) wrong.tabIndex = -1;
  wrong.focus();
}

// A form with data-guard asks before a page is left on which something in it is not saved.
addEventListener("input", ({ target }) => { const form = target.closest("[data-guard]"); if (form) form.dataset.guard = "changed"; });
addEventListener("beforeunload", event => { if ($("[data-guard=changed]:not([data-busy])")) event.preventDefault(); });

// working marks elements until their work is done, once it takes 150 ms.
export function working(marked, work) {
  const slow = setTimeout(() => { for (const el of marked) el?.setAttribute("aria-busy", "true"); }, 150);
  return work.finally(() => { clearTimeout(slow); for (const el of marked) el?.removeAttribute("aria-busy"); });
}

// say shows a message, for as long as the style sheet lets it stay.
export function say(words, tone = "good") {
  const toast = Object.assign(document.createElement("div"), { className: "toast", textContent: words });
  toast.dataset.tone = tone;
  $("#toasts").replaceChildren(toast);
}
