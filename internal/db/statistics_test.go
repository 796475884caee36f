package db_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// PostgreSQL's planner learns within seconds that a table of a new store has two hundred rows: its own daemon comes once a minute, and
// until then orders were planned as if there were one row. It reads a small sample only.
func TestStatisticsOfANewStore(t *testing.T) {
	store := dbtest.Open(t, db.Config{URL: dbtest.StoreURL(t)})
	fillCustomers(t, store, dbtest.Account(t, store), 200)
	for deadline := time.Now().Add(dbtest.Timeout); ; time.Sleep(50 * time.Millisecond) {
		var known, most int64
		err := store.Read(t.Context(), db.Across, func(tx *db.Tx) error {
			return tx.Row(`SELECT count(*), coalesce(max(array_length(histogram_bounds::TEXT::TEXT[], 1)), 0) FROM pg_stats
				WHERE schemaname = current_schema() AND tablename = 'customers'`, nil, &known, &most)
		})
		if err != nil {
			t.Fatal(err)
		}
		if known > 0 {
			if most == 0 || most > 11 {
				t.Errorf("columns of customers have histograms of up to %d bounds", most)
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("in vain: the planner knows nothing of 200 customers")
		}
	}
}

// A table whose rows change while their number stays is not analysed for that: every plan that names it would be made again.
func TestStatisticsOfATableThatDoesNotGrow(t *testing.T) {
	store := dbtest.Open(t, db.Config{URL: dbtest.StoreURL(t)})
	tenant := dbtest.Account(t, store)
	write := func(sql string, args ...any) {
		t.Helper()
		err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
			_, err := tx.Exec(sql, append([]any{tenant}, args...)...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	analysed := func(table string) (times int64) {
		t.Helper()
		err := store.Read(t.Context(), db.Across, func(tx *db.Tx) error {
			return tx.Row("SELECT analyze_count FROM pg_stat_user_tables WHERE schemaname = current_schema() AND relname = $1", []any{table}, &times)
		})
		if err != nil {
			t.Fatal(err)
		}
		return times
	}
	wait := func(table string, times int64) {
		t.Helper()
		for deadline := time.Now().Add(dbtest.Timeout); analysed(table) < times; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("in vain: %s was analysed %d times, not %d", table, analysed(table), times)
			}
		}
	}
	const grow = "INSERT INTO tallies (tenant_id, name, key, n) SELECT $1::BIGINT, $2, i::TEXT, 1 FROM generate_series(1, $3::BIGINT) i"
	fillCustomers(t, store, tenant, 200)
	wait("customers", 1)
	for range 3 {
		write("UPDATE customers SET updated_at = updated_at + 1 WHERE tenant_id = $1")
	}
	write(grow, "first", 200)
	wait("tallies", 1)
	write(grow, "second", 1000)
	wait("tallies", 2) // one round later, which has seen what changed before the first
	if times := analysed("customers"); times != 1 {
		t.Errorf("200 customers were analysed %d times", times)
	}
}

// A table that another node analyses is not waited for: the others are analysed meanwhile, and no connection waits for
// the lock.
func TestStatisticsDoNotWaitForATable(t *testing.T) {
	url := dbtest.StoreURL(t)
	store := dbtest.Open(t, db.Config{URL: url})
	tenant := dbtest.Account(t, store)
	other, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(t.Context())
	for _, sql := range []string{"BEGIN", "LOCK TABLE customers IN SHARE UPDATE EXCLUSIVE MODE"} { // as ANALYZE does
		if _, err := other.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	fillCustomers(t, store, tenant, 200)
	err = store.Write(t.Context(), tenant, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO tallies (tenant_id, name, key, n)
			SELECT $1::BIGINT, 'x', i::TEXT, 1 FROM generate_series(1, 200) i`, tenant)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(dbtest.Timeout); ; time.Sleep(50 * time.Millisecond) {
		var analysed, waiting int64
		err := other.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM pg_stats WHERE tablename = 'tallies'),
			(SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&analysed, &waiting)
		if err != nil {
			t.Fatal(err)
		}
		if waiting > 0 {
			t.Fatal("a connection waits for the table")
		}
		if analysed > 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("in vain: the planner knows nothing of the other table")
		}
	}
}

// A statement has no parallel workers, however cheap the server takes them for: it would start a process for each.
func TestStatementsHaveNoWorkers(t *testing.T) {
	url := dbtest.StoreURL(t)
	admin, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	for _, name := range []string{"parallel_setup_cost", "parallel_tuple_cost", "min_parallel_table_scan_size",
		"min_parallel_index_scan_size"} {
		if _, err := admin.Exec(t.Context(), "ALTER DATABASE "+admin.Config().Database+" SET "+name+" = 0"); err != nil {
			t.Fatal(err)
		}
	}
	store := dbtest.Open(t, db.Config{URL: url})
	tenant := dbtest.Account(t, store)
	fillCustomers(t, store, tenant, 5000)
	dbtest.Analyse(t, store, tenant)
	err = store.Read(t.Context(), tenant, func(tx *db.Tx) error {
		return tx.Each(func(r db.Rows) error {
			var line string
			err := r.Scan(&line)
			if strings.Contains(line, "Workers Planned") {
				t.Error(line)
			}
			return err
		}, "EXPLAIN SELECT sum(length(metadata)) FROM customers WHERE tenant_id = $1", tenant)
	})
	if err != nil {
		t.Fatal(err)
	}
}
