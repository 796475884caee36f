// What updates itself: regions follow what happens, and what goes on without news is looked at again.
import { $, all, base, idOf, parse } from "./dom.js";
import { begun, leftBehind, news, touched } from "./morph.js";
import { ended, swap, whenFresh } from "./page.js";
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
  if (reloading || $("dialog[open], details.menu[open], :popover-open")) return later(1000);
  reloading = true;
  const ids = [...waiting], at = pageOf(location), before = under;
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
    if (under !== before) return happened(["*"]); // it may be older than what was loaded meanwhile
    const gone = [403, 404].includes(answer.status); // then its page says so
    if (!answer.ok && !gone || at !== pageOf(location)) return;
    const cursor = document.activeElement;
    swap(page, [...ids, "side"], news);
    if (!cursor.isConnected) $("#main").focus({ preventScroll: true });
  } catch { /* the stream says when the service is back */ }
  finally { reloading = false; }
}

// follow opens the one stream of this browser: whoever holds the lock has it, the other tabs hear of it. A page that was loading while
// there were news asks for them: the stream by its age, another tab by when it was begun.
export function follow() {
  const channel = new BroadcastChannel("entrepot-live"), begun = performance.timeOrigin, age = Math.ceil(performance.now());
  let sent = []; // what was new in the last minutes, by this tab's stream
  const hear = topics => {
    sent = [...sent.filter(news => Date.now() - news.at < 600000), { at: Date.now(), topics }];
    happened(topics);
    channel.postMessage({ topics });
  };
  channel.onmessage = ({ data: { topics, since, to } }) => {
    if (since) for (const news of sent) { if (news.at > since - 1000) channel.postMessage({ topics: news.topics, to: since }); }
    else if (!to || to === begun) happened(topics);
  };
  channel.postMessage({ since: begun });
  let polling = 0;
  const poll = () => { polling ||= setInterval(() => hear(["*"]), 10000); };
  const open = () => new Promise(release => {
    const stream = new EventSource(base + "/live?age=" + age);
    let missed = false;
    stream.onopen = () => { clearInterval(polling); polling = 0; if (missed) hear(["*"]); missed = false; };
    stream.onmessage = event => hear(JSON.parse(event.data));
    stream.onerror = () => {
      missed = true;
      poll();
      if (stream.readyState === EventSource.CLOSED) setTimeout(() => release(), 30000);
    };
    addEventListener("pagehide", () => { stream.close(); release(); }, { once: true });
  });
  const take = () => navigator.locks.request("entrepot-live", open).then(take, poll);
  if (navigator.locks && window.EventSource) take(); else poll();
}

// Times grow old without news: what says "just now" is said anew each minute.
setInterval(() => { if ($("main time")) happened(["*"]); }, 60000);

document.addEventListener("visibilitychange", () => { if (!document.hidden) later(0); });
addEventListener("pageshow", event => { if (event.persisted) location.reload(); });
for (const kind of ["online", "offline"]) {
  addEventListener(kind, () => { const bar = $("#offline"); if (bar) bar.hidden = navigator.onLine; if (navigator.onLine) happened(["*"]); });
}

// A form that was left alone may be renewed once the cursor has left it.
addEventListener("focusout", event => {
  if (event.target.form && begun(event.target.form) || !leftBehind()) return;
  happened(["*"]);
});

let again = 0;
whenFresh(() => {
  clearTimeout(again);
  const running = $("[data-again]");
  if (running) again = setTimeout(() => { for (const id of running.dataset.again.split(" ")) waiting.add(id); later(0); }, 2000);
});
