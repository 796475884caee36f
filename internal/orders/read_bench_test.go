package orders

import (
	"fmt"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// BenchmarkByID reads whole orders of three lines, and pages of twenty of them, from SQLite.
func BenchmarkByID(b *testing.B) {
	store := dbtest.Open(b, db.Config{Dir: b.TempDir(), Unsafe: true})
	tenant := dbtest.Account(b, store)
	list := make([]Order, 1000)
	for i := range list {
		at := 1_700_000_000_000_000 + int64(i)
		o := Order{ID: id.New[id.Order](), Number: int64(i + 1), Status: Pending, Currency: "EUR", CreatedAt: at, UpdatedAt: at, RecordedAt: at,
			CustomerName: "Ada Lovelace", CustomerEmail: fmt.Sprintf("ada%d@example.com", i),
			ShippingAddress: `{"name":"Ada Lovelace","country":"GB"}`,
			History:         []Entry{{Status: Pending, Source: FromAPI}}, Totals: Totals{Total: 30 * money.Scale}}
		for k := range 3 {
			o.Lines = append(o.Lines, Line{ID: id.New[id.Line](), Product: id.New[id.Product](), SKU: fmt.Sprintf("SKU-%d", k), Name: "A product",
				Quantity: 1, Total: 10 * money.Scale, Warehouse: "MAIN"})
		}
		list[i] = o
	}
	if err := store.Write(b.Context(), tenant, func(tx *db.Tx) error { InsertUnreported(tx, list); return nil }); err != nil {
		b.Fatal(err)
	}
	b.Run("one", func(b *testing.B) {
		b.ReportAllocs()
		for i := range b.N {
			err := store.Read(b.Context(), tenant, func(tx *db.Tx) error {
				_, err := ByID(tx, list[i*7%len(list)].ID)
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("page", func(b *testing.B) {
		b.ReportAllocs()
		for i := range b.N {
			err := store.Read(b.Context(), tenant, func(tx *db.Tx) error {
				f := Filter{Sort: ByCreatedAt, Limit: 20, Offset: 20 * (i % 10)}
				f.Statuses, f.From = []Status{Pending, Processing}, 1
				_, _, err := List(tx, f, nil)
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}
