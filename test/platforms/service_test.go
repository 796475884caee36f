package platforms

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/connector/connectortest/story"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/server"
	"entrepot/test/blackbox/harness"
)

func TestMain(m *testing.M) {
	dbtest.Waiting()
	code := m.Run()
	harness.Cleanup()
	dbtest.Stop()
	os.Exit(code)
}

// engines runs a test with a service on each engine, both at once, prepared before it starts.
func engines(t *testing.T, test func(t *testing.T, s *service), prepare ...func(*service)) {
	t.Helper()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := unstarted(t, engine)
			for _, do := range prepare {
				do(s)
			}
			test(t, s.begin())
		})
	}
}

// engineByEngine is engines for a test that measures time: one engine after the other.
func engineByEngine(t *testing.T, test func(t *testing.T, s *service)) {
	t.Helper()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) { test(t, unstarted(t, engine).begin()) })
	}
}

// service is a running service that can be stopped and started again on its store.
type service struct {
	*testing.T
	config server.Config
	base   string
	inside bool // it has no public address
	key    string
	stop   func()
	again  func() // ends it and starts it again; nil: in order
	clock  *clock // nil: the machine's
	store  *db.DB // while it runs
}

const ownerEmail, ownerPassword = "owner@platforms.example", "correct horse battery staple 1"

// unstarted is a service on a new store.
func unstarted(t *testing.T, engine string) *service {
	t.Helper()
	s := &service{T: t}
	s.config = server.Config{Addr: freeAddress(t), Version: "test", Admin: server.Admin{Email: ownerEmail, Password: ownerPassword}}
	log := slog.New(slog.DiscardHandler)
	if os.Getenv("PLATFORMS_LOG") != "" {
		log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelInfo}))
	}
	s.config.StoreConfig = server.StoreConfig{Dev: true, PullEvery: 2 * time.Second, MinWait: dbtest.Timeout, Log: log}
	if engine == "postgres" {
		s.config.Dir, s.config.URL = t.TempDir(), dbtest.StoreURL(t)
	} else {
		s.config.Dir = dbtest.StoreDir(t)
	}
	return s
}

// freeAddress is an address that a service may take again after it ended: no other socket of the machine comes to have it meanwhile.
func freeAddress(t *testing.T) string {
	t.Helper()
	port, err := dbtest.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

// begin starts it and gives it a key.
func (s *service) begin() *service {
	s.Helper()
	s.logIn()
	s.Cleanup(func() { s.stop() })
	made := s.call(
		"POST",
		"/api/v1/developer/api-keys",
		map[string]any{"name": "all", "scopes": []string{"write:products", "write:categories", "write:inventory",
			"write:orders", "write:customers", "write:channels", "write:webhooks", "write:attributes"}},
		201,
	)
	s.key = made.Text("data", "key")
	return s
}

// hashing lets one service at a time hash the owner's password: too many of a process at once are refused.
var hashing sync.Mutex

// logIn starts the service for the first time, which makes its account, and logs the owner in.
func (s *service) logIn() {
	s.Helper()
	hashing.Lock()
	defer hashing.Unlock()
	s.start()
	in := s.call("POST", "/api/v1/auth/login", map[string]any{"email": ownerEmail, "password": ownerPassword}, 200)
	s.key = in.Text("data", "accessToken")
}

// start runs the service, by default with its own address as the public one.
func (s *service) start() {
	s.Helper()
	if err := dbtest.AwaitPort(s.config.Addr); err != nil {
		s.Fatal(err)
	}
	config := s.config
	if config.PublicURL == "" && !s.inside {
		config.PublicURL = "http://" + config.Addr
	}
	running, err := server.Listen(config)
	if err != nil {
		s.Fatal(err)
	}
	s.base = running.URL()
	s.config.Addr = running.Address()
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- running.Run(ctx, func(store *server.Store) { s.store = store.DB; close(ready) }) }()
	select {
	case <-ready:
	case err := <-ended:
		cancel()
		s.Fatalf("the service ended: %v", err)
	}
	var once sync.Once
	s.stop = func() { once.Do(func() { cancel(); <-ended }) }
}

// another is one more node on the same store; it ends with the test.
func (s *service) another() *service {
	s.Helper()
	node := &service{T: s.T, config: s.config, key: s.key}
	node.config.Addr = freeAddress(s.T)
	node.start()
	s.Cleanup(func() { node.stop() })
	return node
}

// document is a JSON answer.
type document = story.Document

// call sends a request and demands a status. A connection test has 14 s: one that took longer on a busy machine is sent again.
func (s *service) call(method, path string, body any, want int) document {
	s.Helper()
	status, answer := s.try(method, path, body)
	late := func() bool { return strings.HasSuffix(answer.Text("data", "message"), ": it did not answer in time") }
	for tries := 1; strings.HasSuffix(path, "/sync/test") && late() && tries < 10; tries++ {
		status, answer = s.try(method, path, body)
	}
	if status != want {
		s.Fatalf("%s %s: %d %v, want %d", method, path, status, answer, want)
	}
	return answer
}

func (s *service) try(method, path string, body any) (int, document) {
	s.Helper()
	answer, err := s.attempt(method, path, body)
	if err != nil {
		s.Errorf("%s %s: %v", method, path, err)
		return 0, nil
	}
	return answer.status, answer.document
}

// attempted is what an attempt got.
type attempted struct {
	status int
	document
}

// attempt sends a request with headers (name, value, name, value …); its answer may never come.
func (s *service) attempt(method, path string, body any, header ...string) (out attempted, err error) {
	var content []byte
	if body != nil {
		if content, err = json.Marshal(body); err != nil {
			return out, err
		}
	}
	r, err := http.NewRequestWithContext(s.Context(), method, s.base+path, bytes.NewReader(content))
	if err != nil {
		return out, err
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	if len(s.key) > 8 && s.key[:8] == "pk_live_" {
		r.Header.Set("X-API-Key", s.key)
	} else if s.key != "" {
		r.Header.Set("Authorization", "Bearer "+s.key)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return out, err
	}
	defer got.Body.Close()
	raw, err := io.ReadAll(got.Body)
	if err != nil {
		return out, err
	}
	_ = json.Unmarshal(raw, &out.document)
	out.status = got.StatusCode
	return out, nil
}

// await waits until a condition holds; it says what is missing when it does not within a time that no working service needs.
func (s *service) await(what string, holds func() string) {
	s.Helper()
	s.awaitFor(what, 5*time.Minute, holds)
}

func (s *service) awaitFor(what string, most time.Duration, holds func() string) {
	s.Helper()
	end := time.Now().Add(most)
	for pause := 20 * time.Millisecond; ; pause = min(pause*3/2, 250*time.Millisecond) { // a look costs some requests
		missing := holds()
		if missing == "" {
			return
		}
		if time.Now().After(end) {
			s.Fatalf("%s: %s", what, missing)
		}
		time.Sleep(pause)
	}
}

// jobs are the account's jobs under way and the last one that ended, for messages.
func (s *service) jobs(channel string) string {
	s.Helper()
	key := s.key
	defer func() { s.key = key }()
	return fmt.Sprint(s.call("GET", "/api/v1/sdk/sync/status", nil, 200), s.call("GET", "/api/v1/channels/"+channel, nil, 200))
}

// restart stops the service and starts it on its store and address, or does what the test has in its place.
func (s *service) restart() {
	s.Helper()
	if s.again != nil {
		s.again()
		return
	}
	s.stop()
	http.DefaultClient.CloseIdleConnections() // else a request may go out over one that has just ended
	s.start()
}
