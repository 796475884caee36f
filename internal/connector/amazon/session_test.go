package amazon_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/amazon"
	"entrepot/internal/connector/amazon/fakeshop"
	"entrepot/internal/netguard"
)

// account is a fake account that answers, and the clock that both sides go by: sleeping moves it.
type account struct {
	*fakeshop.Account
	session  connector.Session
	clients  *connector.Clients
	kept     connector.Credentials // what Renew has stored
	settings map[string]string
	facts    map[string]string
	renewed  int
	ticks    sync.Mutex // guards now: a handler whose answer is lost may still read it
	now      time.Time
}

func (a *account) Fact(name string) string { return a.facts[name] }

func (a *account) Keep(name, value string) {
	if a.facts[name] = value; value == "" {
		delete(a.facts, name)
	}
}

func (a *account) Renew(ctx context.Context, name, stale string,
	renew func(context.Context, connector.Credentials) (connector.Credentials, error)) (connector.Credentials, error) {
	if a.kept[name] != stale {
		return a.kept, nil
	}
	fresh, err := renew(ctx, a.kept)
	if err == nil {
		for field, value := range fresh {
			a.kept[field] = value
		}
		a.renewed++
	}
	return a.kept, err
}

func (a *account) clock() time.Time {
	a.ticks.Lock()
	defer a.ticks.Unlock()
	return a.now
}

// pass lets time pass.
func (a *account) pass(d time.Duration) {
	a.ticks.Lock()
	defer a.ticks.Unlock()
	a.now = a.now.Add(d)
}

func newAccount(t *testing.T) *account {
	t.Helper()
	a := &account{Account: fakeshop.New(), now: time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC), facts: map[string]string{},
		settings: map[string]string{}}
	a.Now = a.clock
	server := httptest.NewServer(a.Account)
	t.Cleanup(server.Close)
	a.kept = connector.Credentials{"baseUrl": server.URL, "sellerId": fakeshop.SellerID, "marketplaceId": fakeshop.MarketplaceID,
		"clientId": fakeshop.ClientID, "clientSecret": fakeshop.ClientSecret, "refreshToken": fakeshop.RefreshToken}
	a.clients = connector.NewClients(&netguard.Guard{Dev: true}, "entrepot/test").Timed(a.Now, func(_ context.Context, d time.Duration) error {
		a.pass(d)
		return nil
	})
	a.open()
	return a
}

// open begins a session anew, as each job does.
func (a *account) open() {
	c := amazon.New()
	a.session = c.Open(connector.Link{Client: a.clients.Client("channel", c.Capabilities().Limits), Tokens: a, Facts: a, Now: a.Now,
		Channel: connector.Channel{ID: "channel", Platform: "AMAZON", Credentials: a.kept, Settings: a.settings}})
}

func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// again repeats a call as the service does: later, in a new session, until it succeeds or waiting does not help.
func (a *account) again(t *testing.T, call func() error) {
	t.Helper()
	for range 60 {
		err := call()
		if sent := a.session.(connector.Collector).Send(t.Context()); sent != nil {
			err = sent
		}
		f := connector.FailureOf(err)
		if f == nil {
			return
		}
		if f.Lasting() && f.Kind != connector.Underway {
			t.Fatal(err)
		}
		a.pass(max(f.After, time.Minute))
		a.open()
	}
	t.Fatal("it never ends")
}

func TestTestNamesWhatIsMissing(t *testing.T) {
	a := newAccount(t)
	shop := must(a.session.Test(t.Context()))(t)
	if shop.Name != "Fake store Amazon.de" || shop.Currency != "EUR" || len(shop.Missing) != 0 || shop.URL != "https://www.amazon.de" {
		t.Errorf("%+v", shop)
	}
	if a.Listings() != 0 {
		t.Error("the test made a listing")
	}
	for name, c := range map[string]struct {
		faults fakeshop.Faults
		want   string
	}{
		"orders":   {fakeshop.Faults{NoOrders: true}, "role to read orders"},
		"listings": {fakeshop.Faults{NoListings: true}, "may not write listings"},
	} {
		a.Faults = c.faults
		a.open()
		if shop := must(a.session.Test(t.Context()))(t); len(shop.Missing) != 1 || !strings.Contains(shop.Missing[0], c.want) {
			t.Errorf("%s: %q", name, shop.Missing)
		}
	}
	a.Faults = fakeshop.Faults{NoPersons: true} // can be done without
	a.open()
	if shop := must(a.session.Test(t.Context()))(t); len(shop.Missing) != 0 || a.facts["personalData"] != "no" {
		t.Errorf("%+v, %v", shop, a.facts)
	}
	a.Faults = fakeshop.Faults{} // the app got the role
	a.open()
	if shop := must(a.session.Test(t.Context()))(t); len(shop.Missing) != 0 || a.facts["personalData"] != "" {
		t.Errorf("%q, %v", shop.Missing, a.facts)
	}
	a.kept["marketplaceId"] = "A13V1IB3VIYZZH"
	a.open()
	if shop := must(a.session.Test(t.Context()))(t); len(shop.Missing) == 0 || !strings.Contains(shop.Missing[0], fakeshop.MarketplaceID) {
		t.Errorf("%q", shop.Missing)
	}
}

func TestTokensAreRenewed(t *testing.T) {
	a := newAccount(t)
	a.Rotate = true
	for _, end := range []func(){func() {}, a.Expire, func() { a.pass(time.Hour) }, a.Expire} {
		end()
		a.open()
		must(a.session.Test(t.Context()))(t)
	}
	if a.renewed != 4 || a.kept["refreshToken"] == fakeshop.RefreshToken {
		t.Errorf("renewed %d times, the refresh token is %q", a.renewed, a.kept["refreshToken"])
	}
	a.Revoke()
	a.open()
	if _, err := a.session.Test(t.Context()); !connector.Is(err, connector.Unauthorized) {
		t.Errorf("%v", err)
	}
}

// If the app lacks a role, tokens are not renewed again and again, and no new credentials are requested.
func TestARoleIsNoToken(t *testing.T) {
	a := newAccount(t)
	a.NoOrders = true
	for range 3 {
		if _, err := a.session.PullOrder(t.Context(), "304-1"); !connector.Is(err, connector.Forbidden) {
			t.Errorf("%v", err)
		}
	}
	if a.renewed != 1 {
		t.Errorf("renewed %d times", a.renewed)
	}
}

func TestLimitsAreKept(t *testing.T) {
	a := newAccount(t)
	for range 20 {
		must(a.session.PullOrders(t.Context(), connector.Cursor{}))(t)
	}
	_, err := a.session.PullOrders(t.Context(), connector.Cursor{})
	if f := connector.FailureOf(err); f == nil || f.Kind != connector.Throttled || f.After < time.Minute || f.After > 3*time.Minute {
		t.Fatalf("%v", err)
	}
	if refused := a.Calls()["429"]; refused != 0 {
		t.Errorf("%d requests were too many", refused)
	}
	a.TooMany = 1 // another service uses the same app
	a.pass(time.Hour)
	_, err = a.session.PullOrders(t.Context(), connector.Cursor{})
	if f := connector.FailureOf(err); f == nil || f.Kind != connector.Throttled || f.Code != "QuotaExceeded" || f.After < time.Minute {
		t.Errorf("%v", err)
	}
}
