package tiktokshop_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/tiktokshop"
	"entrepot/internal/connector/tiktokshop/fakeshop"
	"entrepot/internal/netguard"
)

// shop is a fake shop that answers, and the clock that both sides go by: sleeping moves it.
type shop struct {
	*fakeshop.Shop
	session  connector.Session
	client   *connector.Client
	kept     connector.Credentials // what Renew has stored
	pictures string
	now      time.Time
	skew     time.Duration // of the service's clock
}

func (s *shop) Renew(ctx context.Context, name, stale string,
	renew func(context.Context, connector.Credentials) (connector.Credentials, error)) (connector.Credentials, error) {
	if s.kept[name] != stale {
		return s.kept, nil
	}
	fresh, err := renew(ctx, maps.Clone(s.kept))
	if err == nil {
		maps.Copy(s.kept, fresh)
	}
	return s.kept, err
}

func newShop(t *testing.T, settings map[string]string) *shop {
	t.Helper()
	s := &shop{Shop: fakeshop.New(), now: time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)}
	s.Now = func() time.Time { return s.now }
	server := httptest.NewServer(s.Shop)
	pictures := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("\x89PNG\r\n\x1a\n0123456789"))
	}))
	t.Cleanup(func() { server.Close(); pictures.Close() })
	s.pictures = pictures.URL
	s.kept = connector.Credentials{"baseUrl": server.URL, "appKey": fakeshop.AppKey, "appSecret": fakeshop.AppSecret,
		"accessToken": fakeshop.AccessToken, "refreshToken": fakeshop.RefreshToken, "shopCipher": fakeshop.Cipher}
	c := tiktokshop.New()
	ours := func() time.Time { return s.now.Add(s.skew) }
	s.client = connector.NewClients(&netguard.Guard{Dev: true}, "entrepot/test").Timed(ours, func(_ context.Context, d time.Duration) error {
		s.now = s.now.Add(d)
		return nil
	}).Client("channel", c.Capabilities().Limits)
	s.session = c.Open(connector.Link{Client: s.client, Tokens: s, Now: ours,
		Channel: connector.Channel{ID: "channel", Platform: "TIKTOK_SHOP", Credentials: maps.Clone(s.kept), Settings: settings}})
	return s
}

// reopen opens a session with the credentials as they are stored now.
func (s *shop) reopen() {
	s.session = tiktokshop.New().Open(connector.Link{Client: s.client, Tokens: s, Now: s.Now, Channel: connector.Channel{Credentials: s.kept}})
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

// A test says whose shop it is and names what the app may not do; a token that ended is renewed with the pair that was stored, and one that
// was withdrawn is refused.
func TestShopIsTestedAndTokensRotate(t *testing.T) {
	s := newShop(t, nil)
	if got := must(s.session.Test(t.Context()))(t); got.Name != "Fake Shop" || got.Currency != "EUR" || len(got.Missing) != 0 {
		t.Errorf("%+v", got)
	}
	for n := range 3 {
		s.Expire()
		must(s.session.Test(t.Context()))(t)
		if want := fmt.Sprintf("refresh-%d", n+1); s.kept["refreshToken"] != want || s.Renewed() != n+1 {
			t.Errorf("renewed %d times, the refresh token is %s", s.Renewed(), s.kept["refreshToken"])
		}
	}
	s.NoScope = "/product/"
	if got := must(s.session.Test(t.Context()))(t); len(got.Missing) != 1 || !strings.Contains(got.Missing[0], "products") {
		t.Errorf("%+v", got)
	}
	s.NoScope = "/return_refund/"
	got := must(s.session.Test(t.Context()))(t)
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
		"secret": func(s *shop) { s.kept["appSecret"] = "other" }, "key": func(s *shop) { s.kept["appKey"] = "other" },
	} {
		s := newShop(t, nil)
		change(s)
		s.reopen()
		if _, err := s.session.Test(t.Context()); !connector.Is(err, connector.Unauthorized) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := newShop(t, nil)
	s.kept["shopCipher"] = "ROW_other"
	s.reopen()
	if got := must(s.session.Test(t.Context()))(t); len(got.Missing) != 1 {
		t.Errorf("another cipher: %+v", got)
	}
	for _, skew := range []time.Duration{-20 * time.Minute, 20 * time.Minute, 40 * time.Second} {
		s := newShop(t, nil)
		s.skew = skew
		must(s.session.Test(t.Context()))(t)
	}
}

// Webhooks are registered once, and RemoveWebhooks removes only those with the given address.
func TestWebhooks(t *testing.T) {
	s := newShop(t, nil)
	target := connector.WebhookTarget{URL: "https://entrepot.example/tiktok"}
	for range 2 {
		if on := must(s.session.EnsureWebhooks(t.Context(), target))(t); len(on) != 8 || len(s.Hooks()) != 8 {
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
