package stock_test

import (
	"fmt"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/stock"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// fixture is a store with one account and a product for each SKU a test uses.
type fixture struct {
	testing.TB
	store    *db.DB
	tenant   id.Tenant
	products map[string]id.Product
}

func newShelf(t testing.TB, store *db.DB) *fixture {
	return &fixture{t, store, dbtest.Account(t, store), map[string]id.Product{}}
}

// product returns the product of a SKU, created at its first use and again after forget.
func (s *fixture) product(sku string) id.Product {
	if s.products[sku] == "" {
		product := id.New[id.Product]()
		s.products[sku] = product
		s.write(func(tx *db.Tx) error {
			tx.Queue(`INSERT INTO skus (tenant_id, sku, product_id) VALUES ($1,$2,$3)
				ON CONFLICT (tenant_id, sku) DO UPDATE SET product_id = excluded.product_id`, tx.Tenant, sku, product)
			return nil
		})
	}
	return s.products[sku]
}

func (s *fixture) write(run func(tx *db.Tx) error) {
	s.Helper()
	if err := s.store.Write(s.Context(), s.tenant, run); err != nil {
		s.Fatal(err)
	}
	s.check()
}

// set sets quantities by SKU, or by SKU@warehouse.
func (s *fixture) set(quantities map[string]int64) (changes []stock.Change) {
	s.Helper()
	var inputs []stock.StockInput
	for place, n := range quantities {
		at := split(place)
		inputs = append(inputs, stock.StockInput{SKU: at.SKU, Warehouse: at.Warehouse, Product: s.product(at.SKU), Quantity: n})
	}
	s.write(func(tx *db.Tx) error {
		snapshot, err := stock.ReadSnapshot(tx, inputs)
		if err != nil {
			return err
		}
		changes = snapshot.Set(tx, inputs, stock.Why{Cause: stock.Import})
		return nil
	})
	return changes
}

// shift moves one SKU.
func (s *fixture) shift(place string, reserve, onHand int64) (changes []stock.Change) {
	s.Helper()
	at := split(place)
	product := s.product(at.SKU)
	s.write(func(tx *db.Tx) error {
		shifts := []stock.Shift{{SKU: at.SKU, Warehouse: at.Warehouse, Product: product, Reserve: reserve, OnHand: onHand}}
		plan, err := stock.PlanShifts(tx, shifts, false)
		plan.Store(tx, stock.Why{Cause: stock.Shipment})
		changes = plan.Changed()
		return err
	})
	return changes
}

func split(place string) stock.Place {
	for i := range place {
		if place[i] == '@' {
			return stock.Place{SKU: place[:i], Warehouse: place[i+1:]}
		}
	}
	return stock.Place{SKU: place}
}

// level returns a level's state: "on-hand/reserved", followed by "low" or "gone"; "" if there is none.
func (s *fixture) level(place string) (text string) {
	s.Helper()
	at := split(place)
	if at.Warehouse == "" {
		at.Warehouse = stock.MainWarehouse
	}
	err := s.store.Read(s.Context(), s.tenant, func(tx *db.Tx) error {
		return tx.Each(func(r db.Rows) error {
			var onHand, reserved, deleted int64
			var low bool
			err := r.Scan(&onHand, &reserved, &low, db.Opt(&deleted))
			text = fmt.Sprintf("%d/%d", onHand, reserved)
			if low {
				text += " low"
			}
			if deleted != 0 {
				text += " gone"
			}
			return err
		}, "SELECT on_hand, reserved, low, deleted_at FROM stock_levels WHERE tenant_id = $1 AND sku = $2 AND warehouse_code = $3",
			s.tenant, at.SKU, at.Warehouse)
	})
	if err != nil {
		s.Fatal(err)
	}
	return text
}

func (s *fixture) want(place, level string) {
	s.Helper()
	if got := s.level(place); got != level {
		s.Errorf("%s is %q, want %q", place, got, level)
	}
}

// check compares every level with its ledger: the sum is on-hand, and each balance is the one before plus its delta.
func (s *fixture) check() {
	s.Helper()
	err := s.store.Read(s.Context(), s.tenant, func(tx *db.Tx) error {
		balance := map[stock.Place]int64{}
		err := tx.Each(func(r db.Rows) error {
			var at stock.Place
			var delta, after int64
			err := r.Scan(&at.SKU, &at.Warehouse, &delta, &after)
			balance[at] += delta
			if balance[at] != after || delta == 0 {
				s.Errorf("the ledger of %v goes by %d to %d, the sum is %d", at, delta, after, balance[at])
			}
			return err
		}, "SELECT sku, warehouse_code, delta, balance FROM movements WHERE tenant_id = $1 ORDER BY sku, stamp", tx.Tenant)
		if err != nil {
			return err
		}
		stamps := map[int64]bool{}
		err = tx.Each(func(r db.Rows) error {
			var at stock.Place
			var onHand, stamp int64
			err := r.Scan(&at.SKU, &at.Warehouse, &onHand, &stamp)
			if balance[at] != onHand || stamps[stamp] {
				s.Errorf("%v has %d on hand, its ledger %d; stamp %d", at, onHand, balance[at], stamp)
			}
			delete(balance, at)
			stamps[stamp] = true
			return err
		}, "SELECT sku, warehouse_code, on_hand, changed_at FROM stock_levels WHERE tenant_id = $1", tx.Tenant)
		for at, n := range balance {
			s.Errorf("%v has a ledger of %d and no level", at, n)
		}
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
}

func TestSet(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShelf(t, store)
		if got := s.set(map[string]int64{"A": 5, "B": 0, "A@LYON": 3}); len(got) != 3 {
			t.Errorf("three new levels, changes %v", got)
		}
		s.want("A", "5/0")
		s.want("B", "0/0")
		s.want("A@LYON", "3/0")
		if got := s.set(map[string]int64{"A": 5, "B": 0}); len(got) != 0 {
			t.Errorf("set to what they are: %v", got)
		}
		got := s.set(map[string]int64{"A": 7, "B": 0})
		if len(got) != 1 || got[0].PreviousOnHand != 5 || got[0].OnHand != 7 {
			t.Errorf("A went to 7: %v", got)
		}
		many := map[string]int64{}
		for i := range 700 {
			many[fmt.Sprintf("M-%03d", i)] = int64(i)
		}
		s.set(many)
		for sku := range many {
			many[sku] += 10
		}
		s.set(many)
		s.want("M-599", "609/0")
	})
}

// A level that only orders made cannot be low; once its stock was set, it can.
func TestSetMakesLow(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShelf(t, store)
		if got := s.shift("A", 2, 0); got[0].FellLow {
			t.Error("stock was never set, but it is low")
		}
		s.want("A", "0/2")
		if got := s.set(map[string]int64{"A": 0}); len(got) != 1 || !got[0].FellLow {
			t.Errorf("set to 0 with 2 reserved: %v", got)
		}
		if got := s.set(map[string]int64{"A": 1}); len(got) != 1 || got[0].FellLow {
			t.Errorf("still low, reported again: %v", got)
		}
		s.want("A", "1/2 low")
		s.set(map[string]int64{"A": 4})
		s.want("A", "4/2")
		if got := s.shift("A", 3, 0); !got[0].FellLow {
			t.Error("oversold, not reported")
		}
		s.want("A", "4/5 low")
	})
}

