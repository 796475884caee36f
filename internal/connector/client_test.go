package connector_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/netguard"
)

// clock is a clock that only sleeping moves.
type clock struct {
	now   time.Time
	slept []time.Duration
}

func (c *clock) sleep(_ context.Context, d time.Duration) error {
	c.now, c.slept = c.now.Add(d), append(c.slept, d)
	return nil
}

func newClient(t *testing.T, guard *netguard.Guard, limits ...connector.Limit) (*connector.Client, *clock) {
	t.Helper()
	c := &clock{now: time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)}
	return connector.NewClients(guard, "entrepot/test").Timed(func() time.Time { return c.now }, c.sleep).Client("channel", limits), c
}

func send(t *testing.T, client *connector.Client, ctx context.Context, method, address string) (*connector.Response, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader("body"))
	if err != nil {
		t.Fatal(err)
	}
	return client.Do(r)
}

// A request that reads is repeated when its answer is lost, one that writes only when it says that this is harmless.
func TestRepeats(t *testing.T) {
	for _, c := range []struct {
		method     string
		repeatable bool
		status     int
		want       int64
	}{
		{"GET", false, 503, 3}, {"GET", false, 429, 3}, {"GET", false, 502, 3}, {"GET", false, 500, 3}, {"GET", false, 404, 1},
		{"POST", false, 503, 1}, {"POST", false, 500, 1}, {"PUT", false, 502, 1}, {"POST", false, 429, 3},
		{"PUT", true, 502, 3}, {"POST", true, 500, 3}, {"POST", true, 404, 1},
	} {
		t.Run(fmt.Sprint(c.method, c.repeatable, c.status), func(t *testing.T) {
			var calls atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				w.WriteHeader(c.status)
			}))
			defer server.Close()
			client, _ := newClient(t, &netguard.Guard{Dev: true})
			ctx := t.Context()
			if c.repeatable {
				ctx = connector.Repeatable(ctx)
			}
			answer, err := send(t, client, ctx, c.method, server.URL)
			if err != nil || answer.Status != c.status || calls.Load() != c.want {
				t.Errorf("%v %v after %d calls, want %d", answer, err, calls.Load(), c.want)
			}
		})
	}
}

// Retry-After holds back the whole channel: a short one is waited for, a long one ends the call without another request.
func TestRetryAfter(t *testing.T) {
	var calls atomic.Int64
	after := "7"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1); after != "" {
			w.Header().Set("Retry-After", after)
			w.WriteHeader(http.StatusTooManyRequests)
			after = ""
		}
	}))
	defer server.Close()
	client, clock := newClient(t, &netguard.Guard{Dev: true})
	if answer, err := send(t, client, t.Context(), "GET", server.URL); err != nil || answer.Status != 200 || calls.Load() != 2 {
		t.Errorf("%v %v after %d calls", answer, err, calls.Load())
	}
	if len(clock.slept) == 0 || clock.slept[0] != 7*time.Second {
		t.Errorf("waited %v, want 7s", clock.slept)
	}
	after = "600"
	answer, err := send(t, client, t.Context(), "GET", server.URL)
	if err != nil || answer.Status != 429 {
		t.Errorf("%v %v", answer, err)
	}
	before := calls.Load()
	_, err = send(t, client, t.Context(), "GET", server.URL)
	if f := connector.FailureOf(err); f == nil || f.Kind != connector.Throttled || f.After != 600*time.Second || calls.Load() != before {
		t.Errorf("during the wait: %v after %d further calls", err, calls.Load()-before)
	}
}

// The time to wait may have decimals, as Shopify writes it, and never counts as more than an hour.
func TestFormsOfRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{"": 0, "2": 2 * time.Second, "2.5": 2500 * time.Millisecond, "-3": 0, "NaN": 0, "soon": 0,
		"99999999999999999999": time.Hour, "Sun, 22 Nov 2026 10:00:30 GMT": 30 * time.Second} {
		answer := connector.Response{Header: http.Header{"Retry-After": {text}}}
		if got := answer.RetryAfter(now); got != want {
			t.Errorf("%q: %v, not %v", text, got, want)
		}
	}
}

// A bucket lets its burst through and then one request each time.
func TestLimits(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	client, clock := newClient(t, &netguard.Guard{Dev: true}, connector.Limit{Every: time.Second, Burst: 3},
		connector.Limit{Name: "orders", Every: time.Minute, Burst: 1})
	for range 5 {
		if _, err := send(t, client, t.Context(), "GET", server.URL); err != nil {
			t.Fatal(err)
		}
	}
	if len(clock.slept) != 2 {
		t.Errorf("waited %v, want twice", clock.slept)
	}
	orders := connector.Within(t.Context(), "orders")
	for range 2 {
		if _, err := send(t, client, orders, "GET", server.URL); err != nil {
			t.Fatal(err)
		}
	}
	if last := clock.slept[len(clock.slept)-1]; last < 59*time.Second {
		t.Errorf("waited %v for the second of the slow bucket, want a minute", last)
	}
}

