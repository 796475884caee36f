package server_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/db/dbtest"
	"entrepot/internal/server"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// log is a log that may be read while it is written.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// config is the configuration of a server without a store.
func config(said *log) server.Config {
	return server.Config{Addr: "127.0.0.1:0", Limits: true, Version: "test",
		StoreConfig: server.StoreConfig{Dev: true, MinWait: dbtest.Timeout, Log: slog.New(slog.NewTextHandler(said, nil))}}
}

// engines runs a test with the configuration of a fresh store of each engine.
func engines(t *testing.T, test func(t *testing.T, c server.Config, said *log)) {
	t.Run("sqlite", func(t *testing.T) {
		said := &log{}
		c := config(said)
		c.Dir = t.TempDir()
		test(t, c, said)
	})
	t.Run("postgres", func(t *testing.T) {
		said := &log{}
		c := config(said)
		c.Dir, c.URL = t.TempDir(), dbtest.URL(t)
		test(t, c, said)
	})
}

// start runs a server until stop is called, which gives what Run returned.
func start(t *testing.T, c server.Config) (s *server.Server, stop func() error) {
	t.Helper()
	s, err := server.Listen(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- s.Run(ctx, func(*server.Store) { close(ready) }) }()
	select {
	case <-ready:
	case err := <-ended:
		cancel()
		t.Fatalf("the server ended: %v", err)
	case <-time.After(dbtest.Timeout):
		cancel()
		t.Fatalf("the server is not ready after %s", dbtest.Timeout)
	}
	var once sync.Once
	stop = func() (err error) {
		once.Do(func() {
			cancel()
			err = <-ended
		})
		return err
	}
	t.Cleanup(func() { stop() })
	return s, stop
}

