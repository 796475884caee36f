// What lists and files need: ticked rows, a file that is dropped, a branch of a tree that is dragged.
import { $, all, base } from "./dom.js";
import { whenFresh } from "./page.js";

const boxes = form => [...form.elements].filter(box => box.matches("input[name=id][type=checkbox]"));

let at = "", before = []; // the list, and its rows in their order, each with whether it is ticked
const further = new Set(); // ticked rows that newer ones have pushed to the next page
// remember notes which ticked rows are on the next page now: those at the end of a list into which others have come. Rows that do not belong
// to the list any more are not ticked any more.
function remember(rows) {
  if (at !== location.pathname + location.search) {
    at = location.pathname + location.search;
    before = [];
    further.clear();
  }
  const now = new Map(rows.map((row, place) => [row.value, place])), last = before.findLastIndex(([id]) => now.has(id));
  if (rows.length >= before.length && (last < 0 || now.get(before[last][0]) > last)) {
    for (const [id, on] of before.slice(last + 1)) if (on) further.add(id);
  }
  for (const row of rows) if (further.delete(row.value)) row.checked = true;
  before = rows.map(row => [row.value, row.checked]);
}

// ticks shows how many rows are ticked. What is done with them is there only while some are, so that it is about what was seen.
function ticks() {
  for (const form of all("form[data-bulk]")) {
    const rows = boxes(form);
    remember(rows);
    for (const el of all("[data-further]", form)) el.remove();
    for (const id of further) {
      const kept = document.createElement("input");
      Object.assign(kept, { type: "hidden", name: "id", value: id }).dataset.further = "";
      form.append(kept);
    }
    const here = rows.filter(row => row.checked).length, n = here + further.size;
    for (const el of all("[data-ticked]", form)) el.textContent = n + " selected" + (further.size ? ", " + further.size + " on the next page" : "");
    form.hidden = n === 0;
    if (n === 0) form.elements.all.checked = false;
    for (const el of form.elements) if (el.matches("[data-all]")) Object.assign(el, { checked: here > 0 && here === rows.length,
      indeterminate: n > 0 && here < rows.length });
  }
}
whenFresh(ticks);

addEventListener("input", event => {
  const box = event.target;
  if (!box.matches("[data-all], input[name=id][type=checkbox]")) return;
  if (box.matches("[data-all]")) {
    for (const row of boxes(box.form)) row.checked = box.checked;
    if (!box.checked) further.clear();
  }
  ticks();
});

addEventListener("change", event => {
  const el = event.target;
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
