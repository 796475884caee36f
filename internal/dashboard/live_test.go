package dashboard

import (
	"bufio"
	"encoding/json"
	"io/fs"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"entrepot/internal/base/patch"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/limits"
	"entrepot/internal/webhooks"
)

// stream opens the live stream of a page that took minutes, and gives its lines: all that happened in a test.
func (b *browser) stream(d *site) chan string { return b.streamAt(d, "/live?age=600000") }

// streamAt is stream at an address.
func (b *browser) streamAt(d *site, path string) chan string {
	b.s.t.Helper()
	request, err := http.NewRequestWithContext(b.s.t.Context(), "GET", d.url+prefix+path, nil)
	if err != nil {
		b.s.t.Fatal(err)
	}
	response, err := (&http.Client{Jar: b.client.Jar}).Do(request)
	if err != nil {
		b.s.t.Fatal(err)
	}
	if got := response.Header.Get("Content-Type"); got != "text/event-stream" {
		b.s.t.Fatalf("%d %s", response.StatusCode, got)
	}
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		defer response.Body.Close()
		for scan := bufio.NewScanner(response.Body); scan.Scan(); {
			if scan.Text() != "" {
				lines <- scan.Text()
			}
		}
	}()
	if first := <-lines; !strings.HasPrefix(first, "retry:") {
		b.s.t.Fatalf("the stream begins with %q", first)
	}
	return lines
}

// hears waits for a line of a stream. One with some of its topics may come before.
func hears(t *testing.T, lines chan string, want string) {
	t.Helper()
	topics := func(line string) (list []string) {
		if err := json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &list); err != nil {
			t.Fatalf("news: %q: %v", line, err)
		}
		return list
	}
	for late := time.After(pageTimeout); ; {
		select {
		case line := <-lines:
			if line == want {
				return
			}
			for _, topic := range topics(line) {
				if !slices.Contains(topics(want), topic) {
					t.Fatalf("news: %q, not %q", line, want)
				}
			}
		case <-late:
			t.Fatalf("no %q within %s", want, pageTimeout)
		}
	}
}

// A page that is being left asks for its stream when the session has ended already: it gets none, and no page in its place.
func TestStreamWithoutASession(t *testing.T) {
	s := newSite(t, "sqlite")
	request, err := http.NewRequestWithContext(t.Context(), "GET", s.url+prefix+"/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "text/event-stream") // as every browser does
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusNoContent {
		t.Errorf("%d %v", response.StatusCode, response.Header)
	}
}

// An open page is notified of changes in its account only; the stream ends when the service does.
func TestStreamNamesTheTopics(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		other, stranger := s.newAccount("Stranger", "stranger@test.example")
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			_, err := s.Commerce.CreateCategory(tx, catalog.CategoryDraft{Name: patch.Field[string]{Set: true, Value: "Garden"}})
			return err
		})
		// A change before the first page follows, perhaps after the page was read: the first stream reports it, and so
		// does one that joins later.
		theirs := s.as(stranger).stream(s)
		mine := s.as(s.owner).stream(s)
		hears(t, mine, `data: ["account","category","user"]`)
		hears(t, theirs, `data: ["account","user"]`) // that it was made
		second := s.as(s.owner).stream(s)
		hears(t, second, `data: ["account","category","user"]`)
		select {
		case line := <-theirs:
			t.Errorf("account %d hears of another's: %s", other.Tenant, line)
		default:
		}
		s.Drain()
		for range mine {
		}
		for range theirs {
		}
		s.ended = make(chan struct{}) // the site drains once more when the test ends
	})
}

// What was new while a page was loading, however long that took, comes with its stream; what was new before does not.
func TestStreamOfAPageThatLoadedSlowly(t *testing.T) {
	var later atomic.Int64
	began := time.Now()
	s := newSiteOn(t, "sqlite", func(c *db.Config) { c.Now = func() time.Time { return began.Add(time.Duration(later.Load())) } })
	s.shopper(t).call("POST", "/categories", map[string]any{"name": "Garden"})
	later.Store(int64(time.Minute))
	s.shopper(t).call("POST", "/attributes", map[string]any{"code": "care", "label": "Care", "type": "text"})
	hears(t, s.as(s.owner).streamAt(s, "/live?age=x"), `data: ["attribute","user"]`)
	hears(t, s.as(s.owner).streamAt(s, "/live?age=61000"), `data: ["account","attribute","category","user"]`)
}

