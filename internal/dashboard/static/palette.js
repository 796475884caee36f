// The palette: the list of the page /search, as it is typed.
import { $, all, parse } from "./dom.js";

// jump opens the palette.
export function jump(event) {
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
