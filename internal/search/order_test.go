package search_test

import (
	"slices"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/search"
)

// Texts are written in the order of their ids, whatever order they are given in: an import and the packing of what earlier
// ones wrote lock the rows of PostgreSQL in one order.
func TestPutWritesInTheOrderOfIDs(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		if store.Engine() != "postgres" {
			t.Skip("rows are locked one by one on PostgreSQL only")
		}
		tenant := dbtest.Account(t, store)
		docs := make([]search.Document, 300)
		for i := range docs {
			docs[i] = search.Document{ID: string(id.New[id.Product]()), Text: "mug"}
		}
		slices.Reverse(docs)
		first := docs[0]
		if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
			search.Put(tx, search.Products, docs...)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if docs[0] != first {
			t.Error("the caller's list was changed")
		}
		var stored []string
		if err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			return tx.Each(func(r db.Rows) error {
				var document string
				err := r.Scan(&document)
				stored = append(stored, document)
				return err
			}, "SELECT id::TEXT FROM search_loose WHERE tenant_id = $1 ORDER BY ctid", tx.Tenant)
		}); err != nil {
			t.Fatal(err)
		}
		if len(stored) != len(docs) || !slices.IsSorted(stored) {
			t.Errorf("%d rows, in the order of their ids: %t", len(stored), slices.IsSorted(stored))
		}
	})
}
