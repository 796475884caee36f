package stock_test

import (
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/stock"
)

// ops are the writes of this package for one SKU.
type ops struct {
	sku     string
	product id.Product
}

func (o ops) set(quantity int64) func(tx *db.Tx) error {
	return func(tx *db.Tx) error {
		inputs := []stock.StockInput{{SKU: o.sku, Product: o.product, Quantity: quantity}}
		s, err := stock.ReadSnapshot(tx, inputs)
		if err == nil {
			s.Set(tx, inputs, stock.Why{Cause: stock.Import, ReferenceID: "set"})
		}
		return err
	}
}

func (o ops) threshold(n int64) func(tx *db.Tx) error {
	return func(tx *db.Tx) error {
		inputs := []stock.StockInput{{SKU: o.sku, Product: o.product, Quantity: n}}
		s, err := stock.ReadSnapshot(tx, inputs)
		if err == nil {
			s.PlanThresholds(inputs).Write(tx, stock.Why{})
		}
		return err
	}
}

func (o ops) shift(reserve, onHand int64, reject bool) func(tx *db.Tx) error {
	return func(tx *db.Tx) error {
		plan, err := o.plan(tx, reserve, onHand, reject)
		plan.Store(tx, stock.Why{Cause: stock.Shipment})
		return err
	}
}

func (o ops) plan(r db.Reader, reserve, onHand int64, reject bool) (*stock.ShiftPlan, error) {
	shifts := []stock.Shift{{SKU: o.sku, Product: o.product, Reserve: reserve, OnHand: onHand}}
	return stock.PlanShifts(r, shifts, reject)
}

func (o ops) remove(tx *db.Tx) error {
	_, err := stock.DeleteFor(tx, []string{o.sku}, stock.Why{Cause: stock.Adjustment})
	return err
}

// forget makes the SKU stand for nothing, as deleting its product does.
func (o ops) forget(tx *db.Tx) error {
	tx.Queue("DELETE FROM skus WHERE tenant_id = $1 AND sku = $2", tx.Tenant, o.sku)
	return nil
}

// move makes the SKU stand for another product.
func (o ops) move(tx *db.Tx) error {
	tx.Queue("UPDATE skus SET product_id = $3 WHERE tenant_id = $1 AND sku = $2", tx.Tenant, o.sku, id.New[id.Product]())
	return nil
}

// both runs two writes in one transaction.
func both(a, b func(tx *db.Tx) error) func(tx *db.Tx) error {
	return func(tx *db.Tx) error {
		if err := a(tx); err != nil {
			return err
		}
		return b(tx)
	}
}

// A write of a level that has moved since it was read, in a way that matters to it, runs again.
func TestWritersOfLevelsNoticeEachOther(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		o := ops{sku: "A"}
		type write = func(tx *db.Tx) error
		set := func(n int64) func() write { return func() write { return o.set(n) } }
		bound := func(n int64) func() write { return func() write { return o.threshold(n) } }
		reserve := func(n int64) func() write { return func() write { return o.shift(n, 0, false) } }
		reject := func(n int64) func() write { return func() write { return o.shift(n, 0, true) } }
		ship := func() write { return o.shift(0, -1, false) }
		remove, forget := func() write { return o.remove }, func() write { return o.forget }
		moves := func() write { return o.move }
		empty := func() write { return both(o.set(0), o.remove) }
		type given = []func() write
		for name, c := range map[string]struct {
			given          given
			run, meanwhile func() write
		}{
			"set after another on-hand":   {given{set(5)}, set(7), set(6)},
			"set after a reservation":     {given{set(5)}, set(7), reserve(1)},
			"set after a removal":         {given{set(5)}, set(7), remove},
			"set after a threshold":       {given{set(5)}, set(2), bound(3)},
			"first of a SKU that goes":    {nil, set(7), forget},
			"first of a SKU that moves":   {nil, set(7), moves},
			"first twice":                 {nil, set(7), set(6)},
			"set after it is low":         {given{set(5), bound(3)}, set(2), bound(6)},
			"reserve that makes low":      {given{set(5), bound(3)}, reserve(1), reserve(2)},
			"reserve after it is low":     {given{set(5), bound(3)}, reserve(3), reserve(3)},
			"reserve the last one":        {given{set(1)}, reject(1), reject(1)},
			"reserve all that is left":    {given{set(5)}, reserve(3), reserve(2)},
			"reserve after a removal":     {given{set(5)}, reserve(1), remove},
			"ship after another":          {given{set(5)}, ship, ship},
			"threshold after on-hand":     {given{set(5)}, bound(3), set(2)},
			"threshold after reserving":   {given{set(5)}, bound(3), reserve(4)},
			"threshold after threshold":   {given{set(5)}, bound(3), bound(4)},
			"threshold after a removal":   {given{set(0)}, bound(3), empty},
			"remove after on-hand":        {given{set(5)}, remove, set(6)},
			"remove after reserving":      {given{set(5)}, remove, reserve(1)},
			"remove after a threshold":    {given{set(5)}, remove, bound(9)},
			"remove twice":                {given{set(5)}, remove, remove},
			"restore twice":               {given{set(5), remove}, set(7), set(0)},
			"restore for a SKU that goes": {given{set(5), remove}, set(7), forget},
		} {
			t.Run(name, func(t *testing.T) {
				s := newShelf(t, store)
				o.product = s.product("A")
				for _, run := range c.given {
					s.write(run())
				}
				dbtest.RunsAgain(t, store, s.tenant, c.run(), c.meanwhile())
			})
		}
		t.Run("reservations do not wait for each other", func(t *testing.T) {
			s := newShelf(t, store)
			o := ops{"A", s.product("A")}
			s.write(o.set(5))
			runs := 0
			err := dbtest.Overtaken(t, store, s.tenant, func(tx *db.Tx) error {
				runs++
				return o.shift(2, 0, true)(tx)
			}, func() error {
				s.write(o.shift(1, 0, true))
				return nil
			})
			if err != nil || runs != 1 || s.level("A") != "5/3" {
				t.Errorf("%d runs, %v, level %s", runs, err, s.level("A"))
			}
		})
	})
}

