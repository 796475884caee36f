package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"entrepot/internal/base/netguard"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/webhooks"
)

// fast is a schedule for tests: three attempts.
func fast(c *Config) { c.Retries = webhooks.Schedule{30 * time.Millisecond, 30 * time.Millisecond} }

// deliveries reads an endpoint's deliveries, oldest first, with their attempts.
func (s *shop) deliveries(e *webhooks.Endpoint) (list []webhooks.Delivery, tries [][]webhooks.Attempt) {
	s.t.Helper()
	s.read(func(tx *db.Tx) error {
		newest, _, err := webhooks.Deliveries(tx, webhooks.Filter{Endpoint: e.ID, Limit: 1000})
		for i := len(newest) - 1; i >= 0; i-- {
			made, err := newest[i].Tries(tx)
			if err != nil {
				return err
			}
			list, tries = append(list, newest[i]), append(tries, made)
		}
		return err
	})
	return list, tries
}

func TestDeliversSigned(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		e, secretText := s.endpoint(rc.URL + "/hook?a=b")
		s.start()
		s.emit(3, each)
		dbtest.Until(t, "three deliveries", func() bool { return s.counts0(e).Delivered == 3 })
		secret, err := webhooks.ParseSecret(secretText)
		if err != nil {
			t.Fatal(err)
		}
		stored := map[string]string{}
		s.read(func(tx *db.Tx) error {
			page, err := webhooks.Log(tx, webhooks.LogFilter{Limit: 10})
			for _, l := range page.Events {
				stored[string(l.ID)] = l.Payload
			}
			return err
		})
		for _, got := range rc.on("/hook") {
			h, event := got.header, got.header.Get("X-Webhook-Id")
			var envelope map[string]any
			if err := json.Unmarshal([]byte(got.body), &envelope); err != nil || len(envelope) != 4 || envelope["id"] != event {
				t.Errorf("envelope %s: %v", got.body, err)
			}
			if got.body != stored[event] || got.body == "" {
				t.Errorf("sent %s, stored %s", got.body, stored[event])
			}
			want := map[string]string{"Content-Type": "application/json", "User-Agent": "entrepot/test", "X-Webhook-Event": "order.updated",
				"X-Webhook-Attempt": "1",
				"Webhook-Id":        event, "X-Webhook-Signature": secret.Sign([]byte(got.body)), "X-Webhook-Timestamp": h.Get("webhook-timestamp"),
				"Webhook-Signature": secret.SignStandard(event, h.Get("webhook-timestamp"), []byte(got.body)), "Idempotency-Key": ""}
			for name, value := range want {
				if h.Get(name) != value {
					t.Errorf("%s: %q, want %q", name, h.Get(name), value)
				}
			}
		}
		list, tries := s.deliveries(e)
		if len(list) != 3 || len(tries[0]) != 1 || tries[0][0].Response != "thanks" || tries[0][0].StatusCode != 200 || tries[0][0].Error != "" {
			t.Errorf("%+v %+v", list, tries)
		}
		s.counts(e)
	})
}

func TestRetriesUntilItWorks(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		rc.answer = func(n int, _ *http.Request) int { return []int{500, 429, 204}[min(n, 2)] }
		e, _ := s.endpoint(rc.URL + "/hook")
		s.start(fast)
		s.emit(1, each)
		dbtest.Until(t, "the delivery", func() bool { return s.counts0(e).Delivered == 1 })
		got := rc.on("/hook")
		for i, g := range got {
			if g.header.Get("X-Webhook-Attempt") != fmt.Sprint(i+1) || g.body != got[0].body {
				t.Errorf("attempt %d: %v %s", i+1, g.header, g.body)
			}
			if i > 0 && g.at.Sub(got[i-1].at) < 30*time.Millisecond {
				t.Errorf("attempt %d came %s after the one before", i+1, g.at.Sub(got[i-1].at))
			}
		}
		_, tries := s.deliveries(e)
		if len(got) != 3 || len(tries[0]) != 3 || tries[0][0].Error != "HTTP 500" || tries[0][1].StatusCode != 429 || tries[0][2].Error != "" {
			t.Errorf("%d requests, attempts %+v", len(got), tries)
		}
	})
}

func TestFailsForGoodAndRetriesByHand(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		works := false
		rc.answer = func(int, *http.Request) int {
			if works {
				return 200
			}
			return 503
		}
		e, _ := s.endpoint(rc.URL + "/hook")
		s.start(fast)
		s.emit(2, each)
		dbtest.Until(t, "both failed", func() bool { return s.counts0(e).Failed == 2 })
		if n := len(rc.on("/hook")); n != 6 {
			t.Fatalf("%d attempts", n)
		}
		list, _ := s.deliveries(e)
		retry := func() (d *webhooks.Delivery) {
			s.write(func(tx *db.Tx) (err error) {
				d, err = webhooks.Retry(tx, list[0].ID)
				return err
			})
			return d
		}
		if d := retry(); d.State != webhooks.Pending || d.DueAt == 0 || d.Attempts != 3 {
			t.Errorf("after the retry: %+v", d)
		}
		dbtest.Until(t, "failed again", func() bool { return s.counts0(e).Failed == 2 })
		rc.mu.Lock()
		works = true
		rc.mu.Unlock()
		retry()
		dbtest.Until(t, "delivered", func() bool { return s.counts0(e).Delivered == 1 })
		_, tries := s.deliveries(e)
		if len(tries[0]) != 5 || len(tries[1]) != 3 {
			t.Errorf("attempts %+v", tries)
		}
		if c := s.counts(e); c != (webhooks.Counts{Delivered: 1, Failed: 1}) {
			t.Errorf("%+v", c)
		}
	})
}

