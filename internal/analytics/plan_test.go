package analytics_test

import (
	"strings"
	"testing"
	"time"

	"entrepot/internal/analytics"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/spans"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/orders"
	"entrepot/internal/webhooks"
)

// For days that lie entirely in the span, the webhook figures read no deliveries or attempts except for the last errors.
func TestWebhookFiguresReadFewDeliveries(t *testing.T) {
	for engine, config := range map[string]db.Config{"sqlite": {Dir: dbtest.StoreDir(t), Unsafe: true},
		"postgres": {URL: dbtest.PlainStoreURL(t)}} {
		t.Run(engine, func(t *testing.T) {
			var read dbtest.Statements
			config.Trace = read.Add
			store := dbtest.Open(t, config)
			tenant := dbtest.Account(t, store)
			fillDeliveries(t, store, tenant)
			write(t, store, tenant, func(tx *db.Tx) error {
				addEvent(tx, day(0), false)
				addEvent(tx, day(1), false)
				return nil
			})
			err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
				before := deliveriesRead(t, tx, engine)
				read.Reset()
				got, err := analytics.ReadWebhooks(tx, week)
				if err != nil {
					return err
				}
				if e := got.Endpoints[0]; e.Delivered != 1400 || e.Failed != 100 || e.Attempts != 1500 || e.Answered != 1400 || e.LastError != "no" ||
					got.ByEvent[0].Deliveries != 1500 {
					t.Errorf("%+v", got)
				}
				if n := deliveriesRead(t, tx, engine) - before; n > 60 {
					t.Errorf("%d deliveries and attempts were read", n)
				}
				if engine == "sqlite" {
					all := ""
					for _, s := range read.List() {
						plan := s.Plan(t, tx)
						all += plan
						if strings.Contains(plan, "SCAN d\n") || strings.Contains(plan, "SCAN f\n") || strings.Contains(plan, "SCAN t\n") {
							t.Errorf("%s\n%s", s.SQL, plan)
						}
					}
					if !strings.Contains(all, "events_tests") || !strings.Contains(all, "SEARCH events USING COVERING INDEX") {
						t.Errorf("events are not counted by indexes:\n%s", all)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// fillDeliveries settles 1,500 deliveries of one endpoint, spread over six days of the week.
func fillDeliveries(t *testing.T, store *db.DB, tenant id.Tenant) {
	t.Helper()
	e := webhooks.Endpoint{ID: id.New[id.Endpoint](), URL: "https://a.example", Events: []string{"*"}, Status: webhooks.Active}
	write(t, store, tenant, func(tx *db.Tx) error { e.Insert(tx); return nil })
	for first := 0; first < 1500; first += 250 {
		var outcomes []webhooks.Outcome
		write(t, store, tenant, func(tx *db.Tx) error {
			outcomes = nil
			for i := first; i < first+250; i++ {
				o := webhooks.Outcome{Queue: webhooks.Queue{Tenant: tenant, Endpoint: e.ID}, Position: day(0) + int64(i)*300_000_000,
					Name: "order.received", State: webhooks.Delivered, Attempt: webhooks.Attempt{Number: 1, At: day(0) + int64(i), StatusCode: 200}}
				if i%15 == 0 {
					o.State, o.StatusCode, o.Error = webhooks.Failed, 500, "no"
				}
				outcomes = append(outcomes, o)
				tx.Queue(`INSERT INTO deliveries (tenant_id, endpoint_id, position, id, event_id, event_stamp, event, resource_id, ordered, by_hand,
					state, attempts, due_at) VALUES ($1,$2,$3,$4,$5,$3,$6,'1',FALSE,FALSE,'pending',0,$3)`, tenant, e.ID, o.Position,
					id.New[id.Delivery](), id.New[id.Event](), o.Name)
			}
			tx.Change("UPDATE queues SET pending = pending + 250 WHERE tenant_id = $1 AND endpoint_id = $2", tenant, e.ID)
			countPending(tx)
			return nil
		})
		write(t, store, db.Across, func(tx *db.Tx) error { return webhooks.Settle(tx, outcomes) })
	}
	dbtest.Analyse(t, store, tenant)
}

// countPending keeps the figures of the account's deliveries, all of which are pending.
func countPending(tx *db.Tx) {
	for _, width := range spans.Widths {
		tx.Change(`INSERT INTO delivery_figures (tenant_id, endpoint_id, span, bucket, event, pending, delivered, failed, attempts, answered,
				duration_ms, newest)
			SELECT tenant_id, endpoint_id, $2::BIGINT, position / $2::BIGINT * $2::BIGINT, event, count(*), 0, 0, 0, 0, 0, 0
			FROM deliveries WHERE tenant_id = $1 AND state = 'pending' GROUP BY 1, 2, 4, 5
			ON CONFLICT (tenant_id, endpoint_id, span, bucket, event) DO UPDATE SET pending = excluded.pending`, tx.Tenant, width)
	}
}

// deliveriesRead is how many of them PostgreSQL has read in the transaction; 0 on SQLite.
func deliveriesRead(t *testing.T, tx *db.Tx, engine string) (n int64) {
	t.Helper()
	if engine != "postgres" {
		return 0
	}
	err := tx.Row(`SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::BIGINT FROM pg_stat_xact_user_tables
		WHERE relname IN ('deliveries', 'attempts')`, nil, &n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A figure over all channels reads a row for each day, whatever the number of channels.
func TestFiguresOverAllChannelsReadARowForEachDay(t *testing.T) {
	const days, channels = 60, 30
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		span := analytics.Span{From: monday.UnixMicro(), To: monday.AddDate(0, 0, days).UnixMicro() - 1}
		number := int64(0)
		for n := range days {
			write(t, store, tenant, func(tx *db.Tx) error {
				for range channels {
					number++
					o := orders.Order{ID: id.New[id.Order](), Number: number, CreatedAt: day(n), UpdatedAt: day(n), Status: orders.Shipped,
						Channel: id.New[id.Channel](), Currency: "EUR", History: []orders.Entry{{Status: orders.Shipped, Source: orders.FromAPI}}}
					o.Total = 10 * money.Scale
					orders.Insert(tx, &o)
				}
				return nil
			})
		}
		dbtest.Analyse(t, store, tenant)
		err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			before := figuresRead(t, tx, store.Engine())
			summary, err := analytics.Summarize(tx, "EUR", span)
			if err != nil {
				return err
			}
			if n := figuresRead(t, tx, store.Engine()) - before; n > 3*days {
				t.Errorf("%d figures were read for %d days", n, days)
			}
			sales, err := analytics.ReadSales(tx, "EUR", span, analytics.Day, time.UTC)
			if err != nil {
				return err
			}
			revenue := euros(10 * days * channels).String()
			if got := summary.Takings[0]; got.Orders != days*channels || got.Revenue.String() != revenue {
				t.Errorf("the summary says %+v", got)
			}
			if got := sales.Takings[0]; got.Orders != days*channels || sales.Points[days-1].Orders != channels {
				t.Errorf("the series says %+v, its last day %+v", got, sales.Points[days-1])
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// figuresRead is how many maintained figures of orders PostgreSQL has read in the transaction; 0 on SQLite.
func figuresRead(t *testing.T, tx *db.Tx, engine string) (n int64) {
	t.Helper()
	if engine != "postgres" {
		return 0
	}
	err := tx.Row(`SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::BIGINT FROM pg_stat_xact_user_tables
		WHERE relname = 'order_figures'`, nil, &n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