// A warehouse that was changed, removed or filled since it was read makes the write run again; its code and the default are one's own.
func TestWritersOfWarehousesNoticeEachOther(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShelf(t, store)
		o := ops{"A", s.product("A")}
		main := func() (w stock.Warehouse) {
			t.Helper()
			err := store.Read(t.Context(), s.tenant, func(tx *db.Tx) error {
				list, total, err := stock.Warehouses(tx, 1, 0)
				if err == nil && (len(list) != 1 || total < 1 || !list[0].Default) {
					t.Errorf("%d of %d warehouses: %+v", len(list), total, list)
				}
				w = list[0]
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
		lyon := stock.Warehouse{ID: id.New[id.Warehouse](), Code: "LYON", Name: "Lyon", CreatedAt: 1 << 60}
		s.write(func(tx *db.Tx) error { lyon.Insert(tx); return nil })
		save := func(before, after stock.Warehouse) func(tx *db.Tx) error {
			return func(tx *db.Tx) error { after.Save(tx, before); return nil }
		}
		renamed := func(w stock.Warehouse, name string) stock.Warehouse { w.Name = name; return w }
		dbtest.RunsAgain(t, store, s.tenant, save(lyon, renamed(lyon, "X")), save(lyon, renamed(lyon, "Y")))
		lyon.Name = "Y"
		addressed := lyon
		addressed.Address = `{"city":"Lyon"}`
		dbtest.RunsAgain(t, store, s.tenant, save(lyon, renamed(lyon, "X")), save(lyon, addressed))
		lyon = addressed

		fill := func(tx *db.Tx) error {
			inputs := []stock.StockInput{{SKU: o.sku, Product: o.product, Warehouse: "LYON", Quantity: 1}}
			snapshot, err := stock.ReadSnapshot(tx, inputs)
			if err == nil {
				snapshot.Set(tx, inputs, stock.Why{Cause: stock.Import})
			}
			return err
		}
		dbtest.RunsAgain(t, store, s.tenant, lyon.Delete, fill)
		if err := store.Write(t.Context(), s.tenant, lyon.Delete); !apperr.Is(err, apperr.Conflict) {
			t.Errorf("a warehouse with stock was removed: %v", err)
		}
		paris := stock.Warehouse{ID: id.New[id.Warehouse](), Code: "PARIS", Name: "Paris", CreatedAt: 1 << 61}
		s.write(func(tx *db.Tx) error { paris.Insert(tx); return nil })
		dbtest.RunsAgain(t, store, s.tenant, save(paris, renamed(paris, "X")), paris.Delete)
		s.write(func(tx *db.Tx) error { paris.Insert(tx); return nil })
		dbtest.RunsAgain(t, store, s.tenant, paris.Delete, paris.Delete)

		twice := stock.Warehouse{ID: id.New[id.Warehouse](), Code: "LYON", Name: "Other"}
		err := store.Write(t.Context(), s.tenant, func(tx *db.Tx) error { twice.Insert(tx); return nil })
		if !apperr.Is(err, apperr.Conflict) {
			t.Errorf("a code twice: %v", err)
		}
		was := main()
		now := lyon
		now.Default = true
		dbtest.RunsAgain(t, store, s.tenant, save(lyon, renamed(lyon, "X")), save(lyon, now))
		var codes []string
		err = store.Read(t.Context(), s.tenant, func(tx *db.Tx) error {
			list, _, err := stock.Warehouses(tx, 9, 0)
			for _, w := range list {
				if w.Default {
					codes = append(codes, w.Code)
				}
			}
			return err
		})
		if err != nil || len(codes) != 1 || codes[0] != "LYON" || was.Code != stock.MainWarehouse {
			t.Errorf("defaults: %v, %v", codes, err)
		}
		if err := store.Write(t.Context(), s.tenant, now.Delete); !apperr.Is(err, apperr.Conflict) {
			t.Errorf("the default was removed: %v", err)
		}
	})
}

// Nothing that an account does with another one's SKUs, codes and ids finds or changes anything there.
func TestStockStaysInItsAccount(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s, other := newShelf(t, store), newShelf(t, store)
		o := ops{"A", s.product("A")}
		s.write(o.set(5))
		s.write(o.threshold(3))
		s.write(o.shift(1, 0, false))
		lyon := stock.Warehouse{ID: id.New[id.Warehouse](), Code: "LYON", Name: "Lyon"}
		s.write(func(tx *db.Tx) error { lyon.Insert(tx); return nil })
		gone := ops{"G", s.product("G")}
		s.write(gone.set(1))
		s.write(gone.remove)
		same := ops{"A", other.product("A")} // the same SKU in both accounts
		other.write(same.set(2))
		tables := []string{"stock_levels", "movements", "warehouses"}
		before := dbtest.RowsOf(t, store, s.tenant, tables...)
		err := store.Read(t.Context(), other.tenant, func(tx *db.Tx) error {
			if list, err := stock.OfSKUs(tx, []string{"A", "G"}); len(list) != 1 || len(list["A"]) != 1 || list["A"][0].OnHand != 2 || err != nil {
				t.Errorf("levels: %v, %v", list, err)
			}
			if list, total, err := stock.List(tx, stock.Filter{Limit: 9}); len(list) != 1 || total != 1 || err != nil {
				t.Errorf("list: %v of %d, %v", list, total, err)
			}
			if list, err := changes(tx, true); len(list) != 1 || err != nil {
				t.Errorf("feed: %v, %v", list, err)
			}
			if n, err := stock.Count(tx, 0, 1<<62); n != 1 || err != nil {
				t.Errorf("count: %d, %v", n, err)
			}
			if n, err := stock.Tombstones(tx, 0); n != 0 || err != nil {
				t.Errorf("tombstones: %d, %v", n, err)
			}
			if n, err := stock.All(tx); n != 1 || err != nil {
				t.Errorf("all: %d, %v", n, err)
			}
			if list, total, err := stock.Ledger(tx, "A", "", 9, 0); len(list) != 1 || total != 1 || err != nil {
				t.Errorf("ledger: %v of %d, %v", list, total, err)
			}
			if _, err := stock.WarehouseByID(tx, lyon.ID); !apperr.Is(err, apperr.NotFound) {
				t.Errorf("warehouse: %v", err)
			}
			if has, err := stock.HasWarehouse(tx, "LYON"); has || err != nil {
				t.Errorf("has a warehouse: %v", err)
			}
			notes, err := stock.Notes(tx, 0, func(string) bool { return true })
			if len(notes) != 0 || err != nil {
				t.Errorf("notes: %v, %v", notes, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, write := range map[string]func(tx *db.Tx) error{
			"set": same.set(9), "reserve": same.shift(1, 0, false), "ship": same.shift(0, -1, false), "threshold": same.threshold(8),
			"remove": same.remove, "restore": same.set(4), "save": func(tx *db.Tx) error {
				w := lyon
				w.Name = "changed"
				w.Save(tx, lyon)
				return nil
			},
			"default": func(tx *db.Tx) error {
				w := lyon
				w.Default = true
				w.Save(tx, lyon)
				return nil
			},
			"delete":      lyon.Delete,
			"clear notes": func(tx *db.Tx) error { stock.ClearNotes(tx, []string{"set"}); return nil },
		} {
			_ = store.Write(t.Context(), other.tenant, func(tx *db.Tx) error { // refused or without effect
				if tx.Try() > 0 {
					return apperr.Missing("level")
				}
				return write(tx)
			})
			if after := dbtest.RowsOf(t, store, s.tenant, tables...); after != before {
				t.Fatalf("%s changed another account:\n%s\nwas\n%s", name, after, before)
			}
		}
	})
}
