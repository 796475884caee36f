package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/limits"
)

// small is the same API for an account of the plan Starter.
func (s *server) small(t *testing.T) *server {
	t.Helper()
	other := *s
	other.account, other.owner = s.newAccount("Small", accounts.Starter, "small@test.example")
	other.tenant = other.account.Tenant
	other.key = other.newKey(accounts.AllScopes...)
	return &other
}

// If-None-Match buys ten times the plan a minute, not unlimited work; beyond it a 304 counts like any other answer.
func TestConditionalRequestsAreBounded(t *testing.T) {
	dbtest.Long(t, "a large document")
	enginesWith(t, func() limits.Limiter { return limits.NewLocal() }, func(t *testing.T, s *server) {
		small, statuses := s.small(t), map[int]int{}
		for range 2000 {
			statuses[small.do(call{method: "GET", path: "/api/v1/orders", header: map[string]string{"If-None-Match": "*"}}).status]++
		}
		starter := accounts.Starter.Rate()
		free := accounts.Starter.UnchangedRate().PerMinute + starter.Burst
		if statuses[http.StatusNotModified] != free || statuses[http.StatusTooManyRequests] != 2000-free {
			t.Errorf("statuses %v, want %d times 304 and else 429", statuses, free)
		}
	})
}

// logged makes a server log into a buffer; the function gives the lines of requests since it was called last.
func (s *server) logged(t *testing.T) (lines func() []map[string]any) {
	t.Helper()
	var log bytes.Buffer
	s.API.Log = slog.New(slog.NewJSONHandler(&log, nil))
	return func() (list []map[string]any) {
		for line := range strings.Lines(log.String()) {
			var one map[string]any
			if err := json.Unmarshal([]byte(line), &one); err != nil {
				t.Fatal(err)
			}
			list = append(list, one)
		}
		log.Reset()
		return list
	}
}

// A request's line has its cut path and its time, and no personal data of path or query.
func TestLogLines(t *testing.T) {
	s := newServer(t, "sqlite", limits.Off{})
	lines := s.logged(t)
	one := func(path string) map[string]any {
		t.Helper()
		s.do(call{method: "GET", path: path})
		list := lines()
		if len(list) != 1 || list[0]["level"] != "INFO" {
			t.Fatalf("%s: %v, want one line", clip(path, 40), list)
		}
		if took, ok := list[0]["took_ms"].(float64); !ok || took < 0 || took > 60_000 {
			t.Errorf("took_ms: %v", list[0]["took_ms"])
		}
		return list[0]
	}
	if line := one("/api/v1/" + strings.Repeat("x", 1000)); len(line["path"].(string)) > 256+len("…") || line["status"] != 404.0 {
		t.Errorf("a long path: %v", line)
	}
	for _, path := range []string{"/api/v1/customers/lovelace@example.com",
		"/api/v1/orders?customerEmail=lovelace@example.com&search=lovelace@example.com"} {
		if text, _ := json.Marshal(one(path)); strings.Contains(string(text), "lovelace") {
			t.Errorf("%s: %s", path, text)
		}
	}
	long := s.do(call{method: "GET", path: "/api/v1/orders?search=" + strings.Repeat("x", maxTarget)})
	if body := long.json(t); long.status != http.StatusRequestURITooLong || text(body, "code") != "uri_too_long" ||
		number(body, "statusCode") != "414" {
		t.Errorf("a long address: %d %s", long.status, long.body)
	}
}

// stalled is a body of which nothing more comes until the connection's deadline.
type stalled struct{}

func (stalled) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

// A body that does not come in time is 408, and ends the connection: what is left of it would be read as the next request.
func TestStalledBodies(t *testing.T) {
	s := newServer(t, "sqlite", limits.Off{})
	for _, path := range []string{"/api/v1/orders", "/api/v1/sdk/prices/bulk-update", "/api/v1/auth/login"} {
		method := "POST"
		if strings.Contains(path, "/sdk/") {
			method = "PATCH"
		}
		r := httptest.NewRequestWithContext(t.Context(), method, path, io.MultiReader(strings.NewReader(`{"customerName":`), stalled{}))
		r.Header.Set("X-API-Key", s.key)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		body := reply{w.Code, w.Header(), w.Body.Bytes()}.json(t)
		if w.Code != http.StatusRequestTimeout || text(body, "code") != "body_timeout" || w.Header().Get("Connection") != "close" {
			t.Errorf("%s: %d %v, Connection: %q", path, w.Code, body, w.Header().Get("Connection"))
		}
	}
}

// A caller that hung up is 499 in the log and no error.
func TestHungUpIsNoError(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		lines := s.logged(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		r := httptest.NewRequest("GET", "/api/v1/orders", nil).WithContext(ctx)
		r.Header.Set("X-API-Key", s.key)
		s.API.ServeHTTP(httptest.NewRecorder(), r)
		if list := lines(); len(list) != 1 || list[0]["status"] != float64(statusHungUp) || list[0]["level"] != "INFO" {
			t.Errorf("logged: %v", list)
		}
	})
}

// Of many refusals some lines a second are logged, and the next line says how many were not.
func TestRefusalsAreSampled(t *testing.T) {
	s := newServer(t, "sqlite", limits.NewLocal()).small(t)
	for s.do(call{method: "GET", path: "/api/v1/orders"}).status != http.StatusTooManyRequests {
	}
	lines := s.logged(t)
	s.API.refusals = sampler{}
	sent, shown, left := 0, 0, 0
	began := time.Now()
	for left == 0 && time.Since(began) < 5*time.Minute {
		for range 50 {
			s.do(call{method: "GET", path: "/api/v1/orders"})
			sent++
		}
		for _, line := range lines() {
			shown++
			if n, ok := line["refused_unlogged"].(float64); ok {
				left += int(n)
			}
		}
	}
	if seconds := int(time.Since(began).Seconds()) + 2; left == 0 || shown+left > sent || shown > seconds*samplesPerSecond {
		t.Errorf("%d refusals: %d lines, which say that %d are missing", sent, shown, left)
	}
}

// A request that needs a body and has none is a bad request; only what says that it is something else than JSON is 415.
func TestBodiesThatAreMissing(t *testing.T) {
	s := newServer(t, "sqlite", nil)
	for _, c := range []struct {
		kind   string
		status int
	}{{"", 400}, {"application/json", 400}, {"text/plain", 415}} {
		for _, path := range []string{"/api/v1/orders", "/api/v1/customers", "/api/v1/sdk/products/bulk-import"} {
			got := s.do(call{method: "POST", path: path, header: map[string]string{"Content-Type": c.kind}})
			if got.status != c.status {
				t.Errorf("POST %s without a body, Content-Type %q: %d %s", path, c.kind, got.status, got.body)
			}
		}
	}
	if got := s.do(call{method: "POST", path: "/api/v1/customers", body: `{"email":"a@x.example"}`,
		header: map[string]string{"Content-Type": ""}}); got.status != 415 {
		t.Errorf("a body without Content-Type: %d %s", got.status, got.body)
	}
}
