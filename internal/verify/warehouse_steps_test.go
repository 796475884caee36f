package verify_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
)

// depot makes a warehouse with an empty level of every SKU; every second one is low by its threshold.
func (s *shop) depot(code string) (made id.Warehouse) {
	s.Helper()
	var levels []commerce.StockDraft
	for i := range skus {
		levels = append(levels, commerce.StockDraft{Index: i, SKU: fmt.Sprintf("SKU-%d", i), Warehouse: code, Quantity: int64(i % 2 * 5)})
	}
	s.must(func(tx *db.Tx) error {
		_, err := s.do.SetThresholds(tx, s.who, commerce.StockUpdate{Drafts: levels})
		return err
	})
	s.must(func(tx *db.Tx) error {
		return tx.Row("SELECT id FROM warehouses WHERE tenant_id = $1 AND code = $2", []any{tx.Tenant, code}, &made)
	})
	return made
}

func (s *shop) levels(code string) int {
	return s.count("SELECT count(*) FROM stock_levels WHERE tenant_id = $1 AND warehouse_code = $2 AND deleted_at IS NULL", code)
}

// bounds returns the thresholds other than 0 in a warehouse, as "SKU threshold low": of levels, or of levels that were
// removed.
func (s *shop) bounds(code string, removed bool) (list []string) {
	s.Helper()
	s.must(func(tx *db.Tx) (err error) {
		list, err = db.List(tx, func(r db.Rows) (string, error) {
			var sku string
			var threshold int64
			var low bool
			err := r.Scan(&sku, &threshold, &low)
			return fmt.Sprint(sku, " ", threshold, " ", low), err
		}, `SELECT sku, threshold, low FROM stock_levels WHERE tenant_id = $1 AND warehouse_code = $2 AND threshold > 0
			AND (deleted_at IS NOT NULL) = $3 ORDER BY sku`, tx.Tenant, code, removed)
		return err
	})
	return list
}

func (s *shop) removeWarehouse(which id.Warehouse) error {
	return s.write(func(tx *db.Tx) error { return s.do.DeleteWarehouse(tx, s.who, which, commerce.Expected{}) })
}

// emptied does the steps before the deletion of a warehouse.
func (s *shop) emptied(ctx context.Context, which id.Warehouse) error {
	return s.do.EmptyWarehouse(ctx, s.store, s.who.Tenant, which, commerce.Expected{})
}

// The levels of a warehouse go in steps before it is deleted, and their thresholds are forgotten in steps after that. This may die before
// any of its transactions: if the warehouse is still there, its levels with thresholds come back. The deletion itself has no levels left to
// remove.
func TestWarehouseIsEmptiedInSteps(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		finish := func(ctx context.Context, which id.Warehouse) error {
			return s.do.FinishWarehouse(ctx, store, s.who.Tenant, which)
		}
		ends := func(n int64, code string, want []string) {
			t.Helper()
			if err := resume(t.Context(), store, s.do); err != nil {
				t.Fatal(err)
			}
			s.holds(n)
			if now := s.bounds(code, false); !slices.Equal(now, want) {
				t.Fatalf("thresholds: %v, not %v", now, want)
			}
			if kept := s.bounds(code, true); len(kept) > 0 {
				t.Fatalf("kept: %v", kept)
			}
			if s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND subject IS NOT NULL") != 0 {
				t.Fatal("an operation is unfinished")
			}
		}
		dbtest.DiesAtEveryStep(t, 5, func(ctx context.Context, n int64) error {
			code := fmt.Sprintf("LYON-%d", n)
			which := s.depot(code)
			had := s.bounds(code, false)
			if err := s.emptied(ctx, which); err != nil {
				s.holds(n)
				ends(n, code, had)
				return err
			}
			if s.levels(code) != 0 {
				t.Fatalf("%d levels are left for the deletion", s.levels(code))
			}
			if err := s.removeWarehouse(which); err != nil {
				t.Fatal(err)
			}
			s.holds(n)
			err := finish(ctx, which)
			ends(n, code, nil)
			if s.levels(code) != 0 {
				t.Fatalf("%d levels of a warehouse that is gone", s.levels(code))
			}
			return err
		})
	})
}

