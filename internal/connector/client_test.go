package connector_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/base/netguard"
	"entrepot/internal/connector"
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
		{"GET", false, 408, 3}, {"POST", false, 408, 1}, {"PUT", true, 408, 3}, {"POST", false, 520, 1}, {"PUT", true, 521, 3},
		{"GET", false, 520, 3}, {"GET", false, 522, 3}, {"GET", false, 523, 3}, {"GET", false, 524, 3}, {"GET", false, 501, 1},
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

// Nothing was sent while no connection comes about, so a write is repeated then, too. One whose connection ends without an answer is not,
// unless it may be.
func TestConnectionsThatFail(t *testing.T) {
	var calls, dials atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if calls.Add(1) == 1 {
			panic(http.ErrAbortHandler)
		}
	}))
	defer server.Close()
	for _, c := range []struct {
		method       string
		repeatable   bool
		fail         int64 // dials that fail
		calls, dials int64
		ok           bool
	}{{"POST", false, 2, 1, 3, false}, {"POST", true, 0, 2, 2, true}, {"GET", false, 0, 2, 2, true}, {"GET", false, 1, 2, 3, true}} {
		calls.Store(0)
		dials.Store(0)
		guard := &netguard.Guard{Dev: true, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if dials.Add(1) <= c.fail {
				return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("connection refused")}
			}
			return new(net.Dialer).DialContext(ctx, network, address)
		}}
		client, _ := newClient(t, guard)
		ctx := t.Context()
		if c.repeatable {
			ctx = connector.Repeatable(ctx)
		}
		_, err := send(t, client, ctx, c.method, server.URL)
		if (err == nil) != c.ok || calls.Load() != c.calls || dials.Load() != c.dials {
			t.Errorf("%+v: %d calls, %d dials: %v", c, calls.Load(), dials.Load(), err)
		}
	}
}

// A refusal for too many requests that says no time is waited for until the platform has a permit again, twice as long the second time; a
// bucket that fills too slowly for a call ends it.
func TestRefusalsWaitForAPermit(t *testing.T) {
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer server.Close()
	const second = time.Second
	for every, want := range map[time.Duration][]time.Duration{0: {second, 2 * second}, second / 2: {second, 2 * second},
		4 * second: {4 * second, 8 * second}, 6 * second: {6 * second}, 60 * second: nil} {
		calls.Store(0)
		client, clock := newClient(t, &netguard.Guard{Dev: true}, connector.Limit{Every: every, Burst: 9})
		answer, err := send(t, client, t.Context(), "POST", server.URL)
		if err != nil || answer.Status != 429 || calls.Load() != int64(len(want)+1) || !slices.Equal(clock.slept, want) {
			t.Errorf("%s: %v %v after %d calls, slept %v, want %v", every, answer, err, calls.Load(), clock.slept, want)
		}
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

// The time to wait may have decimals, as Shopify writes it, and never counts as more than an hour. A date is one of the platform's clock.
func TestFormsOfRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{"": 0, "2": 2 * time.Second, "2.5": 2500 * time.Millisecond, "-3": 0, "NaN": 0, "soon": 0,
		"99999999999999999999": time.Hour, "Sun, 22 Nov 2026 10:00:30 GMT": 30 * time.Second} {
		answer := connector.Response{Header: http.Header{"Retry-After": {text}}}
		if got := answer.RetryAfter(now); got != want {
			t.Errorf("%q: %v, not %v", text, got, want)
		}
	}
	const date, later = "Sun, 22 Nov 2026 12:00:00 GMT", "Sun, 22 Nov 2026 12:00:30 GMT"
	for age, want := range map[string]time.Duration{"": 30 * time.Second, "600": time.Hour} { // a stored one does not say the time
		answer := connector.Response{Header: http.Header{"Retry-After": {later}, "Date": {date}}}
		if age != "" {
			answer.Header.Set("Age", age)
		}
		if got := answer.RetryAfter(now); got != want {
			t.Errorf("aged %q: %v, not %v", age, got, want)
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
	for _, body := range []string{"", "<html>[x]</html>", "{", `[1,2`, "\xff\xfe", `{"a":"x","b":{"a":"y"}`, `[{"a":"x"},{"a":"y"}`,
		`<b>Warning</b> [3] {"a":"x","b":{"a":"y"}`} {
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

// A wait before a request is repeated has a random part, which is added to the time that the platform asks for. It decides nothing: whether
// a wait is too long for a call does not depend on it.
func TestWaitsAreSpread(t *testing.T) {
	const second = time.Second
	status, after := 0, ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if after != "" {
			w.Header().Set("Retry-After", after)
		}
		w.WriteHeader(status)
	}))
	defer server.Close()
	for _, c := range []struct {
		status int
		after  string
		want   []time.Duration
	}{
		{503, "", []time.Duration{second * 5 / 4, 2 * second * 5 / 4}},
		{429, "", []time.Duration{second * 5 / 4, 2 * second * 5 / 4}},
		{429, "8", []time.Duration{8 * second * 5 / 4, 8 * second * 5 / 4}},
		{503, "10", []time.Duration{10 * second * 5 / 4, 10 * second * 5 / 4}},
		{429, "11", nil},
	} {
		clock := &clock{now: time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)}
		client := connector.NewClients(&netguard.Guard{Dev: true}, "entrepot/test").
			Timed(func() time.Time { return clock.now }, clock.sleep).
			Spread(func(wait time.Duration) time.Duration { return wait / 4 }).Client("channel", nil)
		status, after = c.status, c.after
		if _, err := send(t, client, t.Context(), "GET", server.URL); err != nil || !slices.Equal(clock.slept, c.want) {
			t.Errorf("%d, Retry-After %q: %v, slept %v, want %v", c.status, c.after, err, clock.slept, c.want)
		}
	}
	// Other requests of the channel wait as long: the one that was refused for 11 seconds holds them for a quarter more.
	clock := &clock{now: time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)}
	client := connector.NewClients(&netguard.Guard{Dev: true}, "entrepot/test").
		Timed(func() time.Time { return clock.now }, clock.sleep).
		Spread(func(wait time.Duration) time.Duration { return wait / 4 }).Client("channel", nil)
	for range 2 {
		if _, err := send(t, client, t.Context(), "POST", server.URL); err != nil {
			t.Fatal(err)
		}
	}
	if want := []time.Duration{11 * second * 5 / 4}; !slices.Equal(clock.slept, want) {
		t.Errorf("the next request waited %v, want %v", clock.slept, want)
	}
}

// The random part is at most half of the wait and a minute, and differs.
func TestBoundsOfSpread(t *testing.T) {
	clients := connector.NewClients(&netguard.Guard{}, "entrepot/test")
	for _, c := range []struct{ wait, most time.Duration }{{0, 0}, {1, 0}, {2, 1}, {time.Second, time.Second / 2},
		{5 * time.Minute, time.Minute}, {time.Hour, time.Minute}} {
		seen := map[time.Duration]bool{}
		for range 1000 {
			part := clients.Later(c.wait) - c.wait
			if seen[part] = true; part < 0 || part > c.most {
				t.Fatalf("%v: %v more, want at most %v", c.wait, part, c.most)
			}
		}
		if c.most >= time.Second/2 && len(seen) < 100 {
			t.Errorf("%v: only %d different waits in 1000", c.wait, len(seen))
		}
	}
}
