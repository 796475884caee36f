package audit_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"entrepot/internal/audit"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// chained is an account with some entries that concurrent transactions have recorded, one of them an erasure after which another one was
// emptied.
func chained(t *testing.T, store *db.DB) id.Tenant {
	tenant := dbtest.Account(t, store)
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			by := store.By(db.Author{Actor: "user:1", Name: "Olga", Request: fmt.Sprint("r", i), Address: "203.0.113.7"})
			if err := by.Write(t.Context(), tenant, func(tx *db.Tx) error {
				audit.Record(tx, "user:1", "thing.updated", "thing", fmt.Sprint(i), map[string]string{"n": fmt.Sprint(i)},
					audit.Diff(map[string]string{"size": "1", "same": "x"}, map[string]string{"size": "2", "same": "x"})...)
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
		found, err := audit.Search(tx, 0, []string{db.Containing("r3")})
		if len(found) != 1 {
			t.Errorf("%d entries of the request r3", len(found))
		}
		audit.Empty(tx, found)
		audit.Record(tx, "user:1", "customer.erased", "customer", "7", nil)
		audit.Record(tx, "user:1", "thing.deleted", "thing", "7", nil)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return tenant
}

// The chain shows every entry that was changed, removed, moved or put in, and stays whole when an erasure empties one.
func TestTheChainShowsWhatOthersChange(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		for _, c := range []struct{ change, finds string }{
			{"", ""},
			{"UPDATE audit_log SET actor = 'user:2' WHERE tenant_id = $1 AND number = 3", "was changed"},
			{`UPDATE audit_log SET details = '{"n":"9"}' WHERE tenant_id = $1 AND resource_id = '1'`, "texts"},
			{`UPDATE audit_log SET changes = '[]' WHERE tenant_id = $1 AND resource_id = '1'`, "texts"},
			{"UPDATE audit_log SET address = '' WHERE tenant_id = $1 AND resource_id = '1'", "texts"},
			{"UPDATE audit_log SET created_at = created_at + 1 WHERE tenant_id = $1 AND number = 8", "was changed"},
			{"DELETE FROM audit_log WHERE tenant_id = $1 AND number = 4", "followed by"},
			{"DELETE FROM audit_log WHERE tenant_id = $1 AND number = 1", "followed by"},
			{"DELETE FROM audit_log WHERE tenant_id = $1 AND number = 8", "newest"},
			{"DELETE FROM audit_log WHERE tenant_id = $1", "newest"},
			{"UPDATE audit_log SET number = CASE number WHEN 1 THEN 102 ELSE 101 END WHERE tenant_id = $1 AND number IN (1, 2)", "followed by"},
			{"UPDATE audit_log SET details = '{}', changes = '[]', actor_name = '', request_id = '', address = '', emptied_at = 1 " +
				"WHERE tenant_id = $1 AND resource_id = '1'", "without an erasure"},
			{"UPDATE audit_log SET number = NULL WHERE tenant_id = $1 AND number = 8", "no chain"},
		} {
			tenant := chained(t, store)
			if c.change != "" {
				if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error { tx.Queue(c.change, tx.Tenant); return nil }); err != nil {
					t.Fatal(err)
				}
			}
			var found []string
			err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
				_, err := audit.Check(tx, "customer.erased", func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) })
				return err
			})
			if all := strings.Join(found, "; "); err != nil || !strings.Contains(all, c.finds) || (c.finds == "") != (all == "") {
				t.Errorf("%s: %s %v", c.change, all, err)
			}
		}
	})
}
