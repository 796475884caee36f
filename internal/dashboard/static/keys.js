// The keyboard: single keys, what they stand for on a page, and the palette.
import { $, all, base, plain } from "./dom.js";
import { aside } from "./visit.js";

const places = { h: "/", o: "/orders", p: "/products", s: "/stock", c: "/customers", w: "/webhooks" };
const things = { "/": "main input[type=search]", "?": "[commandfor=shortcuts]", "[": "main a[rel=prev]", "]": "main a[rel=next]",
  s: "main .ship [name=trackingNumber]", x: "tr:focus-within input[type=checkbox]" };
let going = false; // g was pressed: the next key says where to, whenever it comes
const keysOff = () => { try { return localStorage.getItem("entrepot-keys") === "off"; } catch { return false; } };

addEventListener("keydown", event => {
  if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) return jump(event);
  if (event.key === "Escape") document.documentElement.dataset.tips = "off"; // full times, until the focus moves on
  if (event.ctrlKey || event.metaKey || event.altKey || keysOff() || $("dialog[open]")) return;
  if (event.target.matches("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]")) return;
  if (press(event.key, event.target)) event.preventDefault();
});

addEventListener("pointerdown", () => { going = false; });
addEventListener("click", event => { if (event.target.closest("[data-jump]") && plain(event)) jump(event); });
addEventListener("focusin", () => { delete document.documentElement.dataset.tips; });

// press does what a key stands for, and reports whether it stands for anything here.
function press(key, target) {
  const place = going && places[key], step = { j: 1, k: -1 }[key], thing = place ? `#side [href="${base}${place}"]` : things[key];
  going = key === "g";
  const el = step ? row(target, step) : thing && $(thing);
  if (!step && el?.matches("a, button, [type=checkbox]")) el.click();
  else el?.focus();
  if (key === "/") el?.select();
  return !!el;
}

// row is the link of the next row or of the one before.
function row(target, step) {
  const links = all("main table.rows tbody a.hit");
  const now = links.findIndex(link => link.closest("tr") === target.closest("tr"));
  return links[now < 0 ? 0 : Math.min(Math.max(now + step, 0), links.length - 1)];
}

for (const box of all("[data-keys]")) {
  box.checked = !keysOff();
  box.onchange = () => { try { localStorage.setItem("entrepot-keys", box.checked ? "on" : "off"); } catch { /* no storage */ } };
}

const palette = $("#palette"), term = $("#palette input");
// jump opens the palette: what the page /search finds, as it is typed.
function jump(event) {
  if (!palette || $("dialog[open]")) return;
  event.preventDefault();
  palette.showModal();
  term.select();
  aside(term.form);
}

palette?.addEventListener("keydown", event => {
  const stops = [term, ...all("a", palette)], at = stops.indexOf(document.activeElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || at < 0) return;
  stops[(at + step + stops.length) % stops.length].focus();
  event.preventDefault();
});
