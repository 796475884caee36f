package parallel

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"entrepot/test/blackbox/harness"
)

// audit holds what is left against what must hold always.
func (s *shop) audit(walkers []*walker) {
	s.auditRoutes()
	s.auditJobs()
	s.auditDeliveries()
	s.auditFeeds(walkers)
	s.auditLists()
	began := time.Now()
	if out, err := s.nodes[0].Command("verify"); err != nil {
		s.defect("verify", "%v\n%s", err, out)
	}
	s.t.Logf("verify took %s", time.Since(began))
	if s.deadlock != nil {
		s.auditDeadlocks(s.deadlock())
	}
	for n, node := range s.nodes {
		for _, line := range node.Complaints() {
			if *slowest > leastWait && waitedInVain.MatchString(line) {
				continue // on a machine that does much else; a worker tries again
			}
			s.defect("error in the service's log", "node %d: %s", n, line)
		}
	}
}

// auditJobs waits until no job is active.
func (s *shop) auditJobs() {
	if err := harness.Eventually(5*time.Minute, func() error {
		status, ok := s.get("GET /sdk/sync/status", "/api/v1/sdk/sync/status")
		if active := status.List("data", "activeJobs"); !ok || len(active) > 0 {
			return fmt.Errorf("%d jobs are active 60 s after the end: %s", len(active), status)
		}
		return nil
	}); err != nil {
		s.defect("job", "%v", err)
	}
}

// auditLists reads every list by pages: its total is the number of records on the pages, none twice. Every order's
// channel exists.
func (s *shop) auditLists() {
	channels := map[string]bool{}
	for _, list := range []struct {
		path, id string
		each     func(any)
	}{
		{"/api/v1/channels?limit=100", "id", func(v any) { channels[word(v, "id")] = true }},
		{"/api/v1/orders?limit=100", "id", func(v any) {
			if channel := word(v, "channelId"); channel != "" && !channels[channel] {
				s.defect("order in a channel that is gone", "%s (%s) in %s", word(v, "orderNumber"), word(v, "id"), channel)
			}
		}},
		{"/api/v1/orders?limit=100&status=PENDING,SHIPPED&sort=total:desc", "id", nil},
		{"/api/v1/customers?limit=100&includeInactive=true", "id", nil},
		{"/api/v1/products?perPage=250&sort=sku:asc", "id", nil},
		{"/api/v1/categories?limit=250", "id", nil},
		{"/api/v1/inventory?limit=250", "id", nil},
		{"/api/v1/warehouses?limit=250", "id", nil},
		{"/api/v1/attributes?limit=250", "id", nil},
		{"/api/v1/segments?limit=100", "id", nil},
		{"/api/v1/users?limit=100", "id", nil},
		{"/api/v1/developer/webhooks?limit=100", "id", nil},
		{"/api/v1/channels/" + s.channel + "/publications?limit=250", "productId", nil},
	} {
		seen, total := map[string]bool{}, int64(-1)
		for page := 1; ; page++ {
			answer, ok := s.get("audit of lists", fmt.Sprintf("%s&page=%d", list.path, page))
			if !ok {
				s.defect("list", "%s", answer)
				break
			}
			value := answer.Value()
			rows, _ := harness.At(value, "data").([]any)
			total = answer.Count("meta", "total")
			for _, row := range rows {
				if seen[word(row, list.id)] {
					s.defect("list", "%s has %s twice", list.path, word(row, list.id))
				}
				seen[word(row, list.id)] = true
				if list.each != nil {
					list.each(row)
				}
			}
			if len(rows) == 0 || int64(page) >= answer.Count("meta", "totalPages") {
				break
			}
		}
		if total != int64(len(seen)) {
			s.defect("list", "%s: its total is %d, its pages hold %d", list.path, total, len(seen))
		}
	}
}

func word(value any, path ...any) string {
	text, _ := harness.At(value, path...).(string)
	return text
}

// auditDeadlocks prints what PostgreSQL says of deadlocks, alike ones together.
func (s *shop) auditDeadlocks(d deadlocks) {
	s.t.Logf("deadlocks: %d by pg_stat_database, %d in the server's log", d.counted, d.logged)
	if d.counted > 0 || d.logged > 0 {
		s.defect("deadlock", "%d by pg_stat_database, %d in the server's log:\n%s", d.counted, d.logged, strings.Join(d.kinds, "\n"))
	}
	s.t.Logf("waits of a second and more for a lock:\n%s", strings.Join(d.waits, "\n"))
	s.t.Logf("errors that PostgreSQL logged:\n%s", strings.Join(d.errors, "\n"))
}

// waitedInVain matches the error of who got no connection or no lock in time.
var waitedInVain = regexp.MustCompile(`the store does not answer, try again: context deadline exceeded|due to lock timeout`)
