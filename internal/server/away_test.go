package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/server"
)

// refusedInOneShape checks that a request meets 503 with everything that every error has (interface §7).
func refusedInOneShape(t *testing.T, address string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Request-Id", "mine")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var body struct {
		StatusCode, RetryAfter          int
		Message, Error, Code, RequestID string
	}
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusServiceUnavailable || body.StatusCode != answer.StatusCode || body.Message == "" ||
		body.Error != "Service Unavailable" || body.Code != "unavailable" || body.RequestID != "mine" || body.RetryAfter != 1 {
		t.Errorf("%d %+v", answer.StatusCode, body)
	}
	for _, name := range []string{"X-Request-Id", "Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
		if answer.Header.Get(name) == "" {
			t.Errorf("no %s", name)
		}
	}
}

// begun is a service on PostgreSQL that has begun to start: ready is closed when it has, ended has its error when it has stopped.
func begun(t *testing.T, database string, said io.Writer) (s *server.Server, ready chan struct{}, ended chan error, stop func()) {
	t.Helper()
	s, err := server.Listen(server.Config{Addr: "127.0.0.1:0", StoreConfig: server.StoreConfig{Dev: true, Dir: t.TempDir(), URL: database,
		Log: slog.New(slog.NewTextHandler(said, nil))}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ready, ended = make(chan struct{}), make(chan error, 1)
	go func() { ended <- s.Run(ctx, func(*server.Store) { close(ready) }) }()
	return s, ready, ended, stop
}

// begins waits until a service that was begun has started.
func begins(t *testing.T, ready chan struct{}, ended chan error) {
	t.Helper()
	select {
	case <-ready:
	case err := <-ended:
		t.Fatalf("it ended: %v", err)
	}
}

// A service whose PostgreSQL starts later than it says so meanwhile, and begins when it can. A wrong address ends it at once.
func TestPostgresStartsLater(t *testing.T) {
	link, address := dbtest.Connect(t, true)

	said := &log{}
	s, ready, ended, stop := begun(t, address.String(), said)
	for !strings.Contains(said.String(), "the database cannot be reached yet") {
		select {
		case err := <-ended:
			t.Fatalf("it ended: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	answer, err := http.Get(s.URL() + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("/readyz without a database: %d", answer.StatusCode)
	}
	refusedInOneShape(t, s.URL()+"/api/v1/orders")
	link.Cut(false)
	begins(t, ready, ended)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}

	address.Path = "/nowhere"
	_, err = server.OpenStore(t.Context(), server.StoreConfig{Dev: true, Dir: t.TempDir(), URL: address.String()})
	if err == nil || db.MayCome(err) {
		t.Errorf("a database that does not exist: %v", err)
	}
}

// So does one whose PostgreSQL goes away when the store is open and the first account is not made yet.
func TestPostgresLeavesAtTheStart(t *testing.T) {
	link, address := dbtest.Connect(t, false)
	opened := sync.OnceFunc(func() { link.Cut(true) })
	said := hearing(func(line string) {
		switch {
		case strings.Contains(line, "schema brought up to date"):
			opened()
		case strings.Contains(line, "the database cannot be reached yet"):
			link.Cut(false)
		}
	})
	_, ready, ended, stop := begun(t, address.String(), said)
	begins(t, ready, ended)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// hearing is a log whose lines are heard.
type hearing func(line string)

func (h hearing) Write(line []byte) (int, error) {
	h(string(line))
	return len(line), nil
}

// While PostgreSQL cannot be reached, every kind of request is a 503 that says when to come back, /readyz says why, and all is well
// again once it can: reads, writes, feeds, logins, credentials looked up, and limits that are counted in the store.
func TestPostgresAway(t *testing.T) {
	link, address := dbtest.Connect(t, false)

	said := &log{}
	c := server.Config{Addr: "127.0.0.1:0", Limits: true, Version: "test", Admin: server.Admin{Email: "owner@away.example",
		Password: "correct horse battery staple 1"}}
	c.StoreConfig = server.StoreConfig{Dev: true, Dir: t.TempDir(), URL: address.String(), Log: slog.New(slog.NewTextHandler(said, nil))}
	s, stop := start(t, c)
	defer stop()
	client := &http.Client{Timeout: 5 * time.Minute}
	send := func(method, path, token, body string) (status int, retry string, answer map[string]any) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, s.URL()+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		if strings.HasPrefix(token, "pk_") {
			r.Header.Set("X-API-Key", token)
		} else if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		got, err := client.Do(r)
		if err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
		defer got.Body.Close()
		if err := json.NewDecoder(got.Body).Decode(&answer); err != nil {
			t.Fatalf("%s %s: %d, no JSON: %v", method, path, got.StatusCode, err)
		}
		return got.StatusCode, got.Header.Get("Retry-After"), answer
	}
	login := fmt.Sprintf(`{"email":%q,"password":%q}`, c.Admin.Email, c.Admin.Password)
	_, _, in := send("POST", "/api/v1/auth/login", "", login)
	token := in["data"].(map[string]any)["accessToken"].(string)
	_, _, made := send("POST", "/api/v1/developer/api-keys", token,
		`{"name":"k","scopes":["write:products","write:orders","write:customers"]}`)
	key := made["data"].(map[string]any)["key"].(string)

	calls := []struct {
		method, path, token, body string
		good                      int
	}{
		{"GET", "/readyz", "", "", 200},
		{"GET", "/api/v1/orders", key, "", 200},
		{"GET", "/api/v1/orders", token, "", 200},
		{"GET", "/api/v1/products", key, "", 200},
		{"GET", "/api/v1/sdk/products/changes", key, "", 200},
		{"POST", "/api/v1/products", key, `{"sku":"A%d","name":"A","price":1}`, 201},
		{"POST", "/api/v1/customers", key, `{"email":"c%d@example.com"}`, 201},
		{"POST", "/api/v1/sdk/products/bulk-import?wait=true", key, `{"products":[{"sku":"B%d","name":"B","price":1}]}`, 200},
		{"POST", "/api/v1/auth/login", "", login, 200},
		{"GET", "/api/v1/auth/me", token, "", 200},
	}
	all := func(round int, check func(what string, status int, retry string, answer map[string]any, good int)) {
		for _, one := range calls {
			body := strings.Replace(one.body, "%d", fmt.Sprint(round), 1)
			status, retry, answer := send(one.method, one.path, one.token, body)
			check(one.method+" "+one.path, status, retry, answer, one.good)
		}
	}
	good := func(what string, status int, _ string, answer map[string]any, good int) {
		t.Helper()
		if status != good {
			t.Errorf("%s: %d %v, want %d", what, status, answer, good)
		}
	}
	all(1, good)
	link.Cut(true)
	all(2, func(what string, status int, retry string, answer map[string]any, _ int) {
		if status != http.StatusServiceUnavailable || retry == "" {
			t.Errorf("%s while the store is away: %d, Retry-After %q, %v", what, status, retry, answer)
		}
	})
	link.Cut(false)
	back := time.Now().Add(dbtest.Timeout)
	for {
		status, _, _ := send("GET", "/readyz", "", "")
		if status == http.StatusOK {
			break
		}
		if time.Now().After(back) {
			t.Fatal("not ready long after the store is back")
		}
		time.Sleep(50 * time.Millisecond)
	}
	all(3, good)
	if strings.Contains(said.String(), `msg="request failed"`) {
		t.Errorf("an error of the service in its log:\n%s", said)
	}
}
