package bench

import (
	"context"
	"fmt"
	"io"
	"sync"
	"testing"

	"entrepot/internal/dbtest"
)

// onBothEngines runs a test on a fresh baseline of each kind.
func onBothEngines(t *testing.T, test func(t *testing.T, y *baselineRun)) {
	open := map[string]func(t *testing.T) (baseline, error){
		"sqlite": func(t *testing.T) (baseline, error) { return openBaselineSQLite(t.TempDir()) },
		"postgres": func(t *testing.T) (baseline, error) {
			return openBaselinePostgres(context.Background(), dbtest.URL(t), 8, true)
		},
	}
	for engine, open := range open {
		t.Run(engine, func(t *testing.T) {
			y, err := open(t)
			if err != nil {
				t.Fatal(err)
			}
			run := &baselineRun{baseline: y, skus: 6_000, tag: "t"}
			if err := run.seedProducts(); err != nil {
				t.Fatal(err)
			}
			test(t, run)
			if err := y.close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// number reads the one number a query answers.
func number(t *testing.T, y baseline, text string) (n int64) {
	t.Helper()
	if err := y.read(text, nil, func(scan func(...any) error) error { return scan(&n) }); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestBaselineTasksWriteWhatTheySay(t *testing.T) {
	onBothEngines(t, func(t *testing.T, y *baselineRun) {
		c := &campaign{Options: Options{Idempotency: true, Product: "full", Progress: io.Discard}}
		const callers, each = 8, 25
		var group sync.WaitGroup
		for client := range callers {
			step := baselineOrders(c, y, client)
			group.Go(func() {
				for range each {
					if _, err := step(); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		const orders = callers * each
		for what, want := range map[string]int64{
			"SELECT count(*) FROM orders":      orders,
			"SELECT count(*) FROM order_lines": 3 * orders,
			"SELECT count(*) FROM customers":   orders,
			"SELECT count(*) FROM events":      2 * orders,
			"SELECT count(*) FROM idempotency": orders,
			"SELECT CAST(sum(reserved) AS BIGINT) - (SELECT CAST(sum(quantity) AS BIGINT) FROM order_lines) FROM levels": 0,
			"SELECT CAST(sum(total_spent) AS BIGINT) - (SELECT CAST(sum(total) AS BIGINT) FROM orders) FROM customers":   0,
		} {
			if got := number(t, y, what); got != want {
				t.Errorf("%s: %d, want %d", what, got, want)
			}
		}
		for _, task := range []struct {
			name  string
			step  func() (int, error)
			check string
			want  int64
		}{
			{"import", baselineImport(c, y, 0), "SELECT count(*) FROM variants", 2000},
			{"prices", baselinePrices(c, y, 0), "SELECT count(*) - (SELECT count(*) FROM events WHERE kind = 'product.updated') FROM products " +
				"WHERE price < 50000", 0},
			{"stock", baselineStock(c, y, 0), "SELECT count(*) - (SELECT count(*) FROM levels WHERE on_hand < 1000000 AND sku < 'C') FROM " +
				"movements WHERE sku < 'C'", 0},
		} {
			items, err := task.step()
			if err != nil || items < 1000 {
				t.Errorf("%s: %d items, %v", task.name, items, err)
			}
			if got := number(t, y, task.check); got != task.want {
				t.Errorf("%s: %s answers %d, want %d", task.name, task.check, got, task.want)
			}
		}
	})
}

func TestBaselineReadsFindWhatIsThere(t *testing.T) {
	onBothEngines(t, func(t *testing.T, y *baselineRun) {
		if err := y.seedOrders(90); err != nil {
			t.Fatal(err)
		}
		for name, step := range map[string]func() (int, error){"read": baselineOrderRead(nil, y, 0), "list": baselineOrderList(nil, y, 0)} {
			for range 5 {
				if items, err := step(); items != 1 || err != nil {
					t.Errorf("%s: %d %v", name, items, err)
				}
			}
		}
		for name, step := range map[string]func() (int, error){"products": baselineProductFeed(nil, y, 0),
			"levels": baselineInventoryFeed(nil, y, 0)} {
			total := 0
			for range 6 {
				items, err := step()
				if err != nil {
					t.Fatal(err)
				}
				total += items
			}
			if total != 6_000 {
				t.Errorf("the feed of %s has %d entries in 6 pages, want 6000", name, total)
			}
		}
	})
}

// A refused operation undoes itself and leaves its neighbours in the group
// alone.
func TestGroupCommitKeepsNeighbours(t *testing.T) {
	onBothEngines(t, func(t *testing.T, y *baselineRun) {
		insert := func(key string) statement {
			return statement{"INSERT INTO idempotency (tenant_id, key, fingerprint, status, answer, created_at) VALUES ($1, $2, '', 201, '', 0)",
				[]any{baselineTenant, key}}
		}
		var group sync.WaitGroup
		refused := make([]error, 60)
		for i := range refused {
			group.Go(func() {
				statements := []statement{insert(fmt.Sprint("a", i))}
				if i%3 == 0 {
					statements = append(statements, insert(fmt.Sprint("a", i))) // the second breaks the key
				}
				refused[i] = y.write(statements)
			})
		}
		group.Wait()
		for i, err := range refused {
			if (err != nil) != (i%3 == 0) {
				t.Errorf("operation %d: %v", i, err)
			}
		}
		if got := number(t, y, "SELECT count(*) FROM idempotency"); got != 40 {
			t.Errorf("%d rows stand, want 40", got)
		}
	})
}
