package dashboard

import (
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/db"
)

// fillWide keeps every place for wide reads that the account may have, until free is called; waiting is how many reads wait for one.
func (s *site) fillWide(t *testing.T) (waiting int, free func()) {
	t.Helper()
	const begun = 64
	var inside atomic.Int64
	hold := make(chan struct{})
	for range begun {
		go s.DB.ReadWide(t.Context(), s.account.Tenant, func(*db.Tx) error { // those that find no place wait for one
			inside.Add(1)
			<-hold
			return nil
		})
	}
	s.await(t, func() bool { return int(inside.Load())+s.DB.WideWaiting() == begun })
	return s.DB.WideWaiting(), func() { close(hold) }
}

// await waits until something holds.
func (s *site) await(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain")
		}
	}
}

// Lists and figures take the places of wide reads: however many of an account run, its other pages answer.
func TestListsAreWideReads(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		lists := []string{"/", "/orders", "/products", "/stock", "/customers", "/events", "/webhooks/deliveries", "/settings/audit",
			"/settings/requests"}
		browsers := make([]*browser, len(lists))
		for i := range lists {
			browsers[i] = s.as(s.owner)
		}
		waiting, free := s.fillWide(t)
		var freed atomic.Bool
		type result struct {
			path   string
			status int
			early  bool
		}
		answers := make(chan result, len(lists))
		for i, path := range lists {
			go func() {
				status := browsers[i].get(path).status
				answers <- result{path, status, !freed.Load()}
			}()
		}
		if page := s.as(s.owner).get("/stock/warehouses"); page.status != 200 {
			t.Errorf("a short page beside the wide reads: %d", page.status)
		}
		s.await(t, func() bool { return s.DB.WideWaiting()-waiting+len(answers) == len(lists) }) // a list that takes another place answers
		freed.Store(true)
		free()
		for range lists {
			if a := <-answers; a.status != 200 || a.early {
				t.Errorf("%s: %d, before a place was free: %v", a.path, a.status, a.early)
			}
		}
	})
}
