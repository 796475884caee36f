package search_test

import (
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/search"
)

// A search reads of the log the events of new records behind the blocks, and no other event: SQLite says over which index it goes,
// PostgreSQL how many events it has read.
func TestNewRecordsAreReadByTheirEvents(t *testing.T) {
	const packed, fresh = 1500, 20
	dbtest.PlainConfigs(t, func(t *testing.T, config db.Config) {
		var log string
		var args []any
		config.Trace = func(sql string, of []any) {
			if strings.Contains(sql, "FROM events e") {
				log, args = sql, of
			}
		}
		store := dbtest.Open(t, config)
		engine := store.Engine()
		tenant := dbtest.Account(t, store)
		record(t, store, tenant, packed)
		if err := search.Blocks[search.Orders].FollowTenant(t.Context(), store, tenant); err != nil {
			t.Fatal(err)
		}
		record(t, store, tenant, fresh)
		dbtest.Analyse(t, store, tenant)
		err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			before := eventsRead(t, tx, engine)
			err := search.Find(tx, search.Orders, "ada", func(search.ID, int64) error { return nil })
			if n := eventsRead(t, tx, engine) - before; n > 10*fresh {
				t.Errorf("%d events read for %d new orders", n, fresh)
			}
			if engine == "postgres" || err != nil {
				return err
			}
			plan := dbtest.Plan(t, tx, log, args...)
			if !strings.Contains(plan, "events_tenant_id_event (tenant_id=? AND event=? AND stamp>?)") {
				t.Error(plan)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// record has the log say of new orders and customers, which are not there, among other events.
func record(t *testing.T, store *db.DB, tenant id.Tenant, n int) {
	t.Helper()
	err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
		for range n {
			for _, event := range []string{"order.received", "customer.created", "stock.updated", "order.status_changed"} {
				tx.Change(`INSERT INTO events (tenant_id, id, stamp, event, resource_id, payload, created_at)
					VALUES ($1,$2,`+db.Clock+"+$3::BIGINT,$4,$2::UUID::TEXT,'{}',0)", tx.Tenant, id.New[id.Event](), tx.Stamps(1), event)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// eventsRead returns how many events PostgreSQL has read in the transaction; 0 on SQLite.
func eventsRead(t *testing.T, tx *db.Tx, engine string) (n int64) {
	t.Helper()
	if engine != "postgres" {
		return 0
	}
	err := tx.Row("SELECT (seq_tup_read + coalesce(idx_tup_fetch, 0))::BIGINT FROM pg_stat_xact_user_tables WHERE relname = 'events'", nil, &n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
