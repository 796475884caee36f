// The keyboard: single keys, and what they stand for on a page.
import { $, all, base } from "./dom.js";
import { jump } from "./palette.js";

const places = { h: "/", o: "/orders", p: "/products", s: "/stock", c: "/customers", w: "/webhooks" };
let going = false; // g was pressed: the next key says where to, whenever it comes

const keysOff = () => { try { return localStorage.getItem("entrepot-keys") === "off"; } catch { return false; } };

addEventListener("keydown", event => {
  if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) return jump(event);
  if (event.key === "Escape") document.documentElement.dataset.tips = "off"; // full times, until the focus moves on
  if (event.key === "Escape") for (const menu of all("details.menu[open]")) { menu.open = false; $("summary", menu).focus(); }
  if (event.ctrlKey || event.metaKey || event.altKey || keysOff() || $("dialog[open]")) return;
  if (event.target.matches("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]")) return;
  if (press(event.key, event.target)) event.preventDefault();
});

addEventListener("pointerdown", () => { going = false; });
addEventListener("focusin", () => { delete document.documentElement.dataset.tips; });

// press does what a key stands for, and reports whether it stands for anything here.
function press(key, target) {
  const to = going && places[key];
  going = key === "g";
  if (to) {
    location.assign(base + to);
    return true;
  }
  switch (key) {
    case "/": { const input = $("main input[type=search]"); input?.select(); return !!input; }
    case "?": { const keys = $("#keys"); keys?.showModal(); return !!keys; }
    case "j": return row(target, 1);
    case "k": return row(target, -1);
    case "x": { const box = target.closest("tr")?.querySelector("input[type=checkbox]"); box?.click(); return !!box; }
    case "[": return follows("a[rel=prev]");
    case "]": return follows("a[rel=next]");
    case "s": { const el = $("main [data-key=s]"); if (el?.matches("a, button")) el.click(); else el?.focus(); return !!el; }
  }
  return false;
}

const follows = selector => { const link = $("main " + selector); link?.click(); return !!link; };

// row moves to the link of the next or the one before.
function row(target, step) {
  const links = all("main table.rows tbody a.hit");
  const now = links.findIndex(link => link.closest("tr") === target.closest("tr"));
  const link = links[now < 0 ? 0 : Math.min(Math.max(now + step, 0), links.length - 1)];
  link?.focus();
  return !!link;
}

addEventListener("change", event => {
  const box = event.target;
  if (box.matches("[data-keys]")) try { localStorage.setItem("entrepot-keys", box.checked ? "on" : "off"); } catch { /* no storage */ }
});
for (const box of all("[data-keys]")) box.checked = !keysOff();