// A mistake of the receiver is a failed attempt, whose error names the mistake.
func TestBadAnswers(t *testing.T) {
	s := newShop(t, dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true}))
	rc := newReceiver(t)
	rc.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, rc.URL+"/secret", http.StatusFound)
		case "/hangup":
			conn, _, _ := w.(http.Hijacker).Hijack()
			conn.Close()
		case "/binary":
			w.WriteHeader(500)
			w.Write([]byte("a\x00b\xff\xfe"))
		case "/long":
			io.WriteString(w, strings.Repeat("é", 100_000))
		case "/secret":
			t.Error("a redirect was followed")
		}
	})
	tls := httptest.NewUnstartedServer(rc)
	tls.Config.ErrorLog = log.New(io.Discard, "", 0) // the refused handshake
	tls.StartTLS()
	defer tls.Close()
	tests := map[string]struct {
		url, problem string
		status       int64
	}{
		"tls":      {tls.URL, "certificate", 0},
		"redirect": {rc.URL + "/redirect", "redirects are not followed", 302},
		"hangup":   {rc.URL + "/hangup", "EOF", 0},
		"binary":   {rc.URL + "/binary", "HTTP 500", 500},
		"long":     {rc.URL + "/long", "", 200},
		"closed":   {closedPort(t), "connection refused", 0},
		"private":  {"http://10.0.0.1/", "refused: 10.0.0.1 is a private address", 0},
		"name":     {"http://nowhere.invalid/", "nowhere.invalid", 0},
	}
	endpoints := map[string]*webhooks.Endpoint{}
	for name, test := range tests {
		endpoints[name], _ = s.endpoint(test.url)
	}
	s.start(func(c *Config) { c.Retries = webhooks.Schedule{} })
	s.emit(1, each)
	for name, test := range tests {
		e := endpoints[name]
		dbtest.Until(t, name, func() bool { // one read: between two reads the delivery may be dispatched
			c := s.counts0(e)
			return c.Pending == 0 && c.Of("") == 1
		})
		list, tries := s.deliveries(e)
		a := tries[0][0]
		if a.StatusCode != test.status || !strings.Contains(a.Error, test.problem) ||
			(test.problem == "") != (list[0].State == webhooks.Delivered) {
			t.Errorf("%s: %+v", name, a)
		}
		if len(a.Response) > 4096 || !utf8.ValidString(a.Response) || strings.Contains(a.Response, "\x00") {
			t.Errorf("%s: kept %d bytes %.20q", name, len(a.Response), a.Response)
		}
	}
	_, tries := s.deliveries(endpoints["long"])
	if n := len(tries[0][0].Response); n != 4096 {
		t.Errorf("%d bytes kept of the long answer", n)
	}
}

// Without --dev a loopback endpoint is refused at every attempt, and nothing connects.
func TestRefusesAtTheAttempt(t *testing.T) {
	s := newShop(t, dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true}))
	rc := newReceiver(t)
	e, _ := s.endpoint(strings.Replace(rc.URL, "http:", "https:", 1))
	s.start(func(c *Config) { c.Guard = &netguard.Guard{}; c.Retries = webhooks.Schedule{} })
	s.emit(1, each)
	dbtest.Until(t, "failed", func() bool { return s.counts0(e).Failed == 1 })
	_, tries := s.deliveries(e)
	if len(rc.on("/")) != 0 || tries[0][0].Error != "refused: 127.0.0.1 is a loopback address" {
		t.Errorf("%+v", tries)
	}
}

// The name of an endpoint is resolved once for each attempt: the addresses that were checked are those that it connects to.
func TestResolvesOncePerAttempt(t *testing.T) {
	s := newShop(t, dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true}))
	rc := newReceiver(t)
	e, _ := s.endpoint(strings.Replace(rc.URL, "127.0.0.1", "shop.example", 1) + "/hook")
	var looked atomic.Int64
	s.start(func(c *Config) {
		c.Guard = &netguard.Guard{Dev: true, Lookup: func(context.Context, string) ([]netip.Addr, error) {
			looked.Add(1)
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		}}
	})
	for i := range int64(2) {
		s.emit(1, each)
		dbtest.Until(t, "delivered", func() bool { return s.counts0(e).Delivered == i+1 })
	}
	if looked.Load() != 2 || len(rc.on("/hook")) != 2 {
		t.Errorf("%d look-ups for %d attempts", looked.Load(), len(rc.on("/hook")))
	}
}

