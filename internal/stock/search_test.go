package stock_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/search"
	"entrepot/internal/stock"
)

// A search finds the levels that looking at each of them finds, whether the products lie close together or far apart and whether
// their SKUs do, with levels in several warehouses, deleted ones, variants and products without any.
func TestSearchOfManyLevels(t *testing.T) {
	stock.ShortLists(t)
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		type level struct{ sku, name, warehouse, text string }
		var levels []level
		const products = 400
		err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
			var docs []search.Document
			for i := range products {
				product := id.New[id.Product]()
				name := fmt.Sprintf("cup m%d s%d k%d", i%50, i*7919%products%90, i/100)
				if i%9 == 4 { // nearly all are cups
					name = "b" + name[1:]
				}
				skus := []string{fmt.Sprintf("C-%04d", i*7919%products)}
				tx.Change(`INSERT INTO products (tenant_id, id, sku, name, slug, description, status, price, media, attributes, search, variant_count,
					category_count, created_at, updated_at, changed_at) VALUES ($1,$2,$3,$4,$3,'','ACTIVE',1,'[]','{}','',0,0,0,0,$5)`, tx.Tenant,
					product, skus[0], name, i)
				docs = append(docs, search.Document{ID: string(product), Text: skus[0] + " " + name})
				for n := range i % 60 / 57 {
					skus = append(skus, fmt.Sprintf("V-%d-%04d", n, i))
					tx.Change(`INSERT INTO variants (tenant_id, product_id, position, id, sku, name, attributes) VALUES ($1,$2,$3,$4,$5,'','{}')`,
						tx.Tenant, product, n, id.New[string](), skus[n+1])
				}
				for _, sku := range skus {
					for n, warehouse := range []string{"LYON", "MAIN", "OSLO"}[:i*13%400/100] {
						deleted := any(nil)
						if (i+n)%17 == 0 {
							deleted = int64(5)
						} else {
							tx.Tally("levels", warehouse, 1)
							levels = append(levels, level{sku, name, warehouse, search.Fold(skus[0] + " " + name)})
						}
						tx.Change(`INSERT INTO stock_levels (tenant_id, sku, warehouse_code, id, product_id, on_hand, reserved, threshold, low,
							updated_at, changed_at, deleted_at) VALUES ($1,$2,$3,$4,$5,9,0,0,$6,0,$7,$8)`, tx.Tenant, sku, warehouse, id.New[id.Level](),
							product, i%3 == 0, i, deleted)
					}
				}
			}
			search.Put(tx, search.Products, docs...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, few := range []int{0, 40, 300_000} { // the last is how many it is
			stock.SetFewRest(few)
			compareSearches(t, store, tenant, func(term, warehouse string) (want []string) {
				for _, l := range levels {
					if (strings.Contains(l.text, search.Fold(term)) || l.sku == term) && (warehouse == "" || l.warehouse == warehouse) {
						want = append(want, l.sku+"@"+l.warehouse)
					}
				}
				slices.Sort(want)
				return want
			})
		}
	})
}

// compareSearches compares pages of searches, by page number and by cursor, with those that looking at each level gives.
func compareSearches(t *testing.T, store *db.DB, tenant id.Tenant, looking func(term, warehouse string) []string) {
	t.Helper()
	for _, term := range []string{"cup", "1", "c-", "c-0", "c-01", "m7 ", "m", "m1", "s8", "s80", "k", "k2", "c-0003", "C-0123",
		"V-0-0057", "none"} {
		for _, warehouse := range []string{"", "MAIN"} {
			want := looking(term, warehouse)
			for _, offset := range []int{0, 13, len(want) / 2, len(want) - 20, 5000} {
				f := stock.Filter{Search: term, Warehouse: warehouse, Limit: 30, Offset: max(0, offset)}
				behind := f
				err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
					part := want[min(f.Offset, len(want)):min(f.Offset+30, len(want))]
					list, total, err := stock.List(tx, f)
					if got := places(list); total != int64(len(want)) || !slices.Equal(got, part) {
						t.Errorf("%+v: %d levels, not %d\n%v\n%v", f, total, len(want), got, part)
					}
					if len(part) < 30 || err != nil {
						return err
					}
					behind.After, behind.Offset, behind.Limit = &stock.Place{SKU: list[9].SKU, Warehouse: list[9].Warehouse}, 0, 20
					next, _, err := stock.List(tx, behind)
					if got := places(next); !slices.Equal(got, part[10:]) {
						t.Errorf("%+v: behind %s %v\n%v", f, part[9], got, part[10:])
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func places(list []stock.Row) (names []string) {
	for _, r := range list {
		names = append(names, r.SKU+"@"+r.Warehouse)
	}
	return names
}
