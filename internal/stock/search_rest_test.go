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

// Of a search that most products match, only the others are looked up, even if they are a third as many.
func TestASearchLooksUpTheFewer(t *testing.T) {
	store, read := dbtest.Reading(t)
	tenant := dbtest.Account(t, store)
	isCup := map[string]bool{}
	var cups []string
	err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
		var docs []search.Document
		for i := range 240 {
			product, name, sku := id.New[id.Product](), "cup", fmt.Sprintf("S-%03d", i*7%240)
			if i%4 == 1 {
				name = "bowl"
			} else {
				cups = append(cups, sku)
			}
			isCup[string(product)] = name == "cup"
			tx.Change(`INSERT INTO products (tenant_id, id, sku, name, slug, description, status, price, media, attributes, search, variant_count,
				category_count, created_at, updated_at, changed_at) VALUES ($1,$2,$3,$4,$3,'','ACTIVE',1,'[]','{}','',0,0,0,0,$5)`, tx.Tenant,
				product, sku, name, i)
			tx.Change(`INSERT INTO stock_levels (tenant_id, sku, warehouse_code, id, product_id, on_hand, reserved, threshold, low, updated_at,
				changed_at) VALUES ($1,$2,'MAIN',$3,$4,9,0,0,FALSE,0,$5)`, tx.Tenant, sku, id.New[id.Level](), product, i)
			tx.Tally("levels", "MAIN", 1)
			docs = append(docs, search.Document{ID: string(product), Text: sku + " " + name})
		}
		search.Put(tx, search.Products, docs...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(cups)
	read.Reset()
	err = store.Read(t.Context(), tenant, func(tx *db.Tx) error {
		list, total, err := stock.List(tx, stock.Filter{Search: "cup", Limit: 20, Offset: 100})
		for i, r := range list {
			if r.SKU != cups[100+i] {
				t.Errorf("%s in place of %s", r.SKU, cups[100+i])
			}
		}
		if len(list) != 20 || total != 180 {
			t.Errorf("%d of %d levels", len(list), total)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, s := range read.List() {
		if !strings.Contains(s.SQL, "FROM products s") {
			continue
		}
		for _, arg := range s.Args {
			if product, is := arg.(string); is && product != "" {
				looked++
				if isCup[product] {
					t.Fatalf("a cup is looked up: %s", s.SQL)
				}
			}
		}
	}
	if looked == 0 {
		t.Error("no product was looked up")
	}
}
