package dashboard

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	permissions "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"entrepot/internal/accounts"
	"entrepot/internal/db/dbtest"
)

// chromium is started once for all tests of the package; each test has tabs with cookies of their own. The build without windows is
// preferred: it renders pages as the other does, for half the processor time.
var chromium = sync.OnceValues(func() (context.Context, error) {
	path := ""
	for _, name := range []string{"chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		return nil, fmt.Errorf("there is no Chromium: run make browser")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WindowSize(1440, 900))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ = chromedp.NewContext(ctx)
	dbtest.AtEnd(func() {
		end()
		chromedp.FromContext(ctx).Allocator.Wait() // its folder is removed
	})
	return ctx, chromedp.Do(ctx, chromedp.Navigate("about:blank"))
})

// window is a page in Chromium. Whatever the console, the policy or another host has to say fails the test.
type window struct {
	t   testing.TB
	s   *site
	ctx context.Context

	mu       sync.Mutex
	problems []string
	asked    []string // addresses of its requests
	news     []string // and of those for news, which come when they come, whatever a test does meanwhile
	leaving  leaving
	hosts    []string // others than the site's that it may call

	scriptless bool          // its pages run no script
	timeout    time.Duration // 0 for the usual one
}

// quiet lets the bounds of time count. Beside other work they say nothing of the service.
var quiet = flag.Bool("quiet", false, "nothing else runs on this machine: the stories' bounds of time count")

// within fails the test when something took longer than it may, on a machine that does nothing else.
func within(t *testing.T, what string, took, most time.Duration) {
	t.Helper()
	t.Logf("%s: %v", what, took.Round(time.Millisecond))
	if *quiet && took > most {
		t.Errorf("%s: %v, at most %v is wanted", what, took, most)
	}
}

// slow shows which test takes "not yet" for an answer: beside it, let other programs keep the processors busy.
var slow = flag.Float64("slow", 1, "how many times slower than this machine the pages run")

// window opens a page in which a user is logged in; of no user it has no session.
func (s *site) window(t testing.TB, user accounts.User) *window {
	t.Helper()
	dbtest.Long(t, "a browser")
	parent, err := chromium()
	if err != nil {
		t.Fatal(err)
	}
	b := &window{t: t, s: s}
	b.start(parent, chromedp.WithNewBrowserContext())
	if user.Email != "" {
		cookies := s.as(user).client.Jar.Cookies(mustURL(t, s.url+prefix+"/"))
		call(b, network.SetCookie, network.SetCookieParams{Name: cookies[0].Name, Value: cookies[0].Value, URL: s.url + prefix + "/"})
	}
	return b
}

// tab opens another page of the same browser, with the same cookies.
func (b *window) tab() *window {
	b.t.Helper()
	other := &window{t: b.t, s: b.s}
	own := chromedp.FromContext(b.ctx).BrowserContextID
	parent, _ := chromium()
	other.start(parent, chromedp.WithExistingBrowserContext(own))
	return other
}

// start opens the page, which believes to be in front of a person.
func (b *window) start(parent context.Context, in chromedp.ContextOption) {
	b.t.Helper()
	ctx, shut := chromedp.NewContext(parent, in, chromedp.WithListener(b.hear))
	b.t.Cleanup(func() {
		shut()
		b.check(b.t)
	})
	b.ctx = ctx
	b.do(chromedp.Navigate("about:blank"))
	if err := chromedp.Listen(ctx, b.follow); err != nil {
		b.t.Fatal(err)
	}
	b.inject(countAnswers)
	b.inject(keepMessages)
	call(b, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: *slow})
	call(b, log.Enable, cdp.Empty{})
	call(b, network.Enable, network.EnableParams{})
	call(b, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
}

// withoutScript opens a page in which no script runs.
func (s *site) withoutScript(t testing.TB, user accounts.User) *window {
	t.Helper()
	b := s.window(t, user)
	b.scriptless = true
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	return b
}

// call runs a command of the protocol.
func call[P, R any](b *window, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	out, err := chromedp.Call(b.ctx, command, params)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// hear collects messages that a page must not produce.
func (b *window) hear(ev any) {
	note := func(format string, args ...any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.problems = append(b.problems, fmt.Sprintf(format, args...))
	}
	switch ev := ev.(type) {
	case *runtime.EventExceptionThrown:
		note("exception: %s %s", ev.ExceptionDetails.Text, exception(ev.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		if ev.Type == "error" || ev.Type == "warning" {
			note("console.%s: %v", ev.Type, ev.Args)
		}
	case *log.EventEntryAdded:
		// The status of an answer is the page's own business: pages say 404 and 422.
		if e := ev.Entry; e.Level == "error" && !strings.HasPrefix(e.Text, "Failed to load resource: the server responded with a status of 4") {
			note("log: %s %s", e.Text, e.URL)
		}
	case *network.EventRequestWillBeSent:
		b.mu.Lock()
		if ev.Request.Headers["Entrepot-Live"] == nil {
			b.asked = append(b.asked, ev.Request.URL)
		} else {
			b.news = append(b.news, ev.Request.URL)
		}
		b.mu.Unlock()
		if at := ev.Request.URL; !b.mayCall(at) {
			note("a request to %s", at)
		}
	}
}

// asks gives the addresses of the requests since the last call that have a part, those for news left out.
func (b *window) asks(part string) []string { return b.taken(&b.asked, part) }

// asksForNews gives the addresses of the requests for news since the last call that have a part.
func (b *window) asksForNews(part string) []string { return b.taken(&b.news, part) }

func (b *window) taken(addresses *[]string, part string) (list []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, at := range *addresses {
		if strings.Contains(at, part) {
			list = append(list, at)
		}
	}
	*addresses = nil
	return list
}

func (b *window) mayCall(at string) bool {
	for _, host := range append(b.hosts, b.s.url, "data:", "about:blank") {
		if strings.HasPrefix(at, host) {
			return true
		}
	}
	return false
}

// complaints gives what the page complained about since the last check, for tests that expect some.
func (b *window) complaints() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := strings.Join(b.problems, "\n")
	b.problems = nil
	return list
}

func exception(d *runtime.ExceptionDetails) string {
	if d.Exception == nil {
		return ""
	}
	return d.Exception.Description
}

// check reports what the page complained about since the last check.
func (b *window) check(t testing.TB) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		t.Errorf("the page complains: %s", p)
	}
	b.problems = nil
}

// do runs steps in the page.
func (b *window) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatalf("%v\nthe page: %.600s", err, b.text())
	}
}

