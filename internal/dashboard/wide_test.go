package dashboard

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/db"
)

// fillWide keeps every place for wide reads that the account may have, until free is called.
func (s *site) fillWide(t *testing.T) (free func()) {
	t.Helper()
	hold := make(chan struct{})
	for range 64 {
		go s.DB.ReadWide(t.Context(), s.account.Tenant, func(*db.Tx) error { <-hold; return nil }) // those that find no place wait for one
	}
	for refused := 0; refused < 3; {
		brief, done := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if err := s.DB.ReadWide(brief, s.account.Tenant, func(*db.Tx) error { return nil }); err != nil {
			refused++
		}
		done()
	}
	return func() { close(hold) }
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
		free := s.fillWide(t)
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
		if page := s.as(s.owner).get("/warehouses"); page.status != 200 {
			t.Errorf("a short page beside the wide reads: %d", page.status)
		}
		select { // a list that takes another place answers long before
		case a := <-answers:
			answers <- a
		case <-time.After(300 * time.Millisecond):
		}
		freed.Store(true)
		free()
		for range lists {
			if a := <-answers; a.status != 200 || a.early {
				t.Errorf("%s: %d, before a place was free: %v", a.path, a.status, a.early)
			}
		}
	})
}
