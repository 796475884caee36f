package api

import (
	"net/http"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/netguard"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/limits"
)

// Requests of these tests come from 192.0.2.1.
func TestLimitsByAddressBehindAProxy(t *testing.T) {
	dbtest.Long(t, "many logins, which are slow on purpose")
	t.Parallel()
	starter := accounts.Starter.Rate().Burst
	for _, c := range []struct {
		name, proxies string
		clients       int // how many callers the limits distinguish
	}{
		{"none trusted", "", 1},
		{"another trusted", "192.0.2.2, 10.0.0.0/8", 1},
		{"trusted", "192.0.2.0/24", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			enginesWith(t, counted, func(t *testing.T, s *server) {
				var err error
				if s.Proxies, err = netguard.ParseProxies(c.proxies); err != nil {
					t.Fatal(err)
				}
				passed := 0
				for range 2 * starter {
					for _, from := range []string{"203.0.113.1", "1.1.1.1, 203.0.113.2"} {
						if r := s.do(call{method: "GET", path: "/api/v1/orders", noKey: true,
							header: map[string]string{"X-Forwarded-For": from}}); r.status == http.StatusUnauthorized {
							passed++
						}
					}
				}
				if passed != c.clients*starter {
					t.Errorf("%d requests without a key passed, want %d", passed, c.clients*starter)
				}
				s.now.move(2 * time.Second)
				guess := func(from string) int {
					s.now.move(100 * time.Millisecond)
					return s.do(call{method: "POST", path: "/api/v1/auth/login",
						body:  map[string]string{"email": "owner@test.example", "password": "wrong wrong wrong"},
						noKey: true, header: map[string]string{"X-Forwarded-For": from}}).status
				}
				for range limits.FailedLogins.PerMinute {
					guess("203.0.113.1")
				}
				want := http.StatusTooManyRequests
				if c.clients == 2 {
					want = http.StatusUnauthorized
				}
				if first, second := guess("203.0.113.1"), guess("203.0.113.2"); first != http.StatusTooManyRequests || second != want {
					t.Errorf("failed logins: %d and from elsewhere %d, want 429 and %d", first, second, want)
				}
			})
		})
	}
}
