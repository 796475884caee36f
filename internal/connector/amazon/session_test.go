package amazon_test

import (
	"strings"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/amazon"
	"entrepot/internal/connector/amazon/fakeshop"
	"entrepot/internal/connector/connectortest"
)

// account is a fake account that answers, and the service that calls it.
type account struct {
	*fakeshop.Account
	*connectortest.Host
	session connector.Session
}

func newAccount(t *testing.T) *account {
	t.Helper()
	a := &account{Account: fakeshop.New()}
	a.Host = connectortest.NewHost(nil, connector.Credentials{"baseUrl": connectortest.Serve(t, a.Account), "sellerId": fakeshop.SellerID,
		"marketplaceId": fakeshop.MarketplaceID, "clientId": fakeshop.ClientID, "clientSecret": fakeshop.ClientSecret,
		"refreshToken": fakeshop.RefreshToken})
	a.Now = a.Clock
	a.open()
	return a
}

// open begins a session anew, as each job does.
func (a *account) open() { a.session = a.Open(amazon.New()) }

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
		a.Pass(max(f.After, time.Minute))
		a.open()
	}
	t.Fatal("it never ends")
}

func TestTestNamesWhatIsMissing(t *testing.T) {
	a := newAccount(t)
	shop := connectortest.Must(a.session.Test(t.Context()))(t)
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
		if shop := connectortest.Must(a.session.Test(t.Context()))(t); len(shop.Missing) != 1 || !strings.Contains(shop.Missing[0], c.want) {
			t.Errorf("%s: %q", name, shop.Missing)
		}
	}
	a.Faults = fakeshop.Faults{NoPersons: true} // can be done without
	a.open()
	if shop := connectortest.Must(a.session.Test(t.Context()))(t); len(shop.Missing) != 0 || a.Facts["personalData"] != "no" {
		t.Errorf("%+v, %v", shop, a.Facts)
	}
	a.Faults = fakeshop.Faults{} // the app got the role
	a.open()
	if shop := connectortest.Must(a.session.Test(t.Context()))(t); len(shop.Missing) != 0 || a.Facts["personalData"] != "" {
		t.Errorf("%q, %v", shop.Missing, a.Facts)
	}
	a.Kept["marketplaceId"] = "A13V1IB3VIYZZH"
	a.open()
	shop = connectortest.Must(a.session.Test(t.Context()))(t)
	if len(shop.Missing) == 0 || !strings.Contains(shop.Missing[0], fakeshop.MarketplaceID) {
		t.Errorf("%q", shop.Missing)
	}
}

func TestTokensAreRenewed(t *testing.T) {
	a := newAccount(t)
	a.Rotate = true
	for _, end := range []func(){func() {}, a.Expire, func() { a.Pass(time.Hour) }, a.Expire} {
		end()
		a.open()
		connectortest.Must(a.session.Test(t.Context()))(t)
	}
	if a.Renewals != 4 || a.Kept["refreshToken"] == fakeshop.RefreshToken {
		t.Errorf("renewed %d times, the refresh token is %q", a.Renewals, a.Kept["refreshToken"])
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
	if a.Renewals != 1 {
		t.Errorf("renewed %d times", a.Renewals)
	}
}

// Amazon limits each operation by itself: spent searches for orders hold none of the channel's other jobs back.
func TestLimitsAreKept(t *testing.T) {
	a := newAccount(t)
	for range 20 {
		connectortest.Must(a.session.PullOrders(t.Context(), connector.Cursor{}))(t)
	}
	_, err := a.session.PullOrders(t.Context(), connector.Cursor{})
	if f := connector.FailureOf(err); f == nil || f.Kind != connector.Throttled || !f.Share || f.After < time.Minute || f.After > 3*time.Minute {
		t.Fatalf("%+v", f)
	}
	if refused := a.Calls()["429"]; refused != 0 {
		t.Errorf("%d requests were too many", refused)
	}
	a.TooMany = 1 // another service uses the same app
	a.Pass(time.Hour)
	_, err = a.session.PullOrders(t.Context(), connector.Cursor{})
	if f := connector.FailureOf(err); f == nil || f.Kind != connector.Throttled || !f.Share || f.Code != "QuotaExceeded" || f.After < time.Minute {
		t.Errorf("%+v", f)
	}
}
