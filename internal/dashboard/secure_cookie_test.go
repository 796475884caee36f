package dashboard

import (
	"net/http"
	"strings"
	"testing"

	"entrepot/internal/base/netguard"
)

// Behind a trusted proxy that says https, the session's cookie goes over https only; anybody else may say what he likes.
func TestTheCookieBehindAProxy(t *testing.T) {
	for _, c := range []struct {
		proxies, from, proto, public, host string
		secure                             bool
	}{
		{"", "10.0.0.7:1", "https", "", "shop.example", false},
		{"10.0.0.7", "10.0.0.7:1", "https", "", "shop.example", true},
		{"10.0.0.7", "10.0.0.7:1", "HTTPS", "", "127.0.0.1:8080", true},
		{"10.0.0.0/8", "10.1.2.3:1", "https, http", "", "shop.example", true},
		{"10.0.0.7", "10.0.0.7:1", "http", "", "shop.example", false},
		{"10.0.0.7", "10.0.0.7:1", "", "", "shop.example", false},
		{"10.0.0.7", "10.0.0.8:1", "https", "", "shop.example", false},
		{"", "10.0.0.8:1", "", "https://shop.example", "shop.example", true},
		{"::1", "[::1]:1", "https", "http://shop.example", "shop.example", true},
	} {
		proxies, err := netguard.ParseProxies(c.proxies)
		if err != nil {
			t.Fatal(err)
		}
		hr := &http.Request{RemoteAddr: c.from, Host: c.host, Header: http.Header{}}
		if c.proto != "" {
			hr.Header.Set("X-Forwarded-Proto", c.proto)
		}
		r := &request{d: &Dashboard{Config: Config{Proxies: proxies, PublicURL: c.public}}, http: hr}
		for _, cookie := range r.sessionCookies("ds_1", 60) {
			if cookie.Secure != c.secure || strings.HasPrefix(cookie.Name, "__Secure-") != c.secure {
				t.Errorf("%+v: %v", c, cookie)
			}
		}
	}
}