// A deleted product's stock is written off; what orders hold stays until they let it go, and comes along when the SKU is
// taken by another product.
func TestDeleteFor(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShelf(t, store)
		s.set(map[string]int64{"A": 5, "B": 5})
		s.shift("A", 3, 0)
		s.write(func(tx *db.Tx) error {
			got, err := stock.DeleteFor(tx, []string{"A", "NONE"}, stock.Why{Cause: stock.Adjustment})
			tx.Queue("DELETE FROM skus WHERE tenant_id = $1 AND sku = 'A'", tx.Tenant)
			if len(got) != 1 || got[0].PreviousOnHand != 5 || got[0].OnHand != 0 {
				t.Errorf("buried %v", got)
			}
			return err
		})
		s.want("A", "0/3 gone")
		s.shift("A@MAIN", -1, 0)
		s.want("A", "0/2 gone")
		s.shift("A@MAIN", -1, -1)
		s.want("A", "-1/1 gone")
		s.products["A"] = ""
		s.set(map[string]int64{"A": 9})
		s.want("A", "9/1")
		s.write(func(tx *db.Tx) error {
			_, err := stock.DeleteFor(tx, []string{"B"}, stock.Why{Cause: stock.Adjustment})
			tx.Queue("DELETE FROM skus WHERE tenant_id = $1 AND sku = 'B'", tx.Tenant)
			return err
		})
		s.products["B"] = ""
		s.shift("B", 1, 0)
		s.want("B", "0/1")
	})
}
