package webhooks

import (
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// putTried queues deliveries that were attempted once and are due again at a time.
func putTried(tx *db.Tx, endpoint id.Endpoint, due int64, positions ...int64) {
	for _, position := range positions {
		tx.Queue(`INSERT INTO deliveries (tenant_id, endpoint_id, position, id, event_id, event_stamp, event, resource_id, ordered, lane,
			by_hand, state, attempts, due_at) VALUES ($1,$2,$3,$4,$5,$3,$6,'r',FALSE,NULL,FALSE,'pending',1,$7)`, tx.Tenant, endpoint,
			position, id.New[id.Delivery](), id.New[id.Event](), OrderReceived, due)
	}
}

// Deliveries of a span that wait for a later attempt are due at once, the first and the last of the span too, and a node reads their queue
// now, not when the first of them would have been due.
func TestHurriedDeliveriesAreDueAtOnce(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant, endpoint := dbtest.Account(t, store), id.New[id.Endpoint]()
		write := func(run func(tx *db.Tx) error) {
			t.Helper()
			if err := store.Write(t.Context(), tenant, run); err != nil {
				t.Fatal(err)
			}
		}
		write(func(tx *db.Tx) error {
			later := tx.Micros() + 3_600_000_000
			putTried(tx, endpoint, later, 1000, 1010, 1020, 1030)
			tx.Queue(newQueue, tx.Tenant, endpoint, 4, 0, 0)
			tx.Queue("UPDATE queues SET due_at = $3 WHERE tenant_id = $1 AND endpoint_id = $2", tx.Tenant, endpoint, later)
			return nil
		})
		write(func(tx *db.Tx) error {
			n, err := Hurry(tx, endpoint, 1010, 1020, MostHurried)
			if n != 2 {
				t.Errorf("%d are hurried, not 2", n)
			}
			return err
		})
		var due []int64
		var queues int64
		err := store.Read(t.Context(), tenant, func(tx *db.Tx) (err error) {
			if due, err = db.List(tx, func(r db.Rows) (position int64, err error) { return position, r.Scan(&position) },
				"SELECT position FROM deliveries WHERE tenant_id = $1 AND due_at <= $2 ORDER BY position", tx.Tenant, tx.Micros()); err != nil {
				return err
			}
			return tx.Row("SELECT count(*) FROM queues WHERE tenant_id = $1 AND due_at <= $2", []any{tx.Tenant, tx.Micros()}, &queues)
		})
		if err != nil || !slices.Equal(due, []int64{1010, 1020}) || queues != 1 {
			t.Errorf("due are %v, in %d queues; %v", due, queues, err)
		}
	})
}

func (q *queued) TenantID() id.Tenant { return q.tx.Tenant }
func (q *queued) Change(sql string, args ...any) *db.Step {
	return q.Queue(sql, args...)
}

// Some of very many deliveries that wait are made due by their keys: not every piece of them goes through all that wait.
func TestDeliveriesAreHurriedByKeys(t *testing.T) {
	dbtest.PlainEngines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		list := spreadDeliveries(t, store, tenant, 2000, func(int) State { return Pending })
		dbtest.Analyse(t, store, tenant)
		var some []int64
		for _, d := range list[:400] {
			some = append(some, d.Position)
		}
		err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
			q := &queued{tx: tx}
			hurry(q, list[0].Endpoint, some)
			for _, s := range q.steps {
				if store.Engine() == "sqlite" {
					const byKey = "PRIMARY KEY (tenant_id=? AND endpoint_id=? AND position=?)"
					if plan := dbtest.Plan(t, tx, s.SQL, s.Args...); !strings.Contains(plan, byKey) {
						t.Error(plan)
					}
				} else if rows, plan := looked(t, tx, s); rows > 2*len(some) {
					t.Errorf("%d rows: %s", rows, plan)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
