// What lists and files need: ticked rows, a file that is dropped, a branch of a tree that is dragged.
import { $, all, base } from "./dom.js";
import { aside, pageOf } from "./visit.js";

const boxes = form => [...form.elements].filter(box => box.matches("input[name=id]"));

let at = "", before = []; // the list, and the boxes of its rows in their order
// remember keeps the ticked rows that are on the next page now: those at the end of a list into which others have come. Rows that do not
// belong to the list any more are not ticked any more.
function remember(rows, further) {
  if (at !== pageOf(location)) before = [];
  at = pageOf(location);
  const now = new Map(rows.map((row, place) => [row.value, place])), last = before.findLastIndex(row => now.has(row.value));
  if (rows.length >= before.length && (last < 0 || now.get(before[last].value) > last)) {
    for (const row of before.slice(last + 1)) if (row.checked) further.append(Object.assign(row, { id: "" }));
  }
  for (const kept of all("input", further)) {
    const row = rows[now.get(kept.value)];
    if (row) row.checked ||= kept.checked;
    if (row || !kept.checked) kept.remove();
  }
  before = rows;
}

let picked = [], summed = "false"; // what was ticked last, and what is asked for
// ticks shows how many rows are ticked, and what they come to.
function ticks() {
  const form = $("form[data-bulk]");
  if (!form) return;
  const further = $("[data-further]", form), rows = boxes(form).filter(box => !further.contains(box));
  remember(rows, further);
  const ticked = boxes(form).filter(box => box.checked), here = rows.filter(row => row.checked).length, more = ticked.length - here;
  const every = form.elements.all, counter = $("[data-ticked]", form), { some, next } = counter.dataset;
  every.checked &&= ticked.length > 0;
  const words = some.replace("#", ticked.length) + (more ? next.replace("#", more) : "");
  counter.textContent = every.checked ? counter.dataset.every.replace("#", every.dataset.of) : words;
  for (const box of all("[data-all]")) {
    Object.assign(box, { checked: here > 0 && here === rows.length, indeterminate: ticked.length > 0 && here < rows.length });
  }
  const chosen = [every.checked, ...ticked.map(box => box.value)].join();
  if (chosen !== summed && $("[data-aside]", form)) aside(form);
  // Nothing is selected any more, and its bar is gone: the cursor goes back to where the last row was ticked.
  if (ticked.length === 0 && form.contains(document.activeElement)) rows.findLast(row => picked.includes(row))?.focus();
  [picked, summed] = [ticked, chosen];
}
ticks();
addEventListener("fresh", ticks);

addEventListener("input", ({ target: box }) => {
  if (box.matches("[data-all]")) for (const row of boxes(box.form)) row.checked = box.checked;
  ticks();
});
addEventListener("reset", () => setTimeout(ticks));

addEventListener("change", ({ target }) => {
  if (target.matches(".drop input") && target.files[0]) $("label b", target.parentElement).textContent = target.files[0].name;
});
for (const kind of ["dragover", "dragleave", "drop"])
  addEventListener(kind, event => event.target.closest?.(".drop")?.classList.toggle("over", kind === "dragover"));

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
  $("[name^=parent]", form).value = place.dataset.branch ?? "";
  form.requestSubmit();
});
