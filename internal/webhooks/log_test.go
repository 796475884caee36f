package webhooks

import (
	"math/rand/v2"
	"strings"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

const (
	anOrder  = "019a1c52-7c1e-7d40-9a55-1f2e3d4c5b6a"
	aProduct = "019a1c52-7c1e-7d40-9a55-1f2e3d4c5b6b"
)

// fillLog records n events of a few kinds about a few records, one commit each.
func fillLog(t *testing.T, store *db.DB, tenant id.Tenant, n int) (all []Logged) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	for range n {
		e := [][2]string{{OrderReceived, anOrder}, {OrderShipped, anOrder}, {OrderShipped, string(id.New[id.Order]())}, {StockUpdated, "SKU-1"},
			{StockUpdated, "SKU-2"}, {StockLow, "SKU-1"}, {ProductUpdated, aProduct},
			{ProductDeleted, aProduct}, {ProductCreated, string(id.New[id.Product]())}}[random.IntN(9)]
		err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
			Record(tx, Event{Name: e[0], Resource: e[1], Body: func(id.Event, int64) string { return "{}" }})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := store.Read(t.Context(), tenant, func(tx *db.Tx) (err error) {
		all, err = loggedTable.All(tx, "ORDER BY stamp")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A page does not begin after an event that the log does not have.
func TestPageAfterAnUnknownEvent(t *testing.T) {
	store := dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true})
	err := store.Read(t.Context(), dbtest.Account(t, store), func(tx *db.Tx) error {
		_, err := Log(tx, LogFilter{After: id.New[id.Event](), Limit: 1})
		return err
	})
	if !apperr.Is(err, apperr.Invalid) {
		t.Errorf("%v", err)
	}
}

// SQLite finds what is asked for by kind or record in their indexes, whatever it knows of the table.
func TestPlansOfTheLog(t *testing.T) {
	store := dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true})
	tenant := dbtest.Account(t, store)
	fillLog(t, store, tenant, 300)
	for _, analysed := range []bool{false, true} {
		if analysed {
			if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error { _, err := tx.Exec("ANALYZE"); return err }); err != nil {
				t.Fatal(err)
			}
		}
		err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			for _, c := range []struct {
				f     LogFilter
				index string
			}{
				{LogFilter{}, "(tenant_id=?"}, {LogFilter{From: 1}, "(tenant_id=? AND stamp>?"},
				{LogFilter{Event: CustomerErased}, "events_tenant_id_event (tenant_id=? AND event=?"},
				{LogFilter{Event: ProductUpdated}, "(tenant_id=?"}, {LogFilter{Resource: aProduct, From: 1}, "(tenant_id=? AND stamp>?"},
				{LogFilter{Resource: anOrder}, "events_tenant_id_resource_id (tenant_id=? AND resource_id=?"},
				{LogFilter{Event: OrderShipped, Resource: anOrder}, "events_tenant_id_resource_id (tenant_id=? AND resource_id=?"},
			} {
				for _, c.f.Newest = range []bool{false, true} {
					c.f.Limit = 20
					searched, err := c.f.searched(tx)
					if err != nil {
						return err
					}
					w, order, err := c.f.direct(tx, searched)
					if err != nil {
						return err
					}
					plan := dbtest.Plan(t, tx, loggedTable.Select("")+" WHERE "+w.String()+order+" LIMIT 20", w.Args()...)
					if !strings.Contains(plan, c.index) || strings.Contains(plan, "TEMP B-TREE") {
						t.Errorf("%+v (statistics: %v):\n%s", c.f, analysed, plan)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
