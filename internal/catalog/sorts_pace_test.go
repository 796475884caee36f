package catalog

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/dbtest"
)

// In the middle of an import, what waits to be sorted is counted once for as many changes as are known to be there, and not for each
// transaction; at the end the sorts wait for a pause.
func TestWhatWaitsToBeSortedIsCountedSeldom(t *testing.T) {
	was := sortAnyway
	defer func() { sortAnyway = was }()
	sortAnyway = 4 * leastSort
	const changed = 10 * leastSort
	dbtest.PlainConfigs(t, func(t *testing.T, config db.Config) {
		var counts atomic.Int64
		// By this clock transactions take no time, so that each is twice as large as the last.
		fixed := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
		config.Now = func() time.Time { return fixed }
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
		// 5,000 changes are enough to go on for 2,000: that is for 500, 1,000 and 2,000. With 1,500 left they are not.
		if want := 7 * leastSort; err != nil || sorted != want || counts.Load() != 2 {
			t.Errorf("%d of %d changes were sorted, not %d; what waits was counted %d times: %v", sorted, changed, want, counts.Load(), err)
		}
	})
}
