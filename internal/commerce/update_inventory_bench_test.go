package commerce_test

import (
	"fmt"
	"testing"

	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/dbtest"
)

// BenchmarkUpdateInventory sets 5,000 of 20,000 levels a time, every one a change, on SQLite that waits for the disk.
func BenchmarkUpdateInventory(b *testing.B) {
	const skus, items = 20_000, 5_000
	s := newShop(b, dbtest.Open(b, db.Config{Dir: b.TempDir()}), skus)
	update := func(block, n int) {
		u := commerce.StockUpdate{Drafts: make([]commerce.StockDraft, items)}
		for i := range items {
			u.Drafts[i] = commerce.StockDraft{Index: i, SKU: fmt.Sprintf("SKU-%d", block*items+i), Warehouse: "MAIN", Quantity: int64(100 + n)}
		}
		var out commerce.Updated
		if err := s.write(b, func(tx *db.Tx) (err error) {
			out, err = s.do.UpdateInventory(tx, s.who, u)
			return err
		}); err != nil || out.Updated != items {
			b.Fatal(err, out)
		}
	}
	for block := range skus / items {
		update(block, 0)
	}
	b.ResetTimer()
	for n := range b.N {
		update(n%(skus/items), n+1)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*items), "ns/SKU")
}
