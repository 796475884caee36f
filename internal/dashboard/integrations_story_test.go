package dashboard

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/base/netguard"
	"entrepot/internal/webhooks"
	"entrepot/internal/worker"
)

// deliver runs a worker that attempts what fails twice more at once, and then after an hour.
func (s *site) deliver(t *testing.T) {
	t.Helper()
	w, err := worker.Start(t.Context(), worker.Config{DB: s.DB, Commerce: s.Commerce, Guard: &netguard.Guard{Dev: true}, Version: "test",
		Retries: webhooks.Schedule{10 * time.Millisecond, 10 * time.Millisecond, time.Hour}, Poll: 50 * time.Millisecond,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		if err := w.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
}

// A failing endpoint appears under "needs attention" on an open overview, and in an open list; its delivery shows the
// reason; once it is repaired, one click delivers everything that waits, and a replay counts the events.
func TestStoryOfAFailingEndpoint(t *testing.T) {
	nodes(t, func(t *testing.T, here, there *site) {
		there.deliver(t)
		var works atomic.Bool
		var got, failed atomic.Int64
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if !works.Load() {
				failed.Store(time.Now().UnixNano())
				w.WriteHeader(http.StatusInternalServerError)
				_ = json.NewEncoder(w).Encode(map[string]string{"error": "connection refused"})
				return
			}
			got.Add(1)
		}))
		defer receiver.Close()
		before := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
		page, _ := here.as(here.owner).endpoint(t, receiver.URL)
		overview, b := here.window(t, here.owner), here.window(t, here.owner)
		overview.open("/")
		b.open("/webhooks")
		b.shows("no attempts yet")
		there.customerEvent(t, "ada@test.example")
		there.customerEvent(t, "bob@test.example")
		b.shows("Failing")
		b.shows("0 of 6 attempts answered 2xx")
		overview.shows("None of the last 6 attempts succeeded; 2 deliveries wait")
		within(t, "from the last attempt to the overview", time.Since(time.Unix(0, failed.Load())), 5*time.Second)
		b.open("/webhooks/deliveries?status=pending")
		b.click("tbody a.hit")
		b.shows("Your endpoint failed while it handled the event.")
		b.shows("connection refused")
		b.until(`/in 5\d min/.test(document.body.innerText)`)
		works.Store(true)
		b.press("Retry all 2")
		b.shows("2 deliveries are attempted now")
		b.open("/webhooks")
		b.until(`document.querySelector("tbody tr td.num").textContent === "0"`)
		if got.Load() != 2 {
			t.Errorf("%d deliveries came, not 2", got.Load())
		}
		overview.until("!document.body.innerText.includes('None of the last')")
		b.open(strings.Replace(page, "/webhooks/", "/webhooks/replay/", 1) + "?from=" + url.QueryEscape(before))
		b.shows("Send 2 deliveries again")
		b.press("Send 2 deliveries again")
		b.shows("2 deliveries are queued again")
		b.open("/webhooks")
		b.until(`document.querySelector("tbody tr td.num").textContent === "0"`)
		if got.Load() != 4 {
			t.Errorf("%d deliveries came, not 4", got.Load())
		}
	})
}

// What is chosen of the deliveries decides what can be retried: the button is that of the list.
func TestRetryOfTheListThatIsShown(t *testing.T) {
	s := newSite(t, "sqlite")
	owner, second := s.as(s.owner), ""
	for range 2 {
		page, _ := owner.endpoint(t, "http://127.0.0.1:9/hooks")
		for _, state := range []webhooks.State{webhooks.Failed, webhooks.Pending} {
			s.settled(t, owner, page, state, webhooks.Attempt{StatusCode: 500, Error: "HTTP 500"})
		}
		second = strings.TrimPrefix(page, "/webhooks/")
	}
	b := s.window(t, s.owner)
	b.open("/webhooks/deliveries?status=failed")
	b.shows("Retry all failed")
	choose := func(name, value string) {
		b.click(fmt.Sprintf(`[popovertarget="m-%s"]`, name))
		b.click(fmt.Sprintf(`#m-%s a[href*="%s=%s"]`, name, name, value))
	}
	choose("endpointId", second)
	b.until(fmt.Sprintf("document.querySelector('main form[method=post] [name=endpointId]').value === %q", second))
	choose("status", "pending")
	b.shows("Retry all waiting now")
	choose("status", "delivered")
	b.until("!document.querySelector('main form[method=post]')")
}
