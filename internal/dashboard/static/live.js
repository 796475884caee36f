// What updates itself: regions follow what happens, and what goes on without news is looked at again.
import { $, all, base, idOf, parse } from "./dom.js";
import { begun, news, touched } from "./morph.js";
import { ended, swap } from "./page.js";
import { pageOf, under } from "./visit.js";

const waiting = new Set();
let reloading = false, soon = 0;

// happened notes which regions follow a topic that has news; "*" is every topic.
function happened(topics) {
  for (const el of all("[data-topic][id]")) {
    if (topics.includes("*") || el.dataset.topic.split(/\s+/).some(topic => topics.includes(topic))) waiting.add(idOf(el));
  }
  if (waiting.size) later(300);
}

const later = wait => { clearTimeout(soon); soon = setTimeout(refresh, wait); };

async function refresh() {
  if (document.hidden || !waiting.size) return;
  if (reloading || $("dialog[open], :popover-open")) return later(1000);
  reloading = true;
  const ids = [...waiting], at = pageOf(location), before = under.page;
  const from = ids.every(id => id === "side") ? $("#side").dataset.from : at; // the counts alone need not all of the page
  waiting.clear();
  try {
    const answer = await fetch(from, { headers: { Accept: "text/html", "Entrepot-Live": "1" } });
    const page = parse(await answer.text()), side = page.getElementById("side");
    if (side?.dataset.account !== $("#side").dataset.account) { // the page to log in, or one of another account
      if (answer.ok || side) all("main input, main textarea, main select").some(touched) ? ended(true) : location.reload();
      return;
    }
    ended(false);
    if (from !== at) page.title = document.title;
    if (under.page !== before) return happened(["*"]); // it may be older than what was loaded meanwhile
    if (!answer.ok && ![403, 404].includes(answer.status) || at !== pageOf(location)) return; // what is gone has a page that says so
    const cursor = document.activeElement;
    swap(page, [...ids, "side"], news);
    if (!cursor.isConnected) $("#main").focus({ preventScroll: true });
  } catch { /* the stream says when the service is back */ }
  finally { reloading = false; }
}

// One stream serves this browser: whoever holds the lock has it, the other tabs hear of it. A page that was loading while there were news
// asks for them: the stream by its age, another tab by when it was begun. Without the stream, all is asked for every 10 s.
const channel = new BroadcastChannel("entrepot-live"), born = performance.timeOrigin, age = Math.ceil(performance.now());
let last = 0, missed = !navigator.locks || !window.EventSource; // when this tab's stream had news, and whether it misses some
function hear(topics) {
  last = Date.now();
  happened(topics);
  channel.postMessage({ topics });
}
channel.onmessage = ({ data: { topics, since, to } }) => {
  if (topics && (!to || to === born)) happened(topics);
  if (last > since - 1000) channel.postMessage({ topics: ["*"], to: since });
};
channel.postMessage({ since: born });
const open = () => new Promise(release => {
  const stream = new EventSource(base + "/live?age=" + age);
  stream.onopen = () => { if (missed) hear(["*"]); missed = false; };
  stream.onmessage = event => hear(JSON.parse(event.data));
  stream.onerror = () => {
    missed = true;
    if (stream.readyState === EventSource.CLOSED) setTimeout(release, 30000);
  };
  addEventListener("pagehide", () => { stream.close(); release(); }, { once: true });
});
const take = () => navigator.locks.request("entrepot-live", open).then(take, () => { missed = true; });
setInterval(() => { if (missed) hear(["*"]); }, 10000);
if ($("[data-topic]") && !missed) take();

// Times grow old without news: what says "just now" is said anew each minute.
setInterval(() => { if ($("main time")) happened(["*"]); }, 60000);

document.addEventListener("visibilitychange", () => { if (!document.hidden) later(0); });
addEventListener("pageshow", event => { if (event.persisted) location.reload(); });
for (const kind of ["online", "offline"]) addEventListener(kind, () => {
  for (const bar of all("#offline")) bar.hidden = navigator.onLine;
  happened(["*"]);
});

// A form that was left alone may be renewed once the cursor has left it.
addEventListener("focusout", event => {
  if (event.target.form && begun(event.target.form) || !news.behind) return;
  news.behind = false;
  happened(["*"]);
});

// Work that goes on without news.
setInterval(() => {
  for (const id of $("[data-again]")?.dataset.again.split(" ") ?? []) waiting.add(id);
  later(0);
}, 2000);
