package bench

import (
	"context"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"entrepot/internal/db/dbtest"
)

// The baseline writes what it says, whoever writes beside it: else the service would be compared with less work.
func TestBaselineWritesWhatItSays(t *testing.T) {
	durable = func(context.Context, *pgxpool.Pool) bool { return true } // the tests' server does not sync
	for _, engine := range dbtest.EngineNames() {
		t.Run(engine, func(t *testing.T) {
			y := &baselineRun{skus: 50, tag: "t"}
			var rows func(text string) (n int64, err error)
			if engine == dbtest.Postgres {
				open, err := openBaselinePostgres(t.Context(), dbtest.URL(t), 8)
				if err != nil {
					t.Fatal(err)
				}
				y.baseline = open
				rows = func(text string) (n int64, err error) { return n, open.pool.QueryRow(t.Context(), text).Scan(&n) }
			} else {
				open, err := openBaselineSQLite(t.Context(), t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				y.baseline = open
				rows = func(text string) (n int64, err error) {
					return n, open.conn.QueryRowContext(t.Context(), text).Scan(&n)
				}
			}
			if err := y.seedProducts(); err != nil {
				t.Fatal(err)
			}
			const callers, each, orders = 8, 25, 200
			var group sync.WaitGroup
			for client := range callers {
				write := y.orderWriter(client)
				group.Go(func() {
					for range each {
						if _, err := write(); err != nil {
							t.Error(err)
						}
					}
				})
			}
			group.Wait()
			if n, err := y.importWriter(0)(); n != perImport || err != nil {
				t.Errorf("%d products, %v", n, err)
			}
			for text, want := range map[string]int64{
				"SELECT count(*) FROM orders":      orders,
				"SELECT count(*) FROM order_lines": 3 * orders,
				"SELECT count(*) FROM customers":   orders,
				"SELECT count(*) FROM events":      2*orders + perImport,
				"SELECT count(*) FROM idempotency": orders,
				"SELECT count(*) FROM products":    50 + perImport,
				"SELECT CAST(sum(reserved) AS BIGINT) - (SELECT CAST(sum(quantity) AS BIGINT) FROM order_lines) FROM levels": 0,
				"SELECT CAST(sum(total_spent) AS BIGINT) - (SELECT CAST(sum(total) AS BIGINT) FROM orders) FROM customers":   0,
			} {
				if got, err := rows(text); got != want || err != nil {
					t.Errorf("%s: %d, %v, want %d", text, got, err, want)
				}
			}
			if err := y.close(); err != nil {
				t.Error(err)
			}
		})
	}
}
