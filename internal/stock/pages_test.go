package stock_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/stock"
)

// While all levels are in one warehouse, deep pages of them are read in its index; they are the same once another one has a level.
func TestPagesOfOneWarehouse(t *testing.T) {
	stock.ShortPages(t)
	var asked []string
	trace := func(sql string, _ []any) { asked = append(asked, sql) }
	store := dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true, Trace: trace})
	tenant := dbtest.Account(t, store)
	var want []string
	add := func(sku, warehouse string) {
		err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
			tx.Change(`INSERT INTO stock_levels (tenant_id, sku, warehouse_code, id, product_id, on_hand, reserved, threshold, low, updated_at,
				changed_at) VALUES ($1,$2,$3,$4,$5,9,0,0,FALSE,0,$6)`, tx.Tenant, sku, warehouse, id.New[id.Level](), id.New[id.Product](), len(want))
			tx.Tally("levels", warehouse, 1)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, sku+"@"+warehouse)
		slices.Sort(want)
	}
	pages := func(byWarehouse bool) {
		t.Helper()
		for offset := 0; offset <= len(want); offset += 7 {
			asked = nil
			err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
				list, total, err := stock.List(tx, stock.Filter{Limit: 7, Offset: offset})
				var got []string
				for _, r := range list {
					got = append(got, r.SKU+"@"+r.Warehouse)
				}
				if total != int64(len(want)) || !slices.Equal(got, want[offset:min(offset+7, len(want))]) {
					t.Errorf("at %d of %d: %v", offset, total, got)
				}
				return err
			})
			all := strings.Join(asked, "\n")
			deep := byWarehouse && offset >= 10 && offset < len(want)
			if err != nil || strings.Contains(all, "SELECT l.sku FROM") != deep {
				t.Errorf("%v\n%s", err, all)
			}
		}
	}
	for n := range 40 {
		add(fmt.Sprintf("SKU-%02d", n*7%40), "MAIN")
	}
	pages(true)
	add("SKU-07", "LYON")
	pages(false)
}
