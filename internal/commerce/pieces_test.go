package commerce

import (
	"fmt"
	"runtime"
	"testing"
	"weak"

	"entrepot/internal/accounts"
	"entrepot/internal/base/money"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// A bulk operation needs the memory of one piece: the plan of a piece that is stored, with its events, is free as soon as
// the next piece begins.
func TestStoredPlansAreFreed(t *testing.T) {
	store := dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true})
	who := accounts.Caller{Tenant: dbtest.Account(t, store), Currency: "EUR"}
	const items = 3*pricesAtOnce - 1
	drafts := benchDrafts(1, items, false)
	var stock StockUpdate
	var prices []catalog.PriceDraft
	for i, d := range drafts {
		stock.Drafts = append(stock.Drafts, StockDraft{Index: i, SKU: d.SKU, Quantity: 3})
		prices = append(prices, catalog.PriceDraft{Index: i, SKU: d.SKU, Price: money.Amount(10_000)})
	}
	do := &Service{}
	imported := freed(t, store, who, do.ImportProducts(who, Import{Drafts: drafts}),
		func(tx *db.Tx, p *ImportPlan) error { _, err := p.Apply(tx, who); return err })
	if imported.Created != items || len(imported.Errors) > 0 {
		t.Errorf("%d products created, %d errors", imported.Created, len(imported.Errors))
	}
	levels := freed(t, store, who, do.UpdateInventory(who, stock), func(tx *db.Tx, p *StockPlan) error {
		_, err := p.Apply(tx, who)
		return err
	})
	priced := freed(t, store, who, do.UpdatePrices(NewPriceUpdate(prices, nil)), func(tx *db.Tx, p *PricePlan) error {
		p.Apply(tx)
		return nil
	})
	if got := fmt.Sprint(levels.Updated.Updated, priced.Updated.Updated); got != fmt.Sprint(items, items) {
		t.Errorf("levels and prices updated: %s", got)
	}
}

// freed runs a bulk operation and checks that of its plans only that of the current piece is in memory. It returns the last one.
func freed[T any](t *testing.T, store *db.DB, who accounts.Caller, operation *Bulk[*T], apply func(*db.Tx, *T) error) (last *T) {
	t.Helper()
	var stored []weak.Pointer[T]
	for operation.Next(1) {
		runtime.GC()
		for i, p := range stored {
			if p.Value() != nil {
				t.Errorf("%T: with piece %d begun, the plan of piece %d is in memory", last, len(stored), i)
			}
		}
		if err := store.WriteBulk(t.Context(), who.Tenant, func(tx *db.Tx) error {
			plan, err := operation.Plan(tx)
			if err != nil {
				return err
			}
			if stored = append(stored, weak.Make(plan)); operation.Last() {
				last = plan
			}
			return apply(tx, plan)
		}); err != nil {
			t.Fatal(err)
		}
	}
	if len(stored) < 3 {
		t.Fatalf("%T: %d pieces, want 3 or more", last, len(stored))
	}
	return last
}
