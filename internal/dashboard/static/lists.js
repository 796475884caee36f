// What lists and files need: ticked rows, a file that is dropped, a branch of a tree that is dragged.
import { $, all, base } from "./dom.js";
import { whenFresh } from "./page.js";

const boxes = form => [...form.elements].filter(box => box.matches("input[name=id][type=checkbox]"));

let at = "", before = []; // the list, and its rows in their order, each with whether it is ticked and what it adds to the sum
const further = new Map(); // ticked rows that newer ones have pushed to the next page, with what they add
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
    for (const [id, on, adds] of before.slice(last + 1)) if (on) further.set(id, adds);
  }
  for (const row of rows) if (further.delete(row.value)) row.checked = true;
  before = rows.map(row => [row.value, row.checked, { ...row.dataset }]);
}

// sumOf is what orders come to, by currency, and how many of their units are to ship. Amounts are decimal numbers of at most four places, too
// large together for the script's own numbers.
function sumOf(orders, { children, dataset }) {
  const money = [...children].filter(el => el.matches("data")).map(({ value, textContent }) => {
    const amounts = orders.filter(order => order.in === value).map(order => order.sum.split("."));
    if (amounts.length === 0) return "";
    const places = Math.max(...amounts.map(([, part = ""]) => part.length));
    const sum = String(amounts.reduce((sum, [whole, part = ""]) => sum + BigInt(whole + part.padEnd(places, "0")), 0n)).padStart(places + 1, "0");
    let whole = sum.slice(0, sum.length - places), size = +dataset.first;
    const groups = [];
    for (; whole.length > size; size = +dataset.rest) {
      groups.unshift(whole.slice(-size));
      whole = whole.slice(0, -size);
    }
    const number = [whole, ...groups].join(dataset.group) + (places ? dataset.decimal + sum.slice(-places) : "");
    return textContent.replace("#", () => number);
  }).filter(words => words);
  const units = orders.reduce((sum, order) => sum + +order.left, 0);
  return [money.join(" + "), units ? units + (units === 1 ? " unit" : " units") + " to ship" : ""].filter(words => words).join(", ");
}

// ticks shows how many rows are ticked. What is done with them is there only while some are, so that it is about what was seen.
function ticks() {
  for (const form of all("form[data-bulk]")) {
    const rows = boxes(form);
    remember(rows);
    for (const el of all("[data-further]", form)) el.remove();
    for (const id of further.keys()) {
      const kept = document.createElement("input");
      Object.assign(kept, { type: "hidden", name: "id", value: id }).dataset.further = "";
      form.append(kept);
    }
    const here = rows.filter(row => row.checked).length, n = here + further.size;
    form.hidden = n === 0;
    if (n === 0) form.elements.all.checked = false;
    const whole = form.elements.all.checked;
    for (const el of all("[data-ticked]", form)) {
      el.textContent = whole ? "All " + form.elements.all.dataset.of + " selected" : n + " selected" + (further.size ? ", " + further.size + " on the next page" : "");
    }
    for (const el of all("[data-sums]", form)) {
      el.lastElementChild.textContent = whole ? "" : sumOf([...rows.filter(row => row.checked).map(row => row.dataset), ...further.values()], el);
    }
    for (const el of form.elements) if (el.matches("[data-all]")) Object.assign(el, { checked: here > 0 && here === rows.length,
      indeterminate: n > 0 && here < rows.length });
  }
}
whenFresh(ticks);

addEventListener("input", event => {
  const box = event.target;
  if (!box.matches("[data-all], input[name=id][type=checkbox], [data-bulk] [name=all]")) return;
  if (box.matches("[data-all]")) {
    for (const row of boxes(box.form)) row.checked = box.checked;
    if (!box.checked) further.clear();
  }
  ticks();
});

// Nothing is selected any more: the cursor goes back to where the last row was ticked.
addEventListener("reset", event => {
  if (!event.target.matches("form[data-bulk]")) return;
  const last = boxes(event.target).findLast(row => row.checked);
  setTimeout(() => {
    further.clear();
    ticks();
    last?.focus();
  });
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