// What a hostile address can do: redirect to a private place, answer without end, say nothing; credentials and the URL's query stay out
// of the message.
func TestHostileAddresses(t *testing.T) {
	var reached atomic.Int64
	inner := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached.Add(1) }))
	defer inner.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, inner.URL+"/latest/meta-data?x=1", http.StatusFound)
		case "/endless":
			piece := []byte(strings.Repeat("x", 1<<20))
			for range 20 {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		case "/hang":
			_, _ = io.Copy(io.Discard, r.Body) // only then is it noticed that the caller has hung up
			<-r.Context().Done()
		}
	}))
	defer server.Close()
	open, strict := &netguard.Guard{Dev: true}, &netguard.Guard{}
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	for _, c := range []struct {
		guard *netguard.Guard
		path  string
		ctx   context.Context
		kind  connector.Kind
	}{
		{open, "/redirect", t.Context(), connector.Rejected},
		{open, "/endless", t.Context(), connector.Rejected},
		{open, "/hang", short, connector.Temporary},
		{strict, "/any", t.Context(), connector.Refused},
	} {
		client, _ := newClient(t, c.guard)
		_, err := send(t, client, c.ctx, "POST", server.URL+c.path+"?consumer_secret=cs_hidden")
		f := connector.FailureOf(err)
		if f == nil || f.Kind != c.kind {
			t.Errorf("%s: %v, want %s", c.path, err, c.kind)
		}
		if f != nil && strings.Contains(f.Error()+fmt.Sprint(f.Err), "cs_hidden") {
			t.Errorf("%s: the failure shows the secret: %v, %v", c.path, f, f.Err)
		}
	}
	if reached.Load() != 0 {
		t.Error("a redirect was followed")
	}
}

func TestDecodeAnswer(t *testing.T) {
	for body, want := range map[string]string{
		`{"a":"x"}`: "x",
		"<br />\n<b>Warning</b>: Undefined array key [3] in {closure} on line <b>12</b><br />\n{\"a\":\"x\"}": "x",
		"\ufeff {\"a\":\"x\"}\n": "x",
	} {
		var got struct{ A string }
		if err := connector.DecodeAnswer(&connector.Response{Body: []byte(body)}, &got); err != nil || got.A != want {
			t.Errorf("%q: %v %v", body, got, err)
		}
	}
	for _, body := range []string{"", "<html>[x]</html>", "{", `[1,2`, "\xff\xfe"} {
		var got any
		err := connector.DecodeAnswer(&connector.Response{Body: []byte(body)}, &got)
		var f *connector.Failure
		if !errors.As(err, &f) || f.Kind != connector.Temporary {
			t.Errorf("%q: %v", body, err)
		}
	}
	if got := connector.Line("<p>There has been a <b>critical</b> error.</p>\nMore"); got != "There has been a critical error. More" {
		t.Errorf("%q", got)
	}
}

// A request that is repeated is signed anew: platforms refuse a signature that they have seen.
func TestSignedAnew(t *testing.T) {
	seen := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if seen[r.URL.RawQuery] {
			t.Errorf("%q came twice", r.URL.RawQuery)
		}
		seen[r.URL.RawQuery] = true
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer server.Close()
	client, _ := newClient(t, &netguard.Guard{Dev: true})
	n := 0
	ctx := connector.Signed(t.Context(), func(r *http.Request) error {
		n++
		signed := *r.URL
		signed.RawQuery = fmt.Sprintf("nonce=%d", n)
		r.URL = &signed
		return nil
	})
	if answer, err := send(t, client, ctx, "GET", server.URL); err != nil || answer.Status != 502 || len(seen) != 3 {
		t.Errorf("%v %v after %d requests", answer, err, len(seen))
	}
}

// How far the platform's clock is ahead is told by dates of its answers: not by that of a stored answer, nor by that of a picture's server.
// The answer that took the least time tells best.
func TestAhead(t *testing.T) {
	var date time.Time
	age := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Date"] = nil
		if !date.IsZero() {
			w.Header().Set("Date", date.UTC().Format(http.TimeFormat))
		}
		if age != "" {
			w.Header().Set("Age", age)
		}
	}))
	t.Cleanup(server.Close)
	client, at := newClient(t, &netguard.Guard{Dev: true})
	for _, step := range []struct {
		what string
		bucket,
		age string
		date  time.Time
		want  time.Duration
		known bool
	}{
		{"no date", "", "", time.Time{}, 0, false},
		{"a stored answer", "", "60", at.now.Add(-time.Hour), 0, false},
		{"a picture", connector.PictureLimit, "", at.now.Add(-time.Hour), 0, false},
		{"slow", "", "", at.now.Add(-6 * time.Minute), -6 * time.Minute, true},
		{"fast", "", "", at.now.Add(-5 * time.Minute), -5 * time.Minute, true},
		{"slow again", "", "", at.now.Add(-7 * time.Minute), -5 * time.Minute, true},
	} {
		date, age = step.date, step.age
		if _, err := send(t, client, connector.Within(t.Context(), step.bucket), "GET", server.URL); err != nil {
			t.Fatal(err)
		}
		if ahead, known := client.Ahead(); ahead != step.want || known != step.known {
			t.Errorf("%s: %v %v, want %v %v", step.what, ahead, known, step.want, step.known)
		}
	}
}
