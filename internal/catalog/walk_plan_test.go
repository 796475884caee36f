package catalog_test

import (
	"testing"

	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// A list by name of a search that nearly all products match looks at those of its page. PostgreSQL would find all of them first.
func TestASearchByNameLooksAtItsPage(t *testing.T) {
	store := dbtest.Open(t, db.Config{URL: dbtest.PlainStoreURL(t)})
	tenant := dbtest.Account(t, store)
	const plenty = 5000
	err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO products (tenant_id, id, sku, name, slug, description, status, price, media, attributes, search,
				variant_count, category_count, created_at, updated_at, changed_at)
			SELECT $1, ('00000000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::UUID, 'S' || i, 'cup ' || i, 's' || i, '', 'ACTIVE', 1,
				'[]', '{}', 'cup ' || i, 0, 0, 1, 1, i FROM generate_series(1, $2::BIGINT) i`, tx.Tenant, plenty)
		if err == nil {
			_, err = tx.Exec(`INSERT INTO search_loose (tenant_id, kind, id, sort, text, version)
				SELECT tenant_id, 'product', id, 0, search, 0 FROM products WHERE tenant_id = $1`, tx.Tenant)
		}
		tx.Tally("products", string(catalog.Active), plenty)
		return err
	})
	if err == nil {
		err = catalog.ProductSorts.FollowTenant(t.Context(), store, tenant)
	}
	if err != nil {
		t.Fatal(err)
	}
	dbtest.Analyse(t, store, tenant)
	err = store.Read(t.Context(), tenant, func(tx *db.Tx) error {
		before, err := rowsRead(tx)
		if err != nil {
			return err
		}
		list, total, err := catalog.Page(tx, catalog.Filter{Search: "cup", Statuses: []catalog.Status{catalog.Active}, Sort: catalog.ByName,
			Limit: 20})
		if err != nil || len(list) != 20 || total != plenty {
			t.Errorf("%d of %d products, %v", len(list), total, err)
		}
		after, err := rowsRead(tx)
		if rows := after - before; rows > plenty/10 {
			t.Errorf("%d rows read for a page of 20", rows)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