// A deletion that is refused takes no level with a threshold away: none if it is refused at once, and if stock arrives between two steps
// all of them are restored, but for the one of a product that was deleted. Nothing is reported of them.
func TestRefusedDeletionsOfWarehousesKeepThresholds(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		arrives := func(sku string) {
			t.Helper()
			s.must(func(tx *db.Tx) error {
				_, err := s.do.MoveStock(tx, s.who, commerce.Movement{SKU: sku, Warehouse: "HELD", Cause: stock.Receive, Quantity: 1})
				return err
			})
		}
		which := s.depot("HELD")
		had := s.bounds("HELD", false)
		refused := func(want []string) {
			t.Helper()
			if err := s.removeWarehouse(which); !apperr.Is(err, apperr.Conflict) {
				t.Errorf("a warehouse with stock is deleted: %v", err)
			}
			if err := s.do.FinishWarehouse(t.Context(), store, s.who.Tenant, which); err != nil {
				t.Fatal(err)
			}
			s.holds(0)
			if now, kept := s.bounds("HELD", false), s.bounds("HELD", true); !slices.Equal(now, want) || len(kept) > 0 {
				t.Errorf("thresholds: %v, not %v; kept: %v", now, want, kept)
			}
			if s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND subject IS NOT NULL") != 0 {
				t.Error("an operation is unfinished")
			}
		}
		if err := s.emptied(t.Context(), which); err != nil || s.levels("HELD") != 0 {
			t.Fatalf("%d levels are left, %v", s.levels("HELD"), err)
		}
		arrives("SKU-3")
		if now := s.bounds("HELD", false); !slices.Equal(now, []string{"SKU-3 5 true"}) {
			t.Errorf("when stock arrives: %v", now)
		}
		s.deleteProduct("SKU-5")
		before := s.count("SELECT count(*) FROM events WHERE tenant_id = $1")
		refused(slices.DeleteFunc(slices.Clone(had), func(l string) bool { return l == "SKU-5 5 true" }))
		if now := s.count("SELECT count(*) FROM events WHERE tenant_id = $1"); now != before {
			t.Errorf("%d events", now-before)
		}
		levels := s.levels("HELD")
		if err := s.emptied(t.Context(), which); err != nil || s.levels("HELD") != levels {
			t.Errorf("%d levels of a warehouse with stock are left, %v", s.levels("HELD"), err)
		}
	})
}

// A warehouse that is made with the code of a deleted one has none of its thresholds, whether its own steps are done or not.
func TestThresholdsOfADeletedWarehouseStayGone(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		for code, anew := range map[string]func(code string) error{
			"by stock": func(code string) error {
				return s.write(func(tx *db.Tx) error {
					plan, err := s.do.PlanInventory(tx, s.who, commerce.StockUpdate{Drafts: []commerce.StockDraft{
						{SKU: "SKU-1", Warehouse: code, Quantity: 1}}})
					if err == nil {
						_, err = plan.Apply(tx, s.who)
					}
					return err
				})
			},
			"by itself": func(code string) error {
				return s.write(func(tx *db.Tx) error {
					_, err := s.do.CreateWarehouse(tx, s.who, warehouseDraft(code))
					return err
				})
			},
		} {
			which := s.depot(code)
			if err := s.emptied(t.Context(), which); err != nil {
				t.Fatal(err)
			}
			if err := s.removeWarehouse(which); err != nil || len(s.bounds(code, true)) == 0 {
				t.Fatalf("%v, kept: %v", err, s.bounds(code, true))
			}
			if err := anew(code); err != nil {
				t.Fatal(err)
			}
			if now, kept := s.bounds(code, false), s.bounds(code, true); len(now)+len(kept) > 0 {
				t.Errorf("%s: thresholds %v, kept %v", code, now, kept)
			}
			if err := resume(t.Context(), store, s.do); err != nil {
				t.Fatal(err)
			}
			s.holds(0)
		}
	})
}

func warehouseDraft(code string) commerce.WarehouseDraft {
	return commerce.WarehouseDraft{Code: patch.To(code), Name: patch.To(code)}
}

// While a warehouse is deleted by several processes, it gets stock, thresholds and orders, and its steps are continued by others: each time
// it is deleted whole or stays whole.
func TestWarehouseDeletionBesideOthers(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		for round := range 4 {
			code := fmt.Sprint("ROUND-", round)
			which := s.depot(code)
			allowed := func(err error) {
				if err != nil && !apperr.Is(err, apperr.NotFound) && !apperr.Is(err, apperr.Conflict) {
					t.Error(err)
				}
			}
			var all sync.WaitGroup
			for range 2 {
				all.Go(func() {
					allowed(s.emptied(t.Context(), which))
					allowed(s.removeWarehouse(which))
					allowed(s.do.FinishWarehouse(t.Context(), store, s.who.Tenant, which))
				})
			}
			all.Go(func() { allowed(resume(t.Context(), store, s.do)) })
			for i := range 3 {
				all.Go(func() {
					sku := fmt.Sprint("SKU-", 2*i+1)
					for _, quantity := range []int64{1, -1} { // it may be deleted in the end
						allowed(s.write(func(tx *db.Tx) error {
							_, err := s.do.MoveStock(tx, s.who, commerce.Movement{SKU: sku, Warehouse: code, Cause: stock.Receive, Quantity: quantity})
							return err
						}))
						_, err := s.order(draft("ada@example.com", orders.Processing, sku))
						allowed(err)
					}
				})
			}
			all.Wait()
			if err := resume(t.Context(), store, s.do); err != nil {
				t.Fatal(err)
			}
			s.holds(int64(round))
			there := s.count("SELECT count(*) FROM warehouses WHERE tenant_id = $1 AND code = $2", code)
			if now := len(s.bounds(code, false)); now != there*skus/2 {
				t.Errorf("%d warehouses with %d thresholds", there, now)
			}
			if kept := s.bounds(code, true); len(kept) > 0 || s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND subject IS NOT NULL") != 0 {
				t.Errorf("kept: %v, or an operation is unfinished", kept)
			}
		}
	})
}
