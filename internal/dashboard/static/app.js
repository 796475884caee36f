// The dashboard's script. Every page works without it; with it, parts of a page change in place, lists follow what happens, and the
// keyboard does more. The answer to every request is a whole page, of which the named elements are taken over.
import { $, all } from "./dom.js";
import { refused } from "./page.js";
import "./live.js";
import "./visit.js";
import "./keys.js";
import "./lists.js";
import "./scan.js";

for (const { parentElement: tabs, offsetLeft, offsetWidth } of all(".views [aria-current]")) {
  tabs.scrollLeft = offsetLeft + offsetWidth - tabs.clientWidth; // on a narrow screen, the tab of this page may be out of sight
}
// A dialog whose form was refused comes open; the cursor is in what was wrong, there or on the page.
for (const dialog of all("dialog[open]")) { dialog.close(); dialog.showModal(); }
if ($("[aria-invalid=true], main [role=alert]")) refused();
