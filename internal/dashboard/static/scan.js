// Scanners and pasted columns: a scanner types a number and Enter, a spreadsheet pastes one number a line.
import { $, all } from "./dom.js";

// further moves the cursor to the next row's input, and behind the last one to the button that ships.
function further(box) {
  const boxes = all("[data-scan]", box.form), next = boxes[boxes.indexOf(box) + 1] ?? $("#ship-all", box.form);
  next.focus();
  next.select?.();
}

addEventListener("keydown", event => {
  const box = event.target;
  if (event.key !== "Enter" || event.isComposing || !box.form || !box.matches("[data-sheet] input, .ship [name=carrier]")) return;
  event.preventDefault(); // nothing is shipped by an Enter that a scanner sent
  if (box.matches("[data-scan]")) further(box);
  else all("input:not([type=hidden]), button:not([tabindex])", box.form).find(el => box.compareDocumentPosition(el) & 4)?.focus();
});

addEventListener("paste", event => {
  const box = event.target.closest?.("[data-scan]"), lines = event.clipboardData.getData("text").trim().split(/\s*\n\s*/);
  if (!box || lines.length < 2) return;
  event.preventDefault();
  const boxes = all("[data-scan]", box.form), from = boxes.indexOf(box);
  for (const [at, line] of lines.slice(0, boxes.length - from).entries()) boxes[from + at].value = line;
  further(boxes[Math.min(from + lines.length, boxes.length) - 1]);
});
