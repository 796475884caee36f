package api

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/dbtest"
	"entrepot/internal/limits"
)

// Orders that come while another transaction holds the account's clock are stored together on PostgreSQL, and are as right as one by one:
// each has its own events, levels add up, and every stamp of the feed is another one.
func TestOrdersThatShareACommit(t *testing.T) {
	s := newServer(t, "postgres", limits.Off{})
	s.must(t, 202, "POST", "/api/v1/sdk/products/bulk-import", member{"products": []any{
		member{"sku": "A", "name": "A", "price": 1, "stock": member{"quantity": 1000}},
		member{"sku": "B", "name": "B", "price": 1, "stock": member{"quantity": 1000}}}})
	held, release := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		if err := s.DB.Write(t.Context(), s.tenant, func(tx *db.Tx) error {
			err := tx.LockClock()
			close(held)
			<-release
			return err
		}); err != nil {
			t.Error(err)
		}
	})
	<-held
	const orders = 20
	for n := range orders {
		all.Go(func() {
			s.must(t, 201, "POST", "/api/v1/orders", member{"customerName": "Ada", "customerEmail": fmt.Sprintf("ada%d@test.example", n),
				"items": []any{member{"sku": "A", "quantity": 1, "unitPrice": 1}, member{"sku": "B", "quantity": 2, "unitPrice": 1}}})
		})
	}
	dbtest.Until(t, "one order waits for the clock, the others for it", func() bool { return gathered() == orders-1 })
	close(release)
	all.Wait()
	read := func(sql string) (n int64) {
		t.Helper()
		if err := s.DB.Read(t.Context(), s.tenant, func(tx *db.Tx) error { return tx.Row(sql, []any{s.tenant}, &n) }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for sql, want := range map[string]int64{
		"SELECT count(*) FROM orders WHERE tenant_id = $1":                                                   orders,
		"SELECT count(DISTINCT resource_id) FROM events WHERE tenant_id = $1 AND event = 'order.received'":   orders,
		"SELECT count(*) - count(DISTINCT stamp) FROM events WHERE tenant_id = $1":                           0,
		"SELECT reserved FROM stock_levels WHERE tenant_id = $1 AND sku = 'A'":                               orders,
		"SELECT reserved FROM stock_levels WHERE tenant_id = $1 AND sku = 'B'":                               2 * orders,
		"SELECT count(*) - count(DISTINCT changed_at) FROM stock_levels WHERE tenant_id = $1":                0,
		"SELECT sum(n)::BIGINT FROM tallies WHERE tenant_id = $1 AND name = 'orders'":                        orders,
		"SELECT count(*) FROM customers WHERE tenant_id = $1":                                                orders,
		"SELECT count(*) FROM order_lines WHERE tenant_id = $1":                                              2 * orders,
		"SELECT count(DISTINCT resource_id) FROM events WHERE tenant_id = $1 AND event = 'customer.created'": orders,
	} {
		if got := read(sql); got != want {
			t.Errorf("%s: %d, want %d", sql, got, want)
		}
	}
	if commits := read("SELECT count(DISTINCT xmin::TEXT) FROM orders WHERE tenant_id = $1"); commits != 2 {
		t.Errorf("%d orders took %d commits, not 2: the first, and one for those that waited", orders, commits)
	}
}

// gathered is how many callers wait for the group before theirs to be stored. Nothing but what they are doing says so outside of the store.
func gathered() (n int) {
	stacks := make([]byte, 4<<20)
	for one := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		head, frames, _ := strings.Cut(one, "\n")
		if strings.Contains(head, "[select") && strings.HasPrefix(frames, "entrepot/internal/db/groups.(*caller[...]).await(") &&
			strings.Contains(frames, "groups.(*Gatherings[...]).Together(") {
			n++
		}
	}
	return n
}
