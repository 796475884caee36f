package commerce_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/patch"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/stock"
)

// setOnHand sets on-hand of SKUs in the default warehouse.
func (s *shop) setOnHand(t testing.TB, quantity int64, skus ...string) {
	t.Helper()
	var u commerce.StockUpdate
	for i, sku := range skus {
		u.Drafts = append(u.Drafts, commerce.StockDraft{Index: i, SKU: sku, Quantity: quantity})
	}
	if err := s.write(t, func(tx *db.Tx) error {
		plan, err := s.do.PlanInventory(tx, s.who, u)
		if err == nil {
			_, err = plan.Apply(tx, s.who)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// inStock returns what is on hand of a SKU, by warehouse, and the sum of its ledger.
func (s *shop) inStock(t testing.TB, sku string) (onHand map[string]int64, sum int64) {
	t.Helper()
	onHand = map[string]int64{}
	err := s.store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
		if err := tx.Each(func(r db.Rows) error {
			var warehouse string
			var n int64
			err := r.Scan(&warehouse, &n)
			onHand[warehouse] = n
			return err
		}, "SELECT warehouse_code, on_hand FROM stock_levels WHERE tenant_id = $1 AND sku = $2", tx.Tenant, sku); err != nil {
			return err
		}
		return tx.Row("SELECT coalesce(sum(delta), 0)::BIGINT FROM movements WHERE tenant_id = $1 AND sku = $2", []any{tx.Tenant, sku}, &sum)
	})
	if err != nil {
		t.Fatal(err)
	}
	return onHand, sum
}

// Of many transfers that race for what is there, as many win as there is.
func TestTransfersRaceForWhatIsThere(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store, 1)
		const units, tries = 10, 24
		s.setOnHand(t, units, "SKU-0")
		for _, code := range []string{"LYON", "OSLO"} {
			if err := s.write(t, func(tx *db.Tx) error {
				_, err := s.do.CreateWarehouse(tx, s.who, commerce.WarehouseDraft{Code: patch.To(code)})
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		var won, refused atomic.Int64
		var group sync.WaitGroup
		for i := range tries {
			group.Go(func() {
				err := s.write(t, func(tx *db.Tx) error {
					_, err := s.do.TransferStock(tx, s.who, commerce.Transfer{SKU: "SKU-0", From: "MAIN", To: []string{"LYON", "OSLO"}[i%2], Quantity: 1})
					return err
				})
				switch f, _ := apperr.As(err); {
				case err == nil:
					won.Add(1)
				case f != nil && f.Code == "insufficient_stock":
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		group.Wait()
		onHand, sum := s.inStock(t, "SKU-0")
		if won.Load() != units || refused.Load() != tries-units || onHand["MAIN"] != 0 || onHand["LYON"]+onHand["OSLO"] != units || sum != units {
			t.Errorf("%d won, %d refused, on hand %v, ledger %d", won.Load(), refused.Load(), onHand, sum)
		}
	})
}

// A plan whose levels have moved is decided anew from what they are now, in the same transaction; one beside which others moved holds.
func TestStalePlanIsDecidedAnew(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store, 2)
		s.setOnHand(t, 5, "SKU-0", "SKU-1")
		for i, other := range []string{"SKU-0", "SKU-1"} {
			quantity := int64(9 + i)
			u := commerce.StockUpdate{Drafts: []commerce.StockDraft{{SKU: "SKU-0", Quantity: quantity}}}
			var plan *commerce.StockPlan
			if err := store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) (err error) {
				plan, err = s.do.PlanInventory(tx, s.who, u)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			s.setOnHand(t, 20, other)
			tries := 0
			err := s.write(t, func(tx *db.Tx) error {
				tries++
				_, err := plan.Apply(tx, s.who)
				return err
			})
			if err != nil || tries != 1 {
				t.Errorf("%s moved: %d tries, %v", other, tries, err)
			}
			if onHand, sum := s.inStock(t, "SKU-0"); onHand["MAIN"] != quantity || sum != quantity {
				t.Errorf("%s moved: on hand %v, ledger %d, not %d", other, onHand, sum, quantity)
			}
		}
	})
}

// Many hands make each their warehouse the default one, and delete what they can; one default stays.
func TestOneDefaultWarehouse(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store, 1)
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				code := fmt.Sprintf("W-%d", i)
				var made stock.Warehouse
				err := s.write(t, func(tx *db.Tx) (err error) {
					made, err = s.do.CreateWarehouse(tx, s.who,
						commerce.WarehouseDraft{Code: patch.To(code), Default: patch.To(true)})
					return err
				})
				if err != nil {
					t.Error(err)
				}
				err = s.write(t, func(tx *db.Tx) error { return s.do.DeleteWarehouse(tx, s.who, made.ID, commerce.Expected{}) })
				if err != nil && !apperr.Is(err, apperr.Conflict) {
					t.Error(err)
				}
			})
		}
		group.Wait()
		err := store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
			list, total, err := stock.Warehouses(tx, 100, 0)
			defaults := 0
			for _, w := range list {
				if w.Default {
					defaults++
				}
			}
			if defaults != 1 || int(total) != len(list) {
				t.Errorf("%d defaults among %+v", defaults, list)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
