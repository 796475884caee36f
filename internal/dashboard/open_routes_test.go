package dashboard

import (
	"net/http"
	"testing"

	"entrepot/internal/base/netguard"
)

// Routes that need no session count against the limit of the client's address, as requests of the API without a credential do; pages of a
// session do not.
func TestOpenRoutesAreCounted(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.stopLimits()
		var err error
		if s.Proxies, err = netguard.ParseProxies("127.0.0.1/32"); err != nil {
			t.Fatal(err)
		}
		inside := s.as(s.owner)
		for i, c := range []struct{ method, path string }{{"POST", "/login"}, {"GET", "/login"}, {"POST", "/logout"}, {"GET", "/setup?token=x"},
			{"POST", "/setup"}, {"GET", "/nothing"}, {"GET", "/orders"}, {"POST", "/products/new"}, {"GET", "/live"}} {
			outside := s.browser()
			outside.header.Set("X-Forwarded-For", "203.0.113."+string(rune('1'+i)))
			inside.header = outside.header
			send := func() reply {
				return outside.send(c.method, prefix+c.path, http.NoBody, "application/x-www-form-urlencoded")
			}
			for n := range 20 {
				if out := send(); out.status == 429 {
					t.Fatalf("%s %s: request %d is refused", c.method, c.path, n+1)
				}
			}
			if out := send(); out.status != 429 || out.header.Get("Retry-After") == "" {
				t.Errorf("%s %s: 21 requests in a second: %d %v", c.method, c.path, out.status, out.header)
			}
			if out := inside.get("/orders"); out.status != 200 {
				t.Errorf("with a session: %d", out.status)
			}
			if out := outside.send("GET", staticPath+"app.css", nil, ""); out.status == 429 {
				t.Error("static files are counted")
			}
			outside.header.Set("X-Forwarded-For", "198.51.100.1")
			if out := send(); out.status == 429 {
				t.Errorf("%s %s from another address: %d", c.method, c.path, out.status)
			}
		}
	})
}
