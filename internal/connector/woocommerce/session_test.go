package woocommerce_test

import (
	"net/http"
	"strings"
	"testing"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
)

// plain is a site without pretty addresses: it answers them with lost, and its REST interface at another address.
func plain(lost http.HandlerFunc) func(http.Handler) http.Handler {
	return func(shop http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if route := r.URL.Query().Get("rest_route"); route != "" && r.URL.Path == "/" {
				r.URL.Path = "/wp-json" + route
				shop.ServeHTTP(w, r)
				return
			}
			lost(w, r)
		})
	}
}

// A shop is found at what merchants copy from their browser, and without pretty addresses, whatever the site answers to those.
func TestAddressesOfShops(t *testing.T) {
	for name, c := range map[string]struct {
		path   string
		before func(http.Handler) http.Handler
	}{
		"its home": {}, "with a slash": {path: "/"}, "its REST interface": {path: "/wp-json/wc/v3"},
		"its back office":                 {path: "/wp-admin/index.php"},
		"its login":                       {path: "/wp-login.php"},
		"in a folder":                     {"/shop", func(shop http.Handler) http.Handler { return http.StripPrefix("/shop", shop) }},
		"plain addresses, pages with 404": {"", plain(http.NotFound)},
		"plain addresses, lost ones lead home": {"", plain(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/", http.StatusMovedPermanently)
		})},
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
