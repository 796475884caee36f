package catalog

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/dbtest"
	"entrepot/internal/id"
)

// In the middle of an import, what waits to be sorted is counted once for as many changes as are known to be there, and not for each
// transaction; at the end the sorts wait for a pause.
func TestWhatWaitsToBeSortedIsCountedSeldom(t *testing.T) {
	was := sortAnyway
	defer func() { sortAnyway = was }()
	sortAnyway = 4 * sortStep
	const changed = 10 * sortStep
	for engine, config := range map[string]db.Config{"sqlite": {Dir: dbtest.StoreDir(t), Unsafe: true},
		"postgres": {URL: dbtest.PlainStoreURL(t)}} {
		t.Run(engine, func(t *testing.T) {
			var counts atomic.Int64
			config.Trace = func(sql string, _ []any) {
				if strings.Contains(sql, "LIMIT 1 OFFSET $3") {
					counts.Add(1)
				}
			}
			store := dbtest.Open(t, config)
			tenant := dbtest.Account(t, store)
			err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
				changes := make([]Change, changed)
				for i := range changes {
					name := fmt.Sprint("S", i)
					changes[i].After = Product{ID: id.New[id.Product](), SKU: name, Name: name, Slug: name, Status: Active, Price: 1,
						Media: "[]", Attributes: "{}"}
				}
				Save(tx, changes)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := FollowSort(t.Context(), store, tenant, time.Hour); err != nil {
				t.Fatal(err)
			}
			var sorted int
			err = store.Read(t.Context(), tenant, func(tx *db.Tx) error {
				return tx.Row("SELECT count(*) FROM product_sorts WHERE tenant_id = $1", []any{tx.Tenant}, &sorted)
			})
			// 5,000 and 3,000 changes are enough to go on for 2,000 each; with 1,000 left, they are not.
			if want := 8 * sortStep; err != nil || sorted != want || counts.Load() != 3 {
				t.Errorf("%d of %d changes were sorted, not %d; what waits was counted %d times: %v", sorted, changed, want, counts.Load(), err)
			}
		})
	}
}