func get(t *testing.T, address string) (int, string) {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// A service whose file cannot grow is not ready before a write is refused; on PostgreSQL the disk here is not the store's.
func TestNotReadyOnAFullDisk(t *testing.T) {
	engines(t, func(t *testing.T, c server.Config, said *log) {
		s, stop := start(t, c)
		defer stop()
		for _, free := range []uint64{1<<20 - 1, 1 << 20} {
			undo := server.SetFree(free)
			status, body := get(t, s.URL()+"/readyz")
			undo()
			if full := free < 1<<20 && c.URL == ""; (status == 503) != full || full && !strings.Contains(body, `"disk full"`) {
				t.Errorf("%d bytes left: %d %s", free, status, body)
			}
		}
		if status, _ := get(t, s.URL()+"/readyz"); status != 200 {
			t.Errorf("with room again: %d", status)
		}
	})
}

// A service that is stopped while it opens the store has not failed: a supervisor would report it, and start it again.
func TestStoppedWhileItStarts(t *testing.T) {
	engines(t, func(t *testing.T, c server.Config, said *log) {
		s, err := server.Listen(c)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Run(ctx, func(*server.Store) { t.Error("it is ready") }); err != nil {
			t.Errorf("%v", err)
		}
		if !strings.Contains(said.String(), "stopped before it was ready") {
			t.Errorf("it does not say so: %s", said)
		}
		s, stop := start(t, c)
		if status, _ := get(t, s.URL()+"/readyz"); status != 200 {
			t.Errorf("the next start: %d", status)
		}
		if err := stop(); err != nil {
			t.Errorf("%v", err)
		}
	})
}

func TestProbesAndUnknownPaths(t *testing.T) {
	engines(t, func(t *testing.T, c server.Config, said *log) {
		s, stop := start(t, c)
		for path, want := range map[string]string{"/healthz": `{"status":"ok","version":"test"}`, "/readyz": "ready", "/metrics": "go_goroutines"} {
			if status, body := get(t, s.URL()+path); status != 200 || !strings.Contains(body, want) {
				t.Errorf("%s: %d %.200s", path, status, body)
			}
			response, err := http.Post(s.URL()+path, "application/json", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(response.Body)
			response.Body.Close()
			if allowed := response.Header.Get("Allow"); response.StatusCode != 405 || allowed != "GET, HEAD" ||
				!strings.Contains(string(body), `"code":"method_not_allowed"`) || response.Header.Get("X-Request-Id") == "" {
				t.Errorf("POST %s: %d, Allow %q, %s", path, response.StatusCode, allowed, body)
			}
		}
		for accept, want := range map[string]int{"text/html,application/xhtml+xml,*/*;q=0.8": 303, "application/json": 404, "": 404} {
			request, err := http.NewRequest("GET", s.URL()+"/", nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Accept", accept)
			response, err := http.DefaultTransport.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(response.Body)
			response.Body.Close()
			if response.StatusCode != want || want == 303 && response.Header.Get("Location") != "/dashboard" ||
				want == 404 && !strings.Contains(string(body), `"not_found"`) {
				t.Errorf("GET / for %q: %d %v %.200s", accept, response.StatusCode, response.Header, body)
			}
		}
		if status, body := get(t, s.URL()+"/docs"); status != 200 || !strings.Contains(body, "<html") {
			t.Errorf("/docs: %d %.100s", status, body)
		}
		if status, body := get(t, s.URL()+"/nothing/here"); status != 404 || !strings.Contains(body, `"not_found"`) {
			t.Errorf("unknown path: %d %s", status, body)
		}
		for _, path := range []string{"/api/v1//orders", "/api/v1/orders/../orders", "/api/./v1/orders", "/api/v1/orders/"} {
			if status, body := get(t, s.URL()+path); status != 404 || !strings.Contains(body, `"not_found"`) {
				t.Errorf("%s: %d %s", path, status, body)
			}
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
		if _, err := http.Get(s.URL() + "/healthz"); err == nil {
			t.Error("it still listens")
		}
		if !strings.Contains(said.String(), "stopped") {
			t.Errorf("log: %s", said)
		}
	})
}

func TestFirstAccountComesFromTheEnvironmentOnce(t *testing.T) {
	engines(t, func(t *testing.T, c server.Config, said *log) {
		c.Admin = server.Admin{Email: "me@example.com", Password: "a long passphrase", Plan: "pro"}
		for range 2 {
			s, stop := start(t, c)
			response, err := http.Post(s.URL()+"/api/v1/auth/login", "application/json",
				strings.NewReader(`{"email":"me@example.com","password":"a long passphrase"}`))
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if response.StatusCode != 200 {
				t.Fatalf("login: %d", response.StatusCode)
			}
			if err := stop(); err != nil {
				t.Fatal(err)
			}
			c.Admin.Password = "another passphrase" // on a store that is not empty it means nothing
		}
		if n := strings.Count(said.String(), "first account made"); n != 1 {
			t.Errorf("%d first accounts", n)
		}
	})
}

func TestBadAdminIsRefusedAtTheStart(t *testing.T) {
	engines(t, func(t *testing.T, c server.Config, _ *log) {
		c.Admin = server.Admin{Email: "me@example.com", Password: "short"}
		s, err := server.Listen(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "ENTREPOT_ADMIN_PASSWORD") {
			t.Errorf("%v", err)
		}
	})
}

func TestSetUpLinkWorksOnce(t *testing.T) {
	engines(t, func(t *testing.T, c server.Config, said *log) {
		s, _ := start(t, c)
		link := regexp.MustCompile(`link="?(\S+?)"?\n`).FindStringSubmatch(said.String())
		if link == nil {
			t.Fatalf("no link in the log: %s", said)
		}
		if status, body := get(t, link[1]); status != 200 || !strings.Contains(body, "<form") {
			t.Fatalf("%d %s", status, body)
		}
		token := link[1][strings.Index(link[1], "token=")+6:]
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		browser := &http.Client{Jar: jar}
		post := func(token, password string) (int, string) {
			response, err := browser.PostForm(s.URL()+"/setup", url.Values{"token": {token}, "account": {"Corner shop"}, "currency": {"EUR"},
				"name": {"Me"}, "email": {"me@example.com"}, "password": {password}})
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body, _ := io.ReadAll(response.Body)
			return response.StatusCode, string(body)
		}
		if status, body := post("guessed", "a long passphrase"); status != 404 || !strings.Contains(body, "not known") {
			t.Errorf("a guessed token: %d %s", status, body)
		}
		if status, body := post(token, "short"); status != 422 || !strings.Contains(body, "8 to 200 characters") {
			t.Errorf("a short password: %d %s", status, body)
		}
		if status, body := post(token, "a long passphrase"); status != 200 || !strings.Contains(body, "Welcome") ||
			!strings.Contains(body, "Corner shop") {
			t.Fatalf("%d %s", status, body)
		}
		if status, _ := post(token, "a long passphrase"); status != 404 {
			t.Errorf("the second time: %d", status)
		}
	})
}

func TestNodesOfOneStoreNeedTheSameMasterKey(t *testing.T) {
	engines(t, func(t *testing.T, c server.Config, _ *log) {
		c.MasterKey = strings.Repeat("ab", 32)
		_, stop := start(t, c)
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		c.MasterKey = strings.Repeat("cd", 32)
		if _, err := server.OpenStore(t.Context(), c.StoreConfig); err == nil || !strings.Contains(err.Error(), "ENTREPOT_MASTER_KEY") {
			t.Errorf("another key: %v", err)
		}
		c.MasterKey = "nonsense"
		if _, err := server.OpenStore(t.Context(), c.StoreConfig); err == nil {
			t.Error("nonsense was taken for a key")
		}
	})
}

// A request that is under way when the end begins is answered; the process ends after it. Until then other requests get 503 with
// Retry-After.
func TestRequestsUnderWayFinish(t *testing.T) {
	dbtest.Long(t, "requests take their time")
	engines(t, func(t *testing.T, c server.Config, _ *log) {
		c.Admin = server.Admin{Email: "me@example.com", Password: "a long passphrase", Plan: "pro"}
		s, stop := start(t, c)
		body, send := io.Pipe()
		request, err := http.NewRequestWithContext(t.Context(), "POST", s.URL()+"/api/v1/auth/login", body)
		if err != nil {
			t.Fatal(err)
		}
		request.Header = http.Header{"Content-Type": {"application/json"}, "Expect": {"100-continue"}}
		patient := http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute}} // sends the body once the server reads it
		answered := make(chan int, 1)
		go func() {
			response, err := patient.Do(request)
			if err != nil {
				t.Error(err)
				answered <- 0
				return
			}
			response.Body.Close()
			answered <- response.StatusCode
		}()
		io.WriteString(send, `{"email":"me@example.com",`)
		ended := make(chan error, 1)
		go func() { ended <- stop() }()
		for status := 200; status != 503; { // the end has begun
			response, err := http.Get(s.URL() + "/readyz")
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			status = response.StatusCode
		}
		for _, path := range []string{"/readyz", "/api/v1/account"} {
			response, err := http.Get(s.URL() + path)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if response.StatusCode != 503 || response.Header.Get("Retry-After") == "" {
				t.Errorf("%s while draining: %d, Retry-After %q", path, response.StatusCode, response.Header.Get("Retry-After"))
			}
		}
		io.WriteString(send, `"password":"a long passphrase"}`)
		send.Close()
		if status := <-answered; status != 200 {
			t.Errorf("the request under way: %d", status)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestAnAddressInUseIsToldBeforeTheStoreIsTouched(t *testing.T) {
	c := server.Config{Addr: "127.0.0.1:0"}
	c.Dir = t.TempDir()
	s, _ := start(t, c)
	c.Addr = s.Address()
	if _, err := server.Listen(c); err == nil || !strings.Contains(err.Error(), c.Addr) {
		t.Errorf("%v", err)
	}
}