// What is new while another page of the same browser loads is on that page, too.
func TestNewsWhileAPageLoads(t *testing.T) {
	s := newSite(t, "sqlite")
	c := s.shopper(t)
	c.articles()
	c.order("PENDING", nil, 1)
	const rows = "document.querySelectorAll('#orders tbody tr').length === "
	first := s.window(t, s.owner)
	first.open("/orders")
	second := first.tab()
	paused := make(chan fetch.RequestID, 10)
	if err := chromedp.Listen(second.ctx, func(ev any) {
		if ev, ok := ev.(*fetch.EventRequestPaused); ok {
			paused <- ev.RequestID
		}
	}); err != nil {
		t.Fatal(err)
	}
	call(second, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*/live*.js"}}})
	call(second, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	call(second, page.Navigate, page.NavigateParams{URL: s.url + prefix + "/orders"})
	script := <-paused // the page is there, and its script is on the way
	c.order("PENDING", nil, 1)
	first.until(rows + "2")
	call(second, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: script})
	second.until(rows + "2")
}

// Regions follow topics that the stream sends: another word would never update them.
func TestRegionsFollowTopicsThatAreSent(t *testing.T) {
	sent := append([]string{"delivery", "import"}, auditTopics...)
	for _, name := range webhooks.EventNames {
		topic, _, _ := strings.Cut(name, ".")
		sent = append(sent, topic)
	}
	list, err := fs.Glob(embedded, "templates/*.html")
	if err != nil || len(list) == 0 {
		t.Fatal(err)
	}
	for _, path := range list {
		text, err := fs.ReadFile(embedded, path)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`data-topic="([^"]*)"`).FindAllStringSubmatch(string(text), -1) {
			for _, topic := range strings.Fields(found[1]) {
				if !slices.Contains(sent, topic) {
					t.Errorf("%s: no stream sends %s", path, topic)
				}
			}
		}
	}
}

// A job that ends without an event, because every order was refused, is seen to end by who watches it.
func TestTheEndOfAJobIsSeen(t *testing.T) {
	s := newSite(t, "sqlite")
	s.seed()
	job := s.samples["/jobs"]
	set := func(to string) {
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			_, err := tx.Exec("UPDATE jobs SET "+to+" WHERE tenant_id = $1 AND id = $2::UUID", tx.Tenant, job)
			return err
		})
	}
	b := s.window(t, s.owner)
	for _, path := range []string{"/orders/bulk/" + job, "/jobs/" + job} {
		set("status = 'PROCESSING', completed_at = NULL")
		b.open(path)
		b.shows("Running")
		set("status = 'COMPLETED_WITH_ERRORS', completed_at = created_at")
		b.until("!document.querySelector('main').innerText.includes('Running')")
	}
}

// A session keeps so many pages up to date, and no more: each stream holds a connection (interface §8). One that ends makes room.
func TestStreamsOfASessionAreBounded(t *testing.T) {
	ws := newWatchers(&Dashboard{Config: Config{Look: time.Hour}})
	ws.accounts[1] = &watcher{streams: map[chan []string]bool{}, stop: func() {}} // nobody looks
	var leave []func()
	for range limits.MaxStreams {
		topics, end := ws.watch(1, "ds_one", 0)
		if topics == nil {
			t.Fatal("refused too early")
		}
		leave = append(leave, end)
	}
	if topics, _ := ws.watch(1, "ds_one", 0); topics != nil {
		t.Error("one more was taken")
	}
	other, end := ws.watch(1, "ds_two", 0)
	if other == nil {
		t.Fatal("another session was refused")
	}
	end()
	leave[0]()
	if topics, end := ws.watch(1, "ds_one", 0); topics == nil {
		t.Error("none was taken after one had ended")
	} else {
		end()
	}
	for _, end := range leave[1:] {
		end()
	}
	if len(ws.open)+len(ws.accounts) > 0 {
		t.Errorf("left over: %v %v", ws.open, ws.accounts)
	}
}

func TestOneStreamTooManyIsRefused(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		session := b.client.Jar.Cookies(mustURL(t, s.url+prefix+"/"))[0].Value
		s.watchers.mu.Lock()
		s.watchers.open[session] = limits.MaxStreams
		s.watchers.mu.Unlock()
		if out := b.get("/live"); out.status != 429 || out.header.Get("Retry-After") == "" {
			t.Errorf("%d %v", out.status, out.header)
		}
	})
}
