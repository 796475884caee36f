package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/netguard"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/limits"
)

// loginFrom tries to log in from an address, as reported by a trusted proxy.
func (s *server) loginFrom(address, email, password string) reply {
	return s.do(call{method: "POST", path: "/api/v1/auth/login", body: member{"email": email, "password": password}, noKey: true,
		header: map[string]string{"X-Forwarded-For": address}})
}

// trustProxies makes the service believe the address of the tests' requests, which is 192.0.2.1.
func (s *server) trustProxies(t testing.TB) {
	t.Helper()
	proxies, err := netguard.ParseProxies("192.0.2.0/24")
	if err != nil {
		t.Fatal(err)
	}
	s.Proxies = proxies
}

// statuses counts answers by their status.
func statuses(list []reply) map[int]int {
	counts := map[int]int{}
	for _, r := range list {
		counts[r.status]++
	}
	return counts
}

// atOnce makes requests at the same moment.
func atOnce(n int, do func(i int) reply) []reply {
	list := make([]reply, n)
	var all sync.WaitGroup
	for i := range n {
		all.Add(1)
		go func() { defer all.Done(); list[i] = do(i) }()
	}
	all.Wait()
	return list
}

// Of guesses made at once exactly as many are tried as of those made one after the other, also when two nodes share the store
// (interface §8).
func TestParallelGuessesAreCountedExactly(t *testing.T) {
	dbtest.Long(t, "many logins, which are slow on purpose")
	for _, c := range []struct {
		engine string
		nodes  int
	}{{"sqlite", 1}, {"postgres", 1}, {"postgres", 2}} {
		t.Run(fmt.Sprint(c.engine, c.nodes), func(t *testing.T) {
			s := newServer(t, c.engine, limits.NewLocal())
			nodes := []*server{s}
			if c.engine == "postgres" {
				s.Limiter = limits.NewShared(s.DB, func(err error) { t.Error(err) })
			}
			if c.nodes == 2 {
				second := *s
				second.API = New(s.Config)
				second.Limiter = limits.NewShared(s.DB, func(err error) { t.Error(err) })
				nodes = append(nodes, &second)
			}
			list := atOnce(18, func(i int) reply {
				// All requests come through one proxy: the burst limit for unknown callers of one address is not what
				// is tested.
				for { // of one network only a few wait for a place at once: the others come again, as they are asked to (503)
					if out := nodes[i%len(nodes)].loginFrom("", "owner@test.example", "not the password"); out.status != 503 {
						return out
					}
				}
			})
			if got := statuses(list); got[401] != 10 || got[429] != 8 {
				t.Errorf("%v", got)
			}
		})
	}
}

// One account is guessed at from many addresses, one network is many IPv6 addresses (interface §8).
func TestFailedLoginsAreCountedPerAccountAndNetwork(t *testing.T) {
	dbtest.Long(t, "many logins, which are slow on purpose")
	t.Parallel()
	enginesWith(t, counted, func(t *testing.T, s *server) {
		s.trustProxies(t)
		try := func(address, email, password string) int {
			s.now.move(100 * time.Millisecond)
			return s.loginFrom(address, email, password).status
		}
		for i := range 12 {
			want := 401
			if i >= 10 {
				want = 429
			}
			if got := try(fmt.Sprintf("2001:4860:4860:1::%x", i), "owner@test.example", "not the password"); got != want {
				t.Errorf("failure %d from one /64: %d", i+1, got)
			}
		}
		if got := try("2001:4860:4860:2::1", "owner@test.example", ownerPassword); got != 200 {
			t.Errorf("from another network: %d", got)
		}
		if got := try("2001:4860:4860:1::1", "else@test.example", "not the password"); got != 401 {
			t.Errorf("another account from the spent network: %d", got)
		}
		s.now.move(2 * time.Minute)
		tried := 0
		for i := range 40 {
			if try(fmt.Sprintf("198.51.100.%d", i), "owner@test.example", "not the password") == 401 {
				tried++
			}
		}
		if tried != 30 {
			t.Errorf("%d guesses of one account from 40 addresses", tried)
		}
	})
}

// A refusal takes as long whether the address has a login or not, and successes wait for nothing.
func TestRefusedLoginsTakeTheirTime(t *testing.T) {
	dbtest.Long(t, "many logins, which are slow on purpose")
	engines(t, func(t *testing.T, s *server) {
		for _, email := range []string{"owner@test.example", "nobody@test.example"} {
			start := time.Now()
			if r := s.loginFrom("", email, "not the password"); r.status != 401 || time.Since(start) < commerce.RefusalTime {
				t.Errorf("%s: %d after %v", email, r.status, time.Since(start))
			}
		}
	})
}

// The audit log has failed and successful logins with the client's address, no password, and nothing of addresses without a login.
func TestLoginsAreInTheAuditLog(t *testing.T) {
	dbtest.Long(t, "many logins, which are slow on purpose")
	engines(t, func(t *testing.T, s *server) {
		s.trustProxies(t)
		s.loginFrom("198.51.100.7", "Owner@test.example", "not the password")
		s.loginFrom("198.51.100.8", "nobody@test.example", "not the password")
		s.loginFrom("198.51.100.9", "owner@test.example", ownerPassword)
		log := s.must(t, 200, "GET", "/api/v1/audit-log", nil)["data"].([]any)
		var seen []string
		for _, e := range log {
			if strings.Contains(text(e, "action"), "log") {
				seen = append(seen, text(e, "action")+" "+text(e, "resourceId")+" "+text(e, "details", "address"))
			}
		}
		owner := string(s.owner.ID)
		if want := []string{"user.logged_in " + owner + " 198.51.100.9", "user.login_failed " + owner + " 198.51.100.7",
			"user.logged_in " + owner + " "}; !slices.Equal(seen, want) {
			t.Errorf("%q", seen)
		}
		var details string
		if err := s.DB.Read(t.Context(), db.Across, func(tx *db.Tx) error {
			return tx.Each(func(r db.Rows) error {
				var one string
				err := r.Scan(&one)
				details += one
				return err
			}, "SELECT details FROM audit_log")
		}); err != nil || strings.Contains(details, "nobody") || strings.Contains(details, "password\"") ||
			strings.Contains(details, "198.51.100.8") {
			t.Errorf("%v: %s", err, details)
		}
	})
}

// When too many logins wait for their password check, further ones are refused with the time to try again.
func TestLoginsQueueOnlySoLong(t *testing.T) {
	dbtest.Long(t, "many logins, which are slow on purpose")
	s := newServer(t, "sqlite", limits.Off{})
	s.API.Commerce.Hashing = accounts.Hashing{} // what the service does
	const slow = "a password hashed at length"
	s.mustAs(t, s.token, 200, "PATCH", "/api/v1/users/"+string(s.owner.ID), member{"password": slow, "currentPassword": ownerPassword})
	list := atOnce(120, func(int) reply { return s.loginFrom("", "owner@test.example", slow) })
	got := statuses(list)
	if got[200] < 2 || got[200]+got[503] != 120 || got[503] == 0 {
		t.Errorf("%v", got)
	}
	for _, r := range list {
		if r.status == http.StatusServiceUnavailable && r.header.Get("Retry-After") == "" {
			t.Errorf("%s", r.body)
		}
	}
}
