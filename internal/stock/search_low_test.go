package stock_test

import (
	"fmt"
	"strings"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/dbtest"
	"entrepot/internal/id"
	"entrepot/internal/search"
	"entrepot/internal/stock"
)

// A search among low levels looks at these if they are few of very many, and reads nothing if there is none.
func TestASearchAmongLowLevelsLooksAtThese(t *testing.T) {
	dbtest.PlainConfigs(t, func(t *testing.T, config db.Config) {
		var asked []string
		config.Trace = func(sql string, _ []any) { asked = append(asked, sql) }
		store := dbtest.Open(t, config)
		tenant := dbtest.Account(t, store)
		err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
			var docs []search.Document
			for i := range 1200 {
				product, name, sku, low := id.New[id.Product](), "cup", fmt.Sprintf("S-%03d", i), i%48 == 3 && i < 100 // S-003, S-051, S-099
				if i == 99 {
					name = "bowl"
				}
				tx.Change(`INSERT INTO products (tenant_id, id, sku, name, slug, description, status, price, media, attributes, search, variant_count,
					category_count, created_at, updated_at, changed_at) VALUES ($1,$2,$3,$4,$3,'','ACTIVE',1,'[]','{}',$4,0,0,0,0,$5)`, tx.Tenant,
					product, sku, name, i)
				tx.Change(`INSERT INTO stock_levels (tenant_id, sku, warehouse_code, id, product_id, on_hand, reserved, threshold, low, updated_at,
					changed_at) VALUES ($1,$2,'MAIN',$3,$4,1,0,5,$5,0,$6)`, tx.Tenant, sku, id.New[id.Level](), product, low, i)
				tx.Tally("levels", "MAIN", 1)
				if low {
					tx.Tally("low", "MAIN", 1)
				}
				docs = append(docs, search.Document{ID: string(product), Text: name})
			}
			search.Put(tx, search.Products, docs...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			f     stock.Filter
			total int64
			want  string
		}{
			{stock.Filter{Search: "CUP", Limit: 20}, 2, "S-003 S-051"},
			{stock.Filter{Search: "cup", Limit: 1, Offset: 1}, 2, "S-051"},
			{stock.Filter{Search: "cup", Limit: 20, After: &stock.Place{SKU: "S-003", Warehouse: "MAIN"}}, 2, "S-051"},
			{stock.Filter{Search: " S-099 ", Limit: 20}, 1, "S-099"}, // a whole SKU, whatever its product is called
			{stock.Filter{Search: "cup", Limit: 20, Warehouse: "OTHER"}, 0, ""},
			{stock.Filter{Search: "cup", Limit: 20, Offset: 3}, 2, ""},
		} {
			c.f.Low = true
			asked = nil
			err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
				list, total, err := stock.List(tx, c.f)
				var skus []string
				for _, r := range list {
					skus = append(skus, r.SKU)
				}
				if got := strings.Join(skus, " "); got != c.want || total != c.total {
					t.Errorf("%+v: %q of %d, not %q of %d", c.f, got, total, c.want, c.total)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, sql := range asked {
				if strings.Contains(sql, "search_") {
					t.Errorf("%+v: texts are read by %s", c.f, sql)
				}
			}
		}
	})
}
