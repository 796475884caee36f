package tiktokshop_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/tiktokshop"
	"entrepot/internal/connector/tiktokshop/fakeshop"
)

// shop is a fake shop that answers, pictures beside it, and the service that calls it.
type shop struct {
	*fakeshop.Shop
	*connectortest.Host
	session  connector.Session
	pictures string
}

func newShop(t *testing.T, settings map[string]string) *shop {
	t.Helper()
	s := &shop{Shop: fakeshop.New(), pictures: connectortest.Pictures(t)}
	s.Host = connectortest.NewHost(nil, connector.Credentials{"baseUrl": connectortest.Serve(t, s.Shop), "appKey": fakeshop.AppKey,
		"appSecret": fakeshop.AppSecret, "accessToken": fakeshop.AccessToken, "refreshToken": fakeshop.RefreshToken,
		"shopCipher": fakeshop.Cipher})
	s.Settings, s.Now = settings, s.Clock
	s.reopen()
	return s
}

// reopen opens a session with the credentials as they are stored now.
func (s *shop) reopen() { s.session = s.Open(tiktokshop.New()) }

// A test says whose shop it is and names what the app may not do; a token that ended is renewed with the pair that was stored, and one that
// was withdrawn is refused.
func TestShopIsTestedAndTokensRotate(t *testing.T) {
	s := newShop(t, nil)
	if got := connectortest.Must(s.session.Test(t.Context()))(t); got.Name != "Fake Shop" || got.Currency != "EUR" || len(got.Missing) != 0 {
		t.Errorf("%+v", got)
	}
	for n := range 3 {
		s.Expire()
		connectortest.Must(s.session.Test(t.Context()))(t)
		if want := fmt.Sprintf("refresh-%d", n+1); s.Kept["refreshToken"] != want || s.Renewed() != n+1 {
			t.Errorf("renewed %d times, the refresh token is %s", s.Renewed(), s.Kept["refreshToken"])
		}
	}
	s.NoScope = "/product/"
	if got := connectortest.Must(s.session.Test(t.Context()))(t); len(got.Missing) != 1 || !strings.Contains(got.Missing[0], "products") {
		t.Errorf("%+v", got)
	}
	s.NoScope = "/return_refund/"
	got := connectortest.Must(s.session.Test(t.Context()))(t)
	if len(got.Missing) != 0 || len(got.Lacking) != 1 || !strings.Contains(got.Lacking[0], "returns") {
		t.Errorf("%+v", got)
	}
	s.Revoke()
	if _, err := s.session.Test(t.Context()); !connector.Is(err, connector.Unauthorized) {
		t.Errorf("%v", err)
	}
}

// Wrong credentials are refused as such; a clock that is wrong is set by the platform's.
func TestCredentialsAndClock(t *testing.T) {
	for name, change := range map[string]func(*shop){
		"secret": func(s *shop) { s.Kept["appSecret"] = "other" }, "key": func(s *shop) { s.Kept["appKey"] = "other" },
	} {
		s := newShop(t, nil)
		change(s)
		s.reopen()
		if _, err := s.session.Test(t.Context()); !connector.Is(err, connector.Unauthorized) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := newShop(t, nil)
	s.Kept["shopCipher"] = "ROW_other"
	s.reopen()
	if got := connectortest.Must(s.session.Test(t.Context()))(t); len(got.Missing) != 1 {
		t.Errorf("another cipher: %+v", got)
	}
	for _, skew := range []time.Duration{-20 * time.Minute, 20 * time.Minute, 40 * time.Second} {
		s := newShop(t, nil)
		s.Ahead = skew
		connectortest.Must(s.session.Test(t.Context()))(t)
	}
}

// Webhooks are registered once, and RemoveWebhooks removes only those with the given address.
func TestWebhooks(t *testing.T) {
	s := newShop(t, nil)
	target := connector.WebhookTarget{URL: "https://entrepot.example/tiktok"}
	for range 2 {
		if on := connectortest.Must(s.session.EnsureWebhooks(t.Context(), target))(t); len(on) != 8 || len(s.Hooks()) != 8 {
			t.Errorf("%d on, the shop has %v", len(on), s.Hooks())
		}
	}
	if n := s.Calls("PUT /event"); n != 8 {
		t.Errorf("registered %d times", n)
	}
	elsewhere := connector.WebhookTarget{URL: "https://elsewhere.example"}
	if err := s.session.RemoveWebhooks(t.Context(), elsewhere); err != nil || len(s.Hooks()) != 8 {
		t.Errorf("%v, %v", err, s.Hooks())
	}
	if err := s.session.RemoveWebhooks(t.Context(), target); err != nil || len(s.Hooks()) != 0 {
		t.Errorf("%v, %v", err, s.Hooks())
	}
}