// run runs one step and gives what it finds.
func run[T any](b *window, step chromedp.Action[T]) T {
	b.t.Helper()
	out, err := chromedp.Run(b.ctx, step)
	if err != nil {
		b.t.Fatalf("%v\nthe page: %.600s", err, b.text())
	}
	return out
}

// text is what the page shows, for messages.
func (b *window) text() string {
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.body ? document.body.innerText : ''"))
	if err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(text), " ")
}

// open goes to a page; the path is below the prefix. What is not saved on the page before may be lost.
func (b *window) open(path string) {
	b.t.Helper()
	const disarm = "document.querySelectorAll('[data-guard]').forEach(form => { form.dataset.guard = '' })"
	_, _ = chromedp.Run(b.ctx, chromedp.Evaluate[any](disarm)) // before the first page there is nothing to lose
	b.do(chromedp.Navigate(b.s.url + prefix + path))
}

// path is where the page is, with its query.
func (b *window) path() string {
	u, err := url.Parse(run(b, chromedp.Location()))
	if err != nil {
		b.t.Fatal(err)
	}
	return u.RequestURI()
}

// pageTimeout is how long a page may take for what a test waits for. It bounds what never comes: slowness must not fail a test.
const pageTimeout = 3 * time.Minute

// until waits for an expression to be true, also over a change of pages.
func (b *window) until(expression string) {
	b.t.Helper()
	b.wait(func() bool { so, ok := settled[bool](b, "!!("+expression+")"); return ok && so }, expression)
}

// is reports whether an expression is true of the page, once it has settled.
func (b *window) is(expression string) (so bool) {
	b.t.Helper()
	b.wait(func() (ok bool) { so, ok = settled[bool](b, "!!("+expression+")"); return ok }, "the page has loaded")
	return so
}

// wait looks again and again, ever less often, until something is so; what names it.
func (b *window) wait(so func() bool, what string) {
	b.t.Helper()
	late := time.Now().Add(cmp.Or(b.timeout, pageTimeout))
	for pause := 2 * time.Millisecond; !so(); pause = min(2*pause, 32*time.Millisecond) {
		if time.Now().After(late) || b.ctx.Err() != nil {
			b.t.Fatalf("%s is not so after %v\nthe page: %.900s", what, cmp.Or(b.timeout, pageTimeout), b.text())
		}
		time.Sleep(pause)
	}
}

// shows waits for words to be on the page.
func (b *window) shows(words string) {
	b.t.Helper()
	b.until(fmt.Sprintf("document.body.innerText.includes(%q)", words))
}

// press clicks the button or link that has these words.
func (b *window) press(words string) {
	b.t.Helper()
	b.act(fmt.Sprintf("[...document.querySelectorAll('button, a')].find(e => "+
		"e.checkVisibility() && e.innerText.trim().replace(/\\s+/g, ' ') === %q)", words), "el.click()")
}

// focus puts the cursor into an element once it can be seen.
func (b *window) focus(css string) {
	b.t.Helper()
	b.act(fmt.Sprintf("document.querySelector(%q)", css), "el.focus()")
}

// fill types into an input, in the place of what it holds.
func (b *window) fill(css, text string) {
	b.t.Helper()
	b.act(fmt.Sprintf("document.querySelector(%q)", css), "el.focus(), el.select()")
	b.do(chromedp.KeyEvent(text))
}

// keys presses keys, wherever the cursor is, as a keyboard does: a key that the page takes for itself types nothing.
func (b *window) keys(text string) {
	b.t.Helper()
	b.settle()
	for _, r := range text {
		events := kb.Encode(r)
		if down := events[0]; len(events) == 3 { // down, its character, up: a character of its own would be typed in any case
			down.Text, down.UnmodifiedText = events[1].Text, events[1].UnmodifiedText
			events = slices.Delete(events, 1, 2)
		}
		for _, e := range events {
			call(b, input.DispatchKeyEvent, *e)
		}
	}
}

// allow grants the page a permission. Without windows nobody can be asked, so that there each must be granted.
func (b *window) allow(name string) {
	b.t.Helper()
	call(b, permissions.SetPermission, permissions.SetPermissionParams{Origin: b.s.url, Setting: permissions.PermissionSettingGranted,
		Permission: &permissions.PermissionDescriptor{Name: name}, BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID})
}

// clipboard is what was copied last.
func (b *window) clipboard() string {
	b.t.Helper()
	b.allow("clipboard-read")
	return run(b, chromedp.Evaluate[string]("navigator.clipboard.readText()", chromedp.EvalAwaitPromise))
}

// eval gives what an expression is, of a page that has settled.
func eval[T any](b *window, expression string) T {
	b.t.Helper()
	b.settle()
	return run(b, chromedp.Evaluate[T](expression))
}

// look sets the width, the colours and whether motion is wanted.
func (b *window) look(width int64, scheme string) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
	b.do(chromedp.EmulateViewport(width, 900))
}
