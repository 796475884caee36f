package harness

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Scopes is every scope that writes; a write scope reads as well (interface §5.1).
var Scopes = []string{
	"write:products", "write:categories", "write:inventory", "write:orders", "write:customers",
	"write:channels", "write:analytics", "write:webhooks", "write:attributes", "write:users",
}

// Account is one merchant account on a server.
type Account struct {
	Email, Password string
	Owner           Client // the owner's login
	Key             Client // an API key of every scope
	Nobody          Client // no credential

	server *Server
	mu     sync.Mutex
	viewer *Client
}

var accountNumber atomic.Int64

// NewAccount makes an account with the command line, logs its owner in and makes a key of every scope.
func (s *Server) NewAccount(t testing.TB, plan string) *Account {
	t.Helper()
	n := accountNumber.Add(1)
	email := fmt.Sprintf("owner%d@merchant.example", n)
	password := fmt.Sprintf("a long pass phrase %d", n)
	if _, err := s.Command("account", "create", "--name", fmt.Sprintf("Merchant %d", n), "--plan", plan,
		"--owner-email", email, "--owner-password", password, "--json"); err != nil {
		t.Fatal(err)
	}
	return s.account(t, email, password)
}

// FirstAccount is the account the service made for itself at its first start.
func (s *Server) FirstAccount(t testing.TB) *Account {
	t.Helper()
	return s.account(t, AdminEmail, AdminPassword)
}

// Other is a second merchant on the same store, the same one at each call; its ids are foreign to all others.
func (s *Server) Other(t testing.TB) *Account {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.other == nil {
		s.other = s.NewAccount(t, "enterprise")
	}
	return s.other
}

func (s *Server) account(t testing.TB, email, password string) *Account {
	t.Helper()
	a := &Account{Email: email, Password: password, server: s, Nobody: Client{Base: s.Base}}
	a.Owner = a.Login(t, email, password)
	a.Key = a.NewKey(t, "all", Scopes...)
	return a
}

// Login exchanges an e-mail and a password for a Bearer client.
func (a *Account) Login(t testing.TB, email, password string) Client {
	t.Helper()
	answer, err := a.Nobody.Call(http.MethodPost, "/api/v1/auth/login",
		map[string]string{"email": email, "password": password})
	if err != nil {
		t.Fatal(err)
	}
	token := answer.Text("data", "accessToken")
	if answer.Status/100 != 2 || token == "" {
		t.Fatalf("logging in: %s", answer)
	}
	return Client{Base: a.server.Base, Bearer: token}
}

// NewKey makes an API key of the given scopes and returns a client that sends it as X-API-Key.
func (a *Account) NewKey(t testing.TB, name string, scopes ...string) Client {
	t.Helper()
	answer, err := a.Owner.Call(http.MethodPost, "/api/v1/developer/api-keys",
		map[string]any{"name": name, "scopes": scopes})
	if err != nil {
		t.Fatal(err)
	}
	key := answer.Text("data", "key")
	if answer.Status != http.StatusCreated || key == "" {
		t.Fatalf("making an API key: %s", answer)
	}
	return Client{Base: a.server.Base, Key: key}
}

// Viewer is a logged-in user of the account with the role viewer.
func (a *Account) Viewer(t testing.TB) Client {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.viewer == nil {
		email := "viewer-" + a.Email
		answer, err := a.Owner.Call(http.MethodPost, "/api/v1/users", map[string]any{
			"email": email, "name": "Vera Viewer", "role": "viewer", "password": "only looking around 1"})
		if err != nil {
			t.Fatal(err)
		}
		if answer.Status != http.StatusCreated {
			t.Fatalf("making a viewer: %s", answer)
		}
		viewer := a.Login(t, email, "only looking around 1")
		a.viewer = &viewer
	}
	return *a.viewer
}

// Endpoint registers a webhook endpoint for every event at the receiver's address and gives the inbox its secret.
func (a *Account) Endpoint(t testing.TB, inbox *Inbox, events ...string) string {
	t.Helper()
	if len(events) == 0 {
		events = []string{"*"}
	}
	answer, err := a.Key.Call(http.MethodPost, "/api/v1/developer/webhooks",
		map[string]any{"url": inbox.URL, "events": events})
	if err != nil {
		t.Fatal(err)
	}
	secret := answer.Text("data", "secret")
	if answer.Status != http.StatusCreated || !strings.HasPrefix(secret, "whsec_") {
		t.Fatalf("registering a webhook endpoint: %s", answer)
	}
	inbox.Secret(secret)
	return answer.Text("data", "id")
}

// Event is one entry of the account's event log.
type Event struct {
	ID   string
	Kind string
	Data any
	Raw  any
}

// Resource is what an event is about, "" if that is not known: events of one resource keep their order.
func (e Event) Resource() string {
	for _, member := range []string{"orderId", "sku", "id"} {
		if of, _ := At(e.Data, member).(string); of != "" && (member != "sku" || strings.HasPrefix(e.Kind, "stock.")) {
			return of
		}
	}
	return ""
}

// Log reads the account's event log after the given event id ("" reads all), oldest first.
func (a *Account) Log(after string) ([]Event, error) {
	var events []Event
	for {
		path := "/api/v1/developer/events?limit=100"
		if after != "" {
			path += "&after=" + after
		}
		answer, err := a.Key.Call(http.MethodGet, path, nil)
		if err != nil {
			return nil, err
		}
		if answer.Status != http.StatusOK {
			return nil, fmt.Errorf("reading the event log: %s", answer)
		}
		page := answer.List("data")
		for _, entry := range page {
			id, _ := At(entry, "id").(string)
			kind, _ := At(entry, "event").(string)
			if id == "" || kind == "" {
				return nil, fmt.Errorf("an entry of the event log has no id or no event: %s", answer)
			}
			events = append(events, Event{ID: id, Kind: kind, Data: At(entry, "data"), Raw: entry})
			after = id
		}
		if len(page) == 0 {
			return events, nil
		}
	}
}

// Eventually calls f until it returns nil or the time is over, then returns its last error.
func Eventually(within time.Duration, f func() error) error {
	deadline := time.Now().Add(within)
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		err := f()
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(pause)
	}
}
