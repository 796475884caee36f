// What lists and files need: ticked rows, a file that is dropped, a branch of a tree that is dragged.
import { $, all, base } from "./dom.js";
import { whenFresh } from "./page.js";

const ticked = form => [...form.elements].filter(box => box.matches("input[name=id][type=checkbox]"));

// ticks shows how many rows are ticked. What is done with them is there only while some are, so that it is about what was seen.
function ticks() {
  for (const form of all("form[data-bulk]")) {
    const rows = ticked(form), n = rows.filter(row => row.checked).length;
    for (const el of all("[data-ticked]", form)) el.textContent = n;
    form.hidden = n === 0;
    if (n === 0) form.elements.all.checked = false;
    for (const el of form.elements) if (el.matches("[data-all]")) Object.assign(el, { checked: n > 0 && n === rows.length,
      indeterminate: n > 0 && n < rows.length });
  }
}
whenFresh(ticks);

addEventListener("input", event => {
  const box = event.target;
  if (!box.matches("[data-all], input[name=id][type=checkbox]")) return;
  if (box.matches("[data-all]")) for (const row of ticked(box.form)) row.checked = box.checked;
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
