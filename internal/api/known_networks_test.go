package api

import (
	"fmt"
	"testing"
	"time"

	"entrepot/internal/db/dbtest"
)

// Guesses from many networks keep users out who come from a new one, but not those who come from where they have logged in lately.
func TestGuessesOfOthersDoNotKeepAKnownUserOut(t *testing.T) {
	dbtest.Long(t, "many logins, which are slow on purpose")
	t.Parallel()
	enginesWith(t, counted, func(t *testing.T, s *server) {
		s.trustProxies(t)
		try := func(address, password string) int {
			s.now.move(100 * time.Millisecond)
			return s.loginFrom(address, "owner@test.example", password).status
		}
		if got := try("198.51.100.7", ownerPassword); got != 200 {
			t.Fatalf("the first login: %d", got)
		}
		guess := func() {
			for i := range 45 {
				try(fmt.Sprintf("203.0.113.%d", i%3*50+1), "not the password")
			}
		}
		guess()
		for address, want := range map[string]int{"198.51.100.7": 200, "198.51.100.200": 200, "198.51.101.7": 429} {
			if got := try(address, ownerPassword); got != want {
				t.Errorf("from %s: %d, not %d", address, got, want)
			}
		}
		for i := range 12 { // a known network has the limit of every network
			want := 401
			if i >= 10 {
				want = 429
			}
			if got := try("198.51.100.7", "not the password"); got != want {
				t.Errorf("guess %d from the known network: %d", i+1, got)
			}
		}
		s.now.move(31 * 24 * time.Hour)
		guess()
		if got := try("198.51.100.7", ownerPassword); got != 429 {
			t.Errorf("after a month: %d", got)
		}
	})
}
