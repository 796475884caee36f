package analytics_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"entrepot/internal/analytics"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

func TestStockIsCountedAndValued(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
			product(tx, mug, "MUG", 10*money.Scale)
			for i, level := range []struct {
				sku              string
				onHand, reserved int64
				threshold        any
			}{{"MUG", 12, 3, 10}, {"MUG-OUT", -2, 0, nil}, {"MUG-OK", 7, 1, 2}} {
				tx.Change(`INSERT INTO stock_levels (tenant_id, sku, warehouse_code, id, product_id, on_hand, reserved, threshold, low, updated_at,
					changed_at)
					VALUES ($1,$2,'MAIN',$3,$4,$5,$6,$7::BIGINT,$9,0,$8)`, tenant, level.sku, id.New[id.Level](), mug, level.onHand, level.reserved,
					level.threshold, i+1, level.sku == "MUG")
			}
			for name, n := range map[string]int64{"levels": 3, "on hand": 17, "reserved": 4, "out of stock": 1, "low": 1} {
				tx.Tally(name, "MAIN", n)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		got := read(t, store, tenant, func(tx *db.Tx) (analytics.Stock, error) { return analytics.ReadStock(tx) })
		want := analytics.Stock{
			Warehouses: []analytics.Warehouse{{Code: "MAIN", Name: "Main warehouse", SKUs: 3, OnHand: 17, Reserved: 4, OutOfStock: 1, Low: 1,
				Value: money.TotalOf(190*money.Scale, 0)}},
			Low: []analytics.Level{{SKU: "MUG", Product: mug, Name: "MUG", Warehouse: "MAIN", OnHand: 12, Reserved: 3, Threshold: 10}}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// Lists of levels have the account's own, the worst first, and say how many there are beyond their limit.
func TestLevelsThatNeedAttention(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		var tenant id.Tenant
		for range 2 {
			tenant = dbtest.Account(t, store)
			write(t, store, tenant, func(tx *db.Tx) error {
				product(tx, mug, "MUG", money.Scale)
				for i, missing := range []int64{1, 3, 2} {
					tx.Change(`INSERT INTO stock_levels (tenant_id, sku, warehouse_code, id, product_id, on_hand, reserved, threshold, low, updated_at,
						changed_at) VALUES ($1,$2,'MAIN',$3,$4,5,$5,0,TRUE,0,$6)`, tenant, fmt.Sprint("MUG-", i), id.New[id.Level](), mug, 5+missing, i+1)
				}
				return nil
			})
		}
		for limit, want := range map[int]string{1: "[MUG-1] 3", 2: "[MUG-1 MUG-2] 3", 3: "[MUG-1 MUG-2 MUG-0] 3", 9: "[MUG-1 MUG-2 MUG-0] 3"} {
			got := read(t, store, tenant, func(tx *db.Tx) (string, error) {
				oversold, total, err := analytics.Oversold(tx, limit)
				if err != nil {
					return "", err
				}
				low, err := analytics.LowLevels(tx, limit)
				if err == nil && !cmp.Equal(low, oversold) {
					err = fmt.Errorf("low are %+v, oversold %+v", low, oversold)
				}
				var skus []string
				for _, l := range oversold {
					skus = append(skus, l.SKU)
				}
				return fmt.Sprint(skus, " ", total), err
			})
			if got != want {
				t.Errorf("the first %d: %s, want %s", limit, got, want)
			}
		}
	})
}

// The stock value may exceed the largest amount: it is returned exactly.
func TestStockOfAnyValue(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		write(t, store, tenant, func(tx *db.Tx) error {
			product(tx, mug, "MUG", 99_999_999_999*money.Scale+9_999)
			for i := range 40 {
				tx.Change(`INSERT INTO stock_levels (tenant_id, sku, warehouse_code, id, product_id, on_hand, reserved, threshold, low, updated_at,
					changed_at)
					VALUES ($1,$2,'MAIN',$3,$4,999999999,0,NULL,FALSE,0,$5)`, tenant, fmt.Sprint("MUG-", i), id.New[id.Level](), mug, i+1)
			}
			return nil
		})
		got := read(t, store, tenant, func(tx *db.Tx) (analytics.Stock, error) { return analytics.ReadStock(tx) })
		exact := new(big.Int).Mul(big.NewInt(999_999_999_999_999), big.NewInt(40*999_999_999))
		want := strings.TrimRight(strings.TrimRight(new(big.Rat).SetFrac(exact, big.NewInt(money.Scale)).FloatString(4), "0"), ".")
		if value := got.Warehouses[0].Value.String(); value != want {
			t.Errorf("%s, want %s", value, want)
		}
	})
}
