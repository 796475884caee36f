package catalog_test

import (
	"fmt"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// Present prices are found by SKU and id, also in an account of which PostgreSQL has no statistics yet: it reads hardly more rows
// than it finds.
func TestPricesAreReadByTheirKeys(t *testing.T) {
	store := dbtest.Open(t, db.Config{URL: dbtest.PlainStoreURL(t)})
	tenant := dbtest.Account(t, store)
	const plenty = 20_000
	drafts := make([]catalog.PriceDraft, 5_000)
	for i := range drafts {
		drafts[i] = catalog.PriceDraft{Index: i, SKU: fmt.Sprint("S", i*plenty/len(drafts)), Price: 2}
	}
	rows := func(tx *db.Tx) (n int64) {
		err := tx.Row(`SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::BIGINT FROM pg_stat_xact_user_tables
			WHERE relname IN ('products', 'skus')`, nil, &n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	err := store.Write(t.Context(), tenant, func(tx *db.Tx) error { // what is not committed is not analysed
		changes := make([]catalog.Change, plenty)
		for i := range changes {
			name := fmt.Sprint("S", i)
			changes[i].After = catalog.Product{ID: id.New[id.Product](), SKU: name, Name: name, Slug: name, Status: catalog.Active, Price: 1,
				Media: "[]", Attributes: "{}"}
		}
		catalog.Save(tx, changes)
		before := rows(tx)
		list, err := catalog.ReadPrices(tx, drafts)
		if err != nil {
			return err
		}
		if found := len(list.Diff().Products); found != len(drafts) {
			t.Errorf("%d of %d were found", found, len(drafts))
		}
		if n, limit := rows(tx)-before, int64(3*len(drafts)); n > limit {
			t.Errorf("%d rows were read for %d prices, at most %d would do", n, len(drafts), limit)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