// An endpoint that has moved to another address is found there, although its old server still answers over an idle
// connection.
func TestFollowsAnEndpointThatMoves(t *testing.T) {
	s := newShop(t, dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true}))
	var got [2]atomic.Int64
	serve := func(i int, address string) string {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Skip(err) // a machine without 127.0.0.2
		}
		server := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { got[i].Add(1) })}
		go func() { _ = server.Serve(listener) }()
		t.Cleanup(func() { server.Close() })
		_, port, _ := net.SplitHostPort(listener.Addr().String())
		return port
	}
	port := serve(0, "127.0.0.1:0")
	serve(1, "127.0.0.2:"+port)
	var at atomic.Pointer[netip.Addr]
	move := func(to string) { addr := netip.MustParseAddr(to); at.Store(&addr) }
	move("127.0.0.1")
	e, _ := s.endpoint("http://shop.example:" + port + "/hook")
	s.start(func(c *Config) {
		c.Guard = &netguard.Guard{Dev: true, Lookup: func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{*at.Load()}, nil }}
	})
	for i := range int64(4) {
		if i == 1 {
			move("127.0.0.2")
		}
		s.emit(1, each)
		dbtest.Until(t, "delivered", func() bool { return s.counts0(e).Delivered == i+1 })
	}
	if old, now := got[0].Load(), got[1].Load(); old > 2 || now < 2 {
		t.Errorf("%d deliveries at the old address, %d at the new one", old, now)
	}
}

func TestRotatedSecretSignsBoth(t *testing.T) {
	s := newShop(t, dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true}))
	rc := newReceiver(t)
	e, first := s.endpoint(rc.URL + "/hook")
	second := webhooks.NewSecret()
	s.write(func(tx *db.Tx) error {
		e.OldSecret, e.OldSecretUntil, e.Secret = e.Secret, tx.Now().Add(time.Hour).UnixMicro(),
			s.svc.Key.Encrypt(second, webhooks.Place(s.tenant, e.ID))
		e.Save(tx)
		return nil
	})
	s.start()
	s.emit(1, each)
	dbtest.Until(t, "one", func() bool { return s.counts0(e).Delivered == 1 })
	s.write(func(tx *db.Tx) error {
		e.OldSecretUntil = tx.Micros() - 1
		e.Save(tx)
		return nil
	})
	s.emit(1, each)
	dbtest.Until(t, "two", func() bool { return s.counts0(e).Delivered == 2 })
	for i, got := range rc.on("/hook") {
		values := []string{}
		for _, text := range []string{second, first}[:2-i] {
			secret, _ := webhooks.ParseSecret(text)
			values = append(values, secret.SignStandard(got.header.Get("webhook-id"), got.header.Get("webhook-timestamp"), []byte(got.body)))
		}
		fresh, _ := webhooks.ParseSecret(second)
		if got.header.Get("webhook-signature") != strings.Join(values, " ") ||
			got.header.Get("X-Webhook-Signature") != fresh.Sign([]byte(got.body)) {
			t.Errorf("delivery %d: %v, want %v", i, got.header, values)
		}
	}
}

// An answer that repeats what was sent is not stored when a person was erased from the event while the request was
// under way, even by a node whose clock is behind. The text that an answer has in place of a status line is not stored
// either.
func TestAnswersAfterAnErasureAreDropped(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, rc := newShop(t, store), newReceiver(t)
		under, release := make(chan struct{}), make(chan struct{})
		rc.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			under <- struct{}{}
			<-release
			if r.URL.Path == "/hook" {
				io.Copy(w, r.Body)
				return
			}
			sent, _ := io.ReadAll(r.Body)
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				conn.Write(sent)
				conn.Close()
			}
		})
		e, _ := s.endpoint(rc.URL + "/hook")
		odd, _ := s.endpoint(rc.URL + "/odd")
		s.start()
		s.emit(1, each)
		<-under
		<-under
		s.write(func(tx *db.Tx) error {
			log, err := webhooks.Log(tx, webhooks.LogFilter{Limit: 1})
			if err != nil {
				return err
			}
			var stamp int64
			if err := tx.Row("SELECT stamp FROM events WHERE tenant_id = $1 AND id = $2", []any{tx.Tenant, log.Events[0].ID}, &stamp); err != nil {
				return err
			}
			webhooks.Rewrite(tx, []webhooks.LoggedEvent{{Stamp: stamp, Payload: `{}`}})
			tx.Queue("UPDATE events SET edited_at = edited_at - 60000000 WHERE tenant_id = $1", tx.Tenant)
			return webhooks.ForgetAnswers(tx, []string{"r0"})
		})
		close(release)
		dbtest.Until(t, "delivered", func() bool { return s.counts0(e).Delivered == 1 })
		if _, tries := s.deliveries(e); tries[0][0].StatusCode != 200 || tries[0][0].Response != "" {
			t.Errorf("%+v", tries)
		}
		dbtest.Until(t, "no answer", func() bool {
			_, tries := s.deliveries(odd)
			return len(tries[0]) == 1
		})
		if _, tries := s.deliveries(odd); !strings.HasSuffix(tries[0][0].Error, "malformed HTTP response") {
			t.Errorf("%+v", tries)
		}
	})
}
