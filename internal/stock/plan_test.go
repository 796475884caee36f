package stock

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// SQLite runs every statement over many levels on their key, also with as many rows as a chunk has and whatever its
// statistics say: otherwise each chunk of a bulk update would read all levels.
func TestBulkStatementsKeepToTheKey(t *testing.T) {
	dbtest.Long(t, "thousands of stock levels")
	store := dbtest.Open(t, db.Config{Dir: dbtest.StoreDir(t), Unsafe: true})
	tenant := dbtest.Account(t, store)
	inputs := make([]StockInput, 3000)
	for i := range inputs {
		inputs[i] = StockInput{SKU: fmt.Sprintf("SKU-%d", i), Product: id.New[id.Product](), Quantity: 5}
	}
	write := func(run func(tx *db.Tx) error) {
		t.Helper()
		if err := store.Write(t.Context(), tenant, run); err != nil {
			t.Fatal(err)
		}
	}
	write(func(tx *db.Tx) error {
		for _, s := range inputs {
			tx.Queue("INSERT INTO skus (tenant_id, sku, product_id) VALUES ($1,$2,$3)", tx.Tenant, s.SKU, s.Product)
		}
		return nil
	})
	set := func(quantity int64) {
		write(func(tx *db.Tx) error {
			for i := range inputs {
				inputs[i].Quantity = quantity
			}
			snapshot, err := ReadSnapshot(tx, inputs)
			if err == nil {
				snapshot.Set(tx, inputs, Why{Cause: Import})
			}
			return err
		})
	}
	set(5)
	set(6)
	shifts := make([]Shift, 256)
	for i := range shifts {
		shifts[i] = Shift{SKU: inputs[i].SKU, Product: inputs[i].Product, Reserve: 1}
	}
	write(func(tx *db.Tx) error {
		plan, err := PlanShifts(tx, shifts, false)
		plan.Store(tx, Why{Cause: Shipment})
		return err
	})
	write(func(tx *db.Tx) error {
		snapshot, err := ReadSnapshot(tx, inputs)
		if err == nil {
			snapshot.PlanThresholds(inputs).Write(tx, Why{})
		}
		return err
	})
	skus := make([]string, 256)
	for i := range skus {
		skus[i] = inputs[i].SKU
	}
	write(func(tx *db.Tx) error {
		_, err := DeleteFor(tx, skus, Why{Cause: Adjustment})
		return err
	})
	set(7)
	inputs[0].Warehouse = "LYON"
	set(8)
	ran := func(text *db.Text) func() string {
		return func() string {
			return text.For(256, func(int) string { t.Fatal("a statement never ran with 256 rows"); return "" })
		}
	}
	for _, analysed := range []bool{false, true} {
		if analysed {
			write(func(tx *db.Tx) error {
				_, err := tx.Exec("ANALYZE")
				return err
			})
		}
		const key = "(tenant_id=? AND sku=? AND warehouse_code=?)"
		for name, s := range map[string]struct {
			text func() string
			key  string
		}{
			"snapshot": {ran(&snapshotText), key}, "snapshot each": {ran(&snapshotEachText), key},
			"levels": {func() string { return levelsOf.Build(256) }, "(tenant_id=? AND sku=?)"},
			"move":   {ran(&moveTexts[0]), key}, "bound": {ran(&boundText), key}, "reserve": {ran(&reserveText), key},
			"restore": {ran(&restoreText), key}, "delete": {ran(&deleteText), key},
		} {
			plan := explain(t, store, tenant, s.text())
			if !strings.Contains(plan, s.key) || regexp.MustCompile(`SCAN (stock_levels|l)\b`).MatchString(plan) {
				t.Errorf("%s (statistics: %v):\n%s", name, analysed, plan)
			}
		}
	}
}

// explain is SQLite's plan of a statement.
func explain(t *testing.T, store *db.DB, tenant id.Tenant, sql string) (plan string) {
	t.Helper()
	most := 0
	for _, found := range regexp.MustCompile(`\$(\d+)`).FindAllStringSubmatch(sql, -1) {
		n, _ := strconv.Atoi(found[1])
		most = max(most, n)
	}
	args := make([]any, most)
	for i := range args {
		args[i] = int64(0)
	}
	err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
		plan = dbtest.Plan(t, tx, sql, args...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}
