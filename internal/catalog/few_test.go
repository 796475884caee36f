package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/search"
)

// A search among few of very many products looks at these and reads no texts of all; in a channel without products it reads nothing.
func TestASearchAmongFewLooksAtThese(t *testing.T) {
	dbtest.PlainConfigs(t, func(t *testing.T, config db.Config) {
		var asked []string
		config.Trace = func(sql string, _ []any) { asked = append(asked, sql) }
		store := dbtest.Open(t, config)
		tenant := dbtest.Account(t, store)
		category, channel := id.New[id.Category](), id.New[id.Channel]()
		const plenty = 1200
		var drafts, members []id.Product
		err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
			var docs []search.Document
			for i := range plenty {
				product, status, name := id.New[id.Product](), catalog.Active, fmt.Sprintf("cup %d", i)
				if i == 8 || i == 14 || i == 15 {
					status = catalog.DraftStatus
				}
				if i%7 == 0 {
					name = "bowl"
				} else if status == catalog.DraftStatus {
					drafts = append(drafts, product)
				}
				tx.Change(`INSERT INTO products (tenant_id, id, sku, name, slug, description, status, price, media, attributes, search, variant_count,
					category_count, created_at, updated_at, changed_at) VALUES ($1,$2,$3,$4,$3,'',$5,1,'[]','{}',$4,0,0,0,0,$6)`, tx.Tenant, product,
					fmt.Sprint("S-", i), name, string(status), i)
				if i == 0 || i == 100 || i == 200 {
					tx.Change("INSERT INTO product_categories (tenant_id, product_id, position, reference, category_id) VALUES ($1,$2,0,'c',$3)",
						tx.Tenant, product, category)
					tx.Tally("category members", string(category), 1)
					if name != "bowl" {
						members = append(members, product)
					}
				}
				tx.Tally("products", string(status), 1)
				docs = append(docs, search.Document{ID: string(product), Text: name})
			}
			search.Put(tx, search.Products, docs...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		dbtest.Analyse(t, store, tenant)
		for _, c := range []struct {
			what string
			f    catalog.Filter
			want []id.Product
		}{
			{"drafts", catalog.Filter{Statuses: []catalog.Status{catalog.DraftStatus}}, drafts},
			{"a category", catalog.Filter{Category: category}, members},
			{"a channel without products", catalog.Filter{Channel: channel}, nil},
		} {
			c.f.Search, c.f.Sort, c.f.Limit, c.f.Descending = "cup", catalog.ByCreation, 50, true
			asked = nil
			err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
				list, total, err := catalog.Page(tx, c.f)
				slices.Reverse(list)
				if !slices.Equal(list, c.want) || total != int64(len(c.want)) {
					t.Errorf("%s: %d of %d, not %d", c.what, len(list), total, len(c.want))
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, sql := range asked {
				if strings.Contains(sql, "search_") {
					t.Errorf("%s: texts are read by %s", c.what, sql)
				}
			}
		}
	})
}
