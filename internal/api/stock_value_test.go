package api

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/stockvalue"
)

// The stock value is the sum over its levels, at every moment while stock, prices, variants, products and orders are
// written and two nodes update the maintained sums, and again at the end.
func TestStockValueIsThatOfItsLevels(t *testing.T) {
	dbtest.Long(t, "the value is compared while hundreds of changes are made")
	engines(t, func(t *testing.T, s *server) {
		const writers, rounds = 3, 25
		first := s.must(t, 200, "POST", "/api/v1/sdk/products/bulk-import?wait=true", item{"products": valued(rand.New(rand.NewPCG(7, 7)), 12)})
		if number(first, "created") != "12" {
			t.Fatalf("%v", first)
		}
		var writing, following sync.WaitGroup
		for n := range writers {
			writing.Go(func() {
				dice := rand.New(rand.NewPCG(uint64(n), 3))
				node := s
				if n == 1 {
					node = s.twin()
				}
				for range rounds {
					node.writeStock(t, dice)
					s.stockIsWorth(t)
				}
			})
		}
		done := make(chan struct{})
		for _, node := range []*server{s, s.twin()} {
			following.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
					}
					if err := stockvalue.View.FollowTenant(t.Context(), node.DB, s.tenant); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		writing.Wait()
		close(done)
		following.Wait()
		s.stockIsWorth(t)
		if err := stockvalue.View.FollowTenant(t.Context(), s.DB, s.tenant); err != nil {
			t.Fatal(err)
		}
		s.stockIsWorth(t)
		s.valueIsCurrent(t)
		shown := s.must(t, 200, "GET", "/api/v1/analytics/stock", nil)
		want := s.worth(t)
		for i := range at(shown, "data", "warehouses").([]any) {
			code := text(shown, "data", "warehouses", i, "warehouseCode")
			if value := number(shown, "data", "warehouses", i, "value"); value != want[code] {
				t.Errorf("%s is worth %s, not %s", code, value, want[code])
			}
		}
		if len(want) < 2 {
			t.Errorf("only %v holds anything", want)
		}
	})
}

// prices and quantities are some that fit into 63 bits together, and some that do not.
var (
	prices     = []any{"0", "0.0001", "19.99", "12345678901.9999", "99999999999.9999"}
	quantities = []int{0, 1, 7, 99_999, 100_000, 999_999_999}
	places     = []string{"MAIN", "LYON", "NICE"}
)

func pick[T any](dice *rand.Rand, list []T) T { return list[dice.IntN(len(list))] }

// valued are n products of twenty, some with variants, most with stock.
func valued(dice *rand.Rand, n int) (list []item) {
	for _, i := range dice.Perm(20)[:n] {
		p := item{"sku": fmt.Sprint("V-", i), "name": "Valued", "price": pick(dice, prices), "status": pick(dice, []string{"ACTIVE", "ARCHIVED"})}
		if dice.IntN(3) > 0 {
			p["stock"] = item{"warehouseCode": pick(dice, places), "quantity": pick(dice, quantities)}
		}
		if i%2 == 0 {
			var variants []item
			for k := range dice.IntN(3) {
				v := item{"sku": fmt.Sprintf("V-%d-%d", i, k), "name": "Kind", "stock": pick(dice, quantities)}
				if dice.IntN(2) == 0 {
					v["price"] = pick(dice, prices)
				}
				variants = append(variants, v)
			}
			p["variants"] = variants
		}
		list = append(list, p)
	}
	return list
}

