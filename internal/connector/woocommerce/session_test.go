package woocommerce_test

import (
	"net/http"
	"strings"
	"testing"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
)

// A shop is found at what merchants copy from their browser.
func TestAddressesOfShops(t *testing.T) {
	for name, c := range map[string]struct {
		path   string
		before func(http.Handler) http.Handler
	}{
		"its home": {}, "with a slash": {path: "/"}, "its REST interface": {path: "/wp-json/wc/v3"},
		"its back office": {path: "/wp-admin/index.php"},
		"its login":       {path: "/wp-login.php"},
		"in a folder":     {"/shop", func(shop http.Handler) http.Handler { return http.StripPrefix("/shop", shop) }},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShopAt(t, c.path, c.before)
			if found := connectortest.Must(s.session.Test(t.Context()))(t); found.Name != "Mug Shop" || len(found.Missing) != 0 {
				t.Errorf("%+v", found)
			}
		})
	}
	s := newShopAt(t, "", func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/en"+r.URL.Path, http.StatusFound) })
	})
	_, err := s.session.Test(t.Context())
	if !connector.Is(err, connector.Rejected) || !strings.Contains(err.Error(), "/en/wp-json/wc/v3/orders") {
		t.Errorf("a plugin that redirects: %v", err)
	}
}

// With plain permalinks WooCommerce reads no keys: the test says what to change, also where lost pages lead home, and nothing is kept, so that
// it works afterwards.
func TestPlainPermalinks(t *testing.T) {
	for name, home := range map[string]bool{"pages with 404": false, "lost ones lead home": true} {
		s := newShopAt(t, "", func(shop http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if home && strings.HasPrefix(r.URL.Path, "/wp-json") {
					http.Redirect(w, r, "/", http.StatusMovedPermanently)
					return
				}
				shop.ServeHTTP(w, r)
			})
		})
		s.Habits.Plain = true
		if _, err := s.session.Test(t.Context()); !connector.Is(err, connector.Rejected) || !strings.Contains(err.Error(), "Settings → Permalinks") {
			t.Errorf("%s: %v", name, err)
		}
		s.Habits.Plain, home = false, false
		connectortest.Must(s.session.Test(t.Context()))(t)
	}
}

// A shop that stops taking the key in the way it took it before is called in the other way from then on.
func TestShopsThatChangeTheirWay(t *testing.T) {
	s := newShop(t)
	s.Facts["auth"] = "header"
	connectortest.Must(s.session.Test(t.Context()))(t)
	s.Habits.Signed = true
	connectortest.Must(s.session.Test(t.Context()))(t)
	if s.Facts["auth"] != "signed" {
		t.Errorf("called in the way %q", s.Facts["auth"])
	}
}
