package orders

import (
	"regexp"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// What waits for shipment, the counts by status and the totals of lists without bounds of time come from a few rows, however many days
// there are and however much waits: SQLite says over which index they go, PostgreSQL how many rows it has read.
func TestCountsReadFewRows(t *testing.T) {
	const days, waiting, few = 500, 120, 16
	dbtest.PlainConfigs(t, func(t *testing.T, config db.Config) {
		var plans []string
		var explain func(sql string, args []any)
		config.Trace = func(sql string, args []any) {
			if explain != nil {
				explain(sql, args)
			}
		}
		store := dbtest.Open(t, config)
		engine := store.Engine()
		tenant := dbtest.Account(t, store)
		first := shippedDaily(t, store, tenant, days, waiting)
		total := func(f CountedFilter, want int64) func(tx *db.Tx) error {
			return func(tx *db.Tx) error {
				n, err := prefetchTotal(tx, f).Wait()
				if n != want {
					t.Errorf("%d orders of %+v, not %d", n, f, want)
				}
				return err
			}
		}
		for what, read := range map[string]func(tx *db.Tx) error{
			"to ship": func(tx *db.Tx) error {
				n, oldest, err := ToShip(tx)
				if n != waiting || oldest != first {
					t.Errorf("%d wait, the oldest since %d, not %d since %d", n, oldest, waiting, first)
				}
				return err
			},
			"by status": func(tx *db.Tx) error {
				counts, err := StatusCounts(tx)
				if counts[Shipped] != days-waiting || counts[Processing]+counts[PartiallyShipped] != waiting {
					t.Errorf("%v", counts)
				}
				return err
			},
			"all":             total(CountedFilter{}, days),
			"shipped":         total(CountedFilter{Statuses: []Status{Shipped}}, days-waiting),
			"of a channel":    total(CountedFilter{Channel: erp}, days/5),
			"of none of them": total(CountedFilter{Channel: shop, Statuses: []Status{Returned}}, 0),
		} {
			err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
				plans = nil
				if explain = nil; engine == "sqlite" {
					explain = func(sql string, args []any) {
						again := explain
						explain = nil // what explains is not explained
						plans = append(plans, dbtest.Plan(t, tx, sql, args...))
						explain = again
					}
				}
				before := rowsRead(t, tx, engine)
				err := read(tx)
				explain = nil
				if rows := rowsRead(t, tx, engine) - before; rows > few {
					t.Errorf("%s: %d rows read", what, rows)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, plan := range plans {
				if !regexp.MustCompile(`USING COVERING INDEX orders_tenant_id_status \(tenant_id=\? AND status=\?\)|` +
					`SEARCH tallies USING PRIMARY KEY \(tenant_id=\? AND name=\?\)`).MatchString(plan) {
					t.Errorf("%s: %s", what, plan)
				}
			}
			if engine == "sqlite" && len(plans) == 0 {
				t.Errorf("%s: no plan was seen", what)
			}
		}
	})
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
			if i%5 == 0 {
				o.Channel = erp
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
	dbtest.Analyse(t, store, tenant)
	return first
}

// rowsRead returns how many orders, maintained figures and counts PostgreSQL has read in the transaction; 0 on SQLite.
func rowsRead(t *testing.T, tx *db.Tx, engine string) (n int64) {
	t.Helper()
	if engine != "postgres" {
		return 0
	}
	err := tx.Row(`SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::BIGINT FROM pg_stat_xact_user_tables
		WHERE relname IN ('orders', 'order_figures', 'tallies')`, nil, &n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