// writeStock makes one random write of what the value goes by.
func (s *server) writeStock(t *testing.T, dice *rand.Rand) {
	sku := fmt.Sprint("V-", dice.IntN(20))
	if dice.IntN(3) == 0 {
		sku += fmt.Sprint("-", dice.IntN(2))
	}
	status := 0
	switch dice.IntN(7) {
	case 0, 1:
		status, _ = s.call(t, "POST", "/api/v1/sdk/products/bulk-import?wait=true", item{"products": valued(dice, 1+dice.IntN(4)),
			"options": item{"replaceVariants": dice.IntN(2) == 0}})
	case 2:
		status, _ = s.call(t, "PATCH", "/api/v1/sdk/inventory/bulk-update", item{"updates": []item{
			{"sku": sku, "warehouseCode": pick(dice, places), "quantity": pick(dice, quantities)}}})
	case 3:
		status, _ = s.call(t, "PATCH", "/api/v1/sdk/prices/bulk-update", item{"updates": []item{{"sku": sku, "price": pick(dice, prices)}}})
	case 4:
		status, _ = s.call(t, "POST", "/api/v1/inventory/movements", item{"sku": sku, "warehouseCode": pick(dice, places), "type": "adjust",
			"quantity": dice.IntN(9) - 4})
	case 5:
		status, _ = s.call(t, "POST", "/api/v1/orders", item{"customerName": "Ada", "initialStatus": "SHIPPED",
			"items": []item{{"sku": sku, "quantity": 1 + dice.IntN(3), "unitPrice": 1}}})
	default:
		if _, found := s.call(t, "GET", "/api/v1/products?sku="+sku, nil); at(found, "data", 0) != nil {
			status, _ = s.call(t, "DELETE", "/api/v1/products/"+text(found, "data", 0, "id"), nil)
		}
	}
	if status >= 500 {
		t.Errorf("a write of %s answers %d", sku, status)
	}
}

// stockIsWorth compares the value by warehouse with what each level is worth, on one snapshot.
func (s *server) stockIsWorth(t *testing.T) {
	err := s.DB.Read(t.Context(), s.tenant, func(tx *db.Tx) error {
		got, err := stockvalue.Read(tx)
		if err != nil {
			return err
		}
		want, err := worthOf(tx)
		for _, code := range places {
			if value := got[code].String(); err == nil && value != want[code] && (value != "0" || want[code] != "") {
				t.Errorf("%s is worth %s, not %s", code, value, want[code])
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// worth is what the levels of each warehouse add up to.
func (s *server) worth(t *testing.T) (want map[string]string) {
	t.Helper()
	err := s.DB.Read(t.Context(), s.tenant, func(tx *db.Tx) (err error) {
		want, err = worthOf(tx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// worthOf adds the living levels up one by one.
func worthOf(tx *db.Tx) (map[string]string, error) {
	sums := map[string]*big.Int{}
	err := tx.Each(func(r db.Rows) error {
		var code string
		var onHand, price int64
		err := r.Scan(&code, &onHand, &price)
		if sums[code] == nil {
			sums[code] = new(big.Int)
		}
		sums[code].Add(sums[code], new(big.Int).Mul(big.NewInt(max(0, onHand)), big.NewInt(price)))
		return err
	}, `SELECT l.warehouse_code, l.on_hand, CASE WHEN l.variant_id IS NULL THEN p.price ELSE coalesce(v.price, p.price) END FROM stock_levels l
		JOIN products p ON p.tenant_id = $1 AND p.id = l.product_id
		LEFT JOIN variants v ON v.tenant_id = $1 AND v.product_id = l.product_id AND v.id = l.variant_id
		WHERE l.tenant_id = $1 AND l.deleted_at IS NULL`, tx.Tenant)
	texts := make(map[string]string, len(sums))
	for code, sum := range sums {
		texts[code] = strings.TrimRight(strings.TrimRight(new(big.Rat).SetFrac(sum, big.NewInt(10_000)).FloatString(4), "0"), ".")
	}
	return texts, err
}

// valueIsCurrent wants the maintained sums to have all changes.
func (s *server) valueIsCurrent(t *testing.T) {
	t.Helper()
	err := s.DB.Read(t.Context(), s.tenant, func(tx *db.Tx) error {
		compared := 0
		err := stockvalue.View.Verify(tx, func() { compared++ }, func(_ func(tx *db.Tx) error, format string, args ...any) {
			t.Errorf(format, args...)
		})
		var newest, until int64
		if err == nil {
			until, err = stockvalue.View.Until(tx)
		}
		if err == nil {
			newest, _, err = stockvalue.View.Reach(tx, 0, 1_000_000)
		}
		if until != newest || compared < 10 {
			t.Errorf("kept up to %d of %d, %d compared", until, newest, compared)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
