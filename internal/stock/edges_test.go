package stock_test

import (
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/stock"
)

// A tombstone on which something is reserved is kept; the others go. A stamp is counted from its own on, and up to, without, another's.
func TestTombstonesAndCounts(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShelf(t, store)
		for _, sku := range []string{"A", "B"} {
			s.product(sku)
		}
		s.set(map[string]int64{"A": 5, "B": 5})
		s.shift("A", 1, 0)
		s.write(func(tx *db.Tx) error {
			rows, err := changes(tx, false)
			if err != nil || len(rows) != 2 {
				t.Fatalf("%+v, %v", rows, err)
			}
			for _, c := range []struct{ since, until, want int64 }{
				{0, 1 << 62, 2}, {rows[0].ChangedAt, rows[1].ChangedAt, 1}, {rows[1].ChangedAt, rows[1].ChangedAt + 1, 1},
				{rows[1].ChangedAt + 1, 1 << 62, 0},
			} {
				if n, err := stock.Count(tx, c.since, c.until); err != nil || n != c.want {
					t.Errorf("from %d to %d: %d, %v", c.since, c.until, n, err)
				}
			}
			return nil
		})
		s.write(func(tx *db.Tx) error {
			_, err := stock.DeleteFor(tx, []string{"A", "B"}, stock.Why{Cause: stock.Adjustment})
			return err
		})
		err := store.Write(t.Context(), db.Across, func(tx *db.Tx) error {
			_, err := stock.DeleteTombstones(tx, 1<<62, 1000)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		err = store.Read(t.Context(), s.tenant, func(tx *db.Tx) error {
			rows, err := changes(tx, true)
			if err != nil || len(rows) != 1 || rows[0].SKU != "A" || rows[0].Reserved != 1 {
				t.Errorf("kept: %+v, %v", rows, err)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// A level whose product is gone is not low, whatever its threshold was: no stock.low comes of orders that still hold it.
func TestADeletedLevelIsNotLow(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShelf(t, store)
		o := ops{"A", s.product("A")}
		s.write(o.set(5))
		s.write(o.threshold(3))
		s.shift("A", 2, 0)
		s.write(o.remove)
		s.write(o.forget)
		for _, c := range s.shift("A@MAIN", -1, 0) {
			if c.FellLow || c.Low {
				t.Errorf("%+v", c)
			}
		}
	})
}

// A warehouse may be removed once all that it holds is written off, but not while it is the default one.
func TestWhichWarehousesMayGo(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShelf(t, store)
		o := ops{"A", s.product("A")}
		lyon := stock.Warehouse{ID: id.New[id.Warehouse](), Code: "LYON", Name: "Lyon", CreatedAt: 1}
		s.write(func(tx *db.Tx) error { lyon.Insert(tx); return nil })
		s.write(func(tx *db.Tx) error { // written off with its product
			inputs := []stock.StockInput{{SKU: "A", Product: o.product, Warehouse: "LYON", Quantity: 4}}
			snapshot, err := stock.ReadSnapshot(tx, inputs)
			if err == nil {
				snapshot.Set(tx, inputs, stock.Why{Cause: stock.Import})
			}
			return err
		})
		if err := store.Write(t.Context(), s.tenant, lyon.Delete); !apperr.Is(err, apperr.Conflict) {
			t.Errorf("with stock: %v", err)
		}
		s.write(o.remove)
		s.write(o.forget)
		s.shift("A@LYON", 0, -1) // a parcel of an order that was there before
		become := func(w stock.Warehouse) func(tx *db.Tx) error {
			return func(tx *db.Tx) error {
				after := w
				after.Default = true
				after.Save(tx, w)
				return nil
			}
		}
		dbtest.RunsAgain(t, store, s.tenant, lyon.Delete, become(lyon))
		s.write(func(tx *db.Tx) error {
			all, _, err := stock.Warehouses(tx, 9, 0)
			for _, w := range all {
				if err == nil && w.Code == stock.MainWarehouse {
					err = become(w)(tx)
				}
			}
			return err
		})
		if err := store.Write(t.Context(), s.tenant, lyon.Delete); err != nil {
			t.Errorf("empty: %v", err)
		}
	})
}

// changes returns the whole feed.
func changes(tx *db.Tx, deleted bool) (list []stock.Row, err error) {
	_, _, _, err = stock.Changes(tx, 0, 10, deleted, func(r *stock.Row) { list = append(list, *r) })
	return list, err
}
