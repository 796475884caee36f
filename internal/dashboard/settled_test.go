package dashboard

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// leaving is how far a page is from being replaced by another one. What is read of it meanwhile is of the old one.
type leaving int

const (
	stays     leaving = iota
	requested         // by a click, a key or a script: reported before the answer to the command that caused it
	started           // the browser loads the other page, or a file, and then the page stays
)

// follow keeps up with the window's page: whether it is being left for another one.
func (b *window) follow(ev any) {
	main := func(frame cdp.FrameID) bool {
		return string(frame) == string(chromedp.FromContext(b.ctx).Target.TargetID)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch ev := ev.(type) {
	case *page.EventFrameRequestedNavigation:
		if main(ev.FrameID) && ev.Disposition == page.ClientNavigationDispositionCurrentTab {
			b.leaving = requested
		}
	case *page.EventFrameStartedNavigating:
		if main(ev.FrameID) && b.leaving == requested {
			b.leaving = started
		}
	case *page.EventFrameStoppedLoading: // that of the load before may come after the request
		if main(ev.FrameID) && b.leaving == started {
			b.leaving = stays
		}
	case *page.EventFrameNavigated:
		if ev.Frame.ParentID == "" {
			b.leaving = stays
		}
	case *page.EventNavigatedWithinDocument:
		if main(ev.FrameID) {
			b.leaving = stays
		}
	}
}

// countAnswers is a script that counts the answers, other than news, that a page waits for or has not shown yet.
const countAnswers = `{
	const ask = fetch;
	window.answersToCome = 0;
	window.fetch = async (url, options) => {
		if (options?.headers?.["Entrepot-Live"]) return ask(url, options);
		const done = () => setTimeout(() => answersToCome--); // what waited for it runs first
		let reading = false;
		answersToCome++;
		try {
			const answer = await ask(url, options), text = answer.text.bind(answer);
			answer.text = () => { reading = true; return text().finally(done); };
			setTimeout(() => reading || done());
			return answer;
		} catch (error) {
			done();
			throw error;
		}
	};
}`

// keepMessages is a script that lets messages stay, which else are gone after ten seconds: a test may look later.
const keepMessages = `{
	const stay = new CSSStyleSheet();
	stay.replaceSync(".toast { animation: none !important }");
	document.adoptedStyleSheets = [stay];
}`

// inject runs a script on every page that the window opens, before those of the page.
func (b *window) inject(script string) {
	b.t.Helper()
	call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
}

// hearNothing lets the window's pages hear of no news.
func (b *window) hearNothing() {
	b.t.Helper()
	b.inject("navigator.locks.request = () => new Promise(() => {})")
}

// loaded is true of a page that has loaded, runs its scripts and shows the answers to what was sent. Before, keys and clicks would be lost,
// or be about what was shown before.
const loaded = `document.readyState === "complete" && !window.answersToCome && !document.querySelector("form[data-busy]:not([data-file])")`

// settled is what an expression gives of a page that has loaded and is not being left. It reports whether the page was so.
func settled[T any](b *window, expression string) (out T, ok bool) {
	look := fmt.Sprintf("%s ? JSON.stringify({ is: (%s) }) : ''", loaded, expression)
	if b.scriptless { // what is injected does not run
		look = keepMessages + look
	}
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](look))
	if err != nil || text == "" || b.isLeft() {
		return out, false
	}
	var found struct{ Is T }
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return found.Is, true
}

// isLeft reports whether another page is about to take the place of the one that is shown.
func (b *window) isLeft() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.leaving != stays
}

// settle waits until the page has loaded, shows the answers to what was sent, and is not being left.
func (b *window) settle() {
	b.t.Helper()
	b.wait(func() bool { _, ok := settled[bool](b, "true"); return ok }, "the page has loaded")
}

// aim brings an element into view and gives the point to click; -1 while it cannot be seen or something lies over it. What comes between
// this look and the click, such as news by which the page grows, would have the click hit something else: then it hits nothing.
const aim = `(css => {
	const el = document.querySelector(css);
	if (!el?.checkVisibility()) return [-1, -1];
	el.scrollIntoViewIfNeeded();
	const ours = node => el.contains(node) || node.closest?.("label")?.control === el;
	const at = () => { const r = el.getClientRects()[0] ?? new DOMRect(); return [r.x + r.width / 2, r.y + r.height / 2]; };
	const clear = ([x, y]) => { const top = document.elementFromPoint(x, y); return top && ours(top); };
	if (!clear(at())) el.scrollIntoView({ block: "center", behavior: "instant" });
	if (!clear(at())) return [-1, -1];
	window.clickHit = false;
	const kinds = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"], check = event => {
		if (event.type === "pointerdown") missed = !ours(event.target);
		if (missed) { event.preventDefault(); event.stopImmediatePropagation(); }
		if (event.type !== "click") return;
		if (!ours(event.target)) { // replaced meanwhile
			missed = true;
			event.preventDefault();
			event.stopImmediatePropagation();
		}
		window.clickHit = !missed;
		for (const kind of kinds) removeEventListener(kind, check, true);
	};
	let missed = false;
	window.stopAiming?.();
	window.stopAiming = () => { for (const kind of kinds) removeEventListener(kind, check, true); };
	for (const kind of kinds) addEventListener(kind, check, true);
	return at();
})`

// click clicks an element with the mouse once it can be seen and nothing lies over it.
func (b *window) click(css string) {
	b.t.Helper()
	b.wait(func() bool {
		at, ok := settled[[2]float64](b, fmt.Sprintf("%s(%q)", aim, css))
		if !ok || at[0] < 0 {
			return false
		}
		for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
			call(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: at[0], Y: at[1],
				Button: input.MouseButtonLeft, ClickCount: 1})
		}
		missed, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("window.clickHit === false"))
		return err != nil || !missed || b.scriptless // a page that is left has been clicked
	}, css+" is clicked")
}

// act runs a statement on an element of a page, in one step with finding it.
func (b *window) act(find, do string) {
	b.t.Helper()
	b.wait(func() bool {
		if b.isLeft() {
			return false
		}
		done, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](
			fmt.Sprintf("%s && (el => el?.checkVisibility() ? (%s, true) : false)(%s)", loaded, do, find)))
		return err == nil && done // by now the page may be left, because of what was done
	}, find+" can be seen")
}

// However late a test looks, it finds the message of what was done, with scripts and without. For people it is gone after ten seconds.
func TestMessagesWaitForTests(t *testing.T) {
	s := newSite(t, "sqlite")
	for _, b := range []*window{s.window(t, s.owner), s.withoutScript(t, s.owner)} {
		b.open("/segments")
		b.fill("[name=name]", "Everybody")
		b.press("Create")
		b.until("document.querySelector('.toast')")
		b.do(chromedp.Evaluate[chromedp.Void]("document.querySelector('.toast').getAnimations().forEach(a => a.finish())"))
		b.shows("Created the segment")
	}
}
