package commerce_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// BenchmarkUpdateInventory sets 5,000 of 20,000 levels a time, every one a change, on SQLite that waits for the disk.
// It reports microseconds a SKU: of the plan, which is made outside the writer; of applying it, which holds the one
// writer, commit and events included; and the processor time of all of it, which on a busy machine says more than the
// clock.
func BenchmarkUpdateInventory(b *testing.B) {
	const skus, items = 20_000, 5_000
	s := newShop(b, dbtest.Open(b, db.Config{Dir: b.TempDir()}), skus)
	var planning, applying time.Duration
	update := func(block, n int) {
		u := commerce.StockUpdate{Drafts: make([]commerce.StockDraft, items)}
		for i := range items {
			u.Drafts[i] = commerce.StockDraft{Index: i, SKU: fmt.Sprintf("SKU-%d", block*items+i), Warehouse: "MAIN", Quantity: int64(100 + n)}
		}
		start := time.Now()
		var plan *commerce.StockPlan
		if err := s.store.Read(b.Context(), s.who.Tenant, func(tx *db.Tx) (err error) {
			plan, err = s.do.PlanInventory(tx, s.who, u)
			return err
		}); err != nil {
			b.Fatal(err)
		}
		planned := time.Now()
		if err := s.write(b, func(tx *db.Tx) error {
			_, err := plan.Apply(tx, s.who)
			return err
		}); err != nil || plan.Updated.Updated != items {
			b.Fatal(err, plan.Updated)
		}
		planning, applying = planning+planned.Sub(start), applying+time.Since(planned)
	}
	for block := range skus / items {
		update(block, 0)
	}
	planning, applying = 0, 0
	b.ResetTimer()
	processor := used()
	for n := range b.N {
		update(n%(skus/items), n+1)
	}
	each := float64(b.N*items) * 1000
	b.ReportMetric(float64(planning)/each, "plan-µs")
	b.ReportMetric(float64(applying)/each, "apply-µs")
	b.ReportMetric(float64(used()-processor)/each, "cpu-µs")
}

// used is the processor time of this process.
func used() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
