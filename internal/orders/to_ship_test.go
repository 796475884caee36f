package orders

import (
	"regexp"
	"strings"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/dbtest"
	"entrepot/internal/id"
)

// What waits for shipment is counted by reading what waits, not every day on which anything ever did: SQLite says over which index it
// goes, PostgreSQL how many rows it has read.
func TestToShipReadsWhatWaits(t *testing.T) {
	const days, waiting = 500, 12
	for engine, config := range map[string]db.Config{"sqlite": {Dir: dbtest.StoreDir(t), Unsafe: true},
		"postgres": {URL: dbtest.PlainStoreURL(t)}} {
		t.Run(engine, func(t *testing.T) {
			var plans []string
			var explain func(sql string, args []any)
			config.Trace = func(sql string, args []any) {
				if explain != nil {
					explain(sql, args)
				}
			}
			store := dbtest.Open(t, config)
			tenant := dbtest.Account(t, store)
			first := shippedDaily(t, store, tenant, days, waiting)
			was := fewRows
			defer func() { fewRows = was }()
			for _, fewRows = range []int64{was, 3} {
				plans, explain = nil, nil
				err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
					if engine == "sqlite" {
						explain = func(sql string, args []any) {
							explain = nil // what explains is not explained
							plans = append(plans, planOf(t, tx, sql, args))
						}
					}
					before := rowsRead(t, tx, engine)
					n, oldest, err := ToShip(tx)
					if n != waiting || oldest != first {
						t.Errorf("%d wait, the oldest since %d, not %d since %d", n, oldest, waiting, first)
					}
					if rows := rowsRead(t, tx, engine) - before; rows > 5*waiting {
						t.Errorf("few are %d: %d rows read for %d orders", fewRows, rows, waiting)
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				for _, plan := range plans {
					if !regexp.MustCompile(`USING COVERING INDEX orders_tenant_id_status \(tenant_id=\? AND status=\?\)`).MatchString(plan) {
						t.Error(plan)
					}
				}
				if engine == "sqlite" && len(plans) == 0 {
					t.Error("no plan was seen")
				}
			}
		})
	}
}

// shippedDaily stores an order a day that waited for shipment and left, and some of the last days that wait; it gives the creation of the
// oldest of these.
func shippedDaily(t *testing.T, store *db.DB, tenant id.Tenant, days, waiting int) (first int64) {
	t.Helper()
	err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
		for i := range days {
			o := Order{ID: id.New[id.Order](), Number: int64(i + 1), Status: Processing, Currency: "EUR",
				CreatedAt: 1_700_000_000_000_000 + int64(i)*day, History: []Entry{{Status: Processing, Source: FromAPI}}}
			if i%3 == 0 {
				o.Status = PartiallyShipped
			}
			Insert(tx, &o)
			if i >= days-waiting {
				if first == 0 {
					first = o.CreatedAt
				}
				continue
			}
			before := o
			o.Status = Shipped
			o.History = append(o.History, Entry{ID: id.New[id.History](), Previous: before.Status, Status: Shipped, Source: FromAPI})
			Save(tx, &before, &o)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	analyse(t, store, tenant)
	return first
}

// analyse gives PostgreSQL the statistics that the service gives it within seconds.
func analyse(t *testing.T, store *db.DB, tenant id.Tenant) {
	t.Helper()
	if store.Engine() != "postgres" {
		return
	}
	err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
		_, err := tx.Exec("ANALYZE")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// rowsRead is how many orders and kept figures PostgreSQL has read in the transaction; 0 on SQLite.
func rowsRead(t *testing.T, tx *db.Tx, engine string) (n int64) {
	t.Helper()
	if engine != "postgres" {
		return 0
	}
	err := tx.Row(`SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::BIGINT FROM pg_stat_xact_user_tables
		WHERE relname IN ('orders', 'order_figures')`, nil, &n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// planOf is SQLite's plan of a statement.
func planOf(t *testing.T, tx *db.Tx, sql string, args []any) string {
	t.Helper()
	var plan strings.Builder
	err := tx.Each(func(r db.Rows) error {
		var n, parent, unused int64
		var line string
		err := r.Scan(&n, &parent, &unused, &line)
		plan.WriteString(line + "\n")
		return err
	}, "EXPLAIN QUERY PLAN "+sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	return plan.String()
}
