package filler_test

import (
	"io"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/verify"
	"entrepot/test/filler"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// In a filled account everything holds that verify looks at, and what the worker makes of orders in pauses is there.
func TestAFilledAccountHolds(t *testing.T) {
	dbtest.Long(t, "it fills an account")
	clock := filler.NewClock(time.Now())
	dbtest.EnginesAt(t, clock.Now, func(t *testing.T, store *db.DB) {
		*clock = *filler.NewClock(time.Now())
		tenant := dbtest.Account(t, store)
		shop := channels.Channel{ID: id.New[id.Channel](), Name: "Shop", Platform: channels.Custom, Status: channels.Active, Settings: "{}",
			Oversell: "allow"}
		if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error { shop.Insert(tx); return nil }); err != nil {
			t.Fatal(err)
		}
		size := filler.Size{Orders: 1500, SKUs: 300, Customers: 100}
		if err := filler.Fill(t.Context(), store, clock, tenant, []id.Channel{shop.ID}, size, io.Discard); err != nil {
			t.Fatal(err)
		}
		*clock = *filler.NewClock(time.Now().AddDate(3, 0, 0)) // as it will be looked at: later
		var blocks int64
		err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			return tx.Row("SELECT count(*) FROM sales_blocks WHERE tenant_id = $1", []any{tx.Tenant}, &blocks)
		})
		if err != nil || blocks < 20 {
			t.Errorf("%d blocks of what was sold in 24 months: %v", blocks, err)
		}
		var dangling int64
		err = store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			return tx.Row("SELECT count(*) FROM movements WHERE tenant_id = $1 AND (reference_type = '') <> (reference_id = '')", []any{tx.Tenant},
				&dangling)
		})
		if err != nil || dangling > 0 {
			t.Errorf("%d movements of stock refer to a record without an id: %v", dangling, err)
		}
		results, err := verify.Run(t.Context(), store, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if r.Wrong > 0 {
				t.Errorf("%s: %v", r.Says, r.Examples)
			}
			if r.Name == "order totals" && r.Looked != int64(size.Orders) {
				t.Errorf("%d orders were looked at", r.Looked)
			}
		}
	})
}
