package stock_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/dbtest"
	"entrepot/internal/id"
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
		for _, term := range []string{"cup", "c-0", "c-01", "m7 ", "m1", "s8", "s80", "k2", "c-0003", "C-0123", "V-0-0057", "none"} {
			for _, warehouse := range []string{"", "MAIN"} {
				var want []string
				for _, l := range levels {
					if (strings.Contains(l.text, search.Fold(term)) || l.sku == term) && (warehouse == "" || l.warehouse == warehouse) {
						want = append(want, l.sku+"@"+l.warehouse)
					}
				}
				slices.SortFunc(want, func(a, b string) int { return cmp.Compare(a, b) })
				for _, offset := range []int{0, 13, 5000} {
					f := stock.Filter{Search: term, Warehouse: warehouse, Limit: 30, Offset: offset}
					err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
						list, total, err := stock.List(tx, f)
						var got []string
						for _, r := range list {
							got = append(got, r.SKU+"@"+r.Warehouse)
						}
						part := want[min(offset, len(want)):min(offset+30, len(want))]
						if total != int64(len(want)) || !slices.Equal(got, part) {
							t.Errorf("%+v: %d levels, not %d\n%v\n%v", f, total, len(want), got, part)
						}
						return err
					})
					if err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	})
}
