package api

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// While as many searches of one account as may run at once stand still, and others of it wait, another account reads, searches, logs in and
// writes.
func TestAnAccountsSearchesLeaveRoomForOthers(t *testing.T) {
	engines(t, func(t *testing.T, a *server) {
		b := a.stranger()
		order := func(s *server) map[string]any {
			return s.must(t, http.StatusCreated, "POST", "/api/v1/orders", map[string]any{"customerName": "Bob",
				"items": []any{map[string]any{"sku": "MUG", "quantity": 1, "unitPrice": 10}}})
		}
		for _, s := range []*server{a, b} {
			s.stockUp(t, map[string]int64{"MUG": 5})
		}
		order(a) // an account without orders searches nothing
		first := order(b)["data"].(map[string]any)["id"].(string)

		const clients = 8
		held, release := make(chan struct{}, clients), make(chan struct{})
		block := func(sql string, args []any) {
			if strings.Contains(sql, "search_loose") && args[0] == any(a.tenant) {
				held <- struct{}{}
				<-release
			}
		}
		a.trace.Store(&block)
		var searching sync.WaitGroup
		for range clients {
			searching.Go(func() {
				if status, answer := a.call(t, "GET", "/api/v1/orders?search=ada", nil); status != http.StatusOK &&
					status != http.StatusServiceUnavailable {
					t.Errorf("a search is answered %d: %v", status, answer)
				}
			})
		}
		<-held
		done := make(chan struct{})
		go func() {
			defer close(done)
			b.must(t, http.StatusOK, "GET", "/api/v1/orders/"+first, nil)
			b.must(t, http.StatusOK, "GET", "/api/v1/orders?search=bob", nil)
			b.must(t, http.StatusOK, "GET", "/api/v1/analytics/summary", nil)
			b.must(t, http.StatusOK, "POST", "/api/v1/auth/login", map[string]any{"email": b.owner.Email, "password": ownerPassword})
			order(b)
			a.must(t, http.StatusOK, "GET", "/api/v1/account", nil) // the account's own short reads, too
		}()
		select {
		case <-done:
		case <-time.After(5 * time.Minute):
			t.Error("another account waits for the searches")
		}
		a.trace.Store(nil)
		close(release)
		<-done
		searching.Wait()
	})
}
