package dashboard

import (
	"strings"
	"testing"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// The sidebar of every page counts the work that waits, as the overview says it; what is done is counted no more.
func TestSidebarCountsOpenWork(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		b := s.as(s.owner)
		if side := b.get("/settings/me").side(); strings.Contains(side, "to ship") || strings.Contains(side, "low") {
			t.Errorf("an empty account: %s", side)
		} else if !strings.HasSuffix(strings.TrimSpace(side), "entrepot test") {
			t.Errorf("the sidebar does not end with the program's version: %s", side)
		}
		s.seedWork()
		for _, path := range []string{"/settings/me", "/counts?at=/orders", "/products"} {
			side := b.get(path).side()
			for _, words := range []string{"Orders 8 to ship", "Stock 2 low", "Webhooks 1 failing"} {
				if !strings.Contains(side, words) {
					t.Errorf("%s does not say %q: %s", path, words, side)
				}
			}
		}
		if out := b.get("/counts?at=/orders"); !strings.Contains(out.body, `href="/dashboard/orders" aria-current="page"`) {
			t.Error("the section is not marked")
		}
		s.newUser("look@test.example", accounts.Viewer)
		if side := s.as(accounts.User{Email: "look@test.example"}).get("/orders").side(); !strings.Contains(side, "8 to ship") {
			t.Errorf("a viewer: %s", side)
		}
		s.do(s.account.Tenant, func(tx *db.Tx) error { // one answer is enough to be failing no more
			tx.Queue("INSERT INTO attempts (tenant_id, endpoint_id, position, number, at, duration_ms, status_code) VALUES ($1,$2,$3,$4,$5,$6,$7)",
				tx.Tenant, id.Endpoint(s.samples["/webhooks"]), 1, 4, tx.Micros(), 3, 204)
			tx.Queue("UPDATE channels SET status = 'needs_reauth' WHERE tenant_id = $1", tx.Tenant)
			return nil
		})
		if side := b.get("/products").side(); strings.Contains(side, "failing") || !strings.Contains(side, "Channels 1 to reconnect") {
			t.Errorf("after an answer: %s", side)
		}
	})
}

// The overview counts as many failed jobs as the sidebar does.
func TestManyFailedJobs(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			for range 31 {
				jobs.Insert(tx, jobs.Job{Type: jobs.StockPush})
			}
			return nil
		})
		s.do(s.account.Tenant, func(tx *db.Tx) error {
			tx.Queue("UPDATE jobs SET status = 'FAILED', completed_at = $2 WHERE tenant_id = $1", tx.Tenant, tx.Micros())
			return nil
		})
		page := s.as(s.owner).get("/")
		if side := page.side(); !strings.Contains(side, "Jobs 31 failed") {
			t.Errorf("the sidebar: %s", side)
		}
		has(t, page, "31 jobs failed Stock push Read why")
	})
}

// side is what a page's sidebar says.
func (r reply) side() string {
	_, side, _ := strings.Cut(r.body, `<nav class="side"`)
	side, _, _ = strings.Cut(side, "</nav>")
	return reply{body: "<nav" + side}.words()
}
