// Package dbtest gives tests real stores: a fresh one on each engine, and a PostgreSQL server of the test process's own.
//
//	Engines   runs a test on both engines; StoreDir and StoreURL give a migrated store to a whole program
//	Pair      a primary and a standby that can be killed and promoted; Pooler is a PgBouncer in front of a server
//	RunsAgain checks that a transaction notices a change of what it read
//	DiesAtEveryStep ends an operation in steps before each of its transactions
//	Statements are what a store reads with; Plan is SQLite's plan of one
//	Long      skips a test in short runs
package dbtest

import (
	"cmp"
	"flag"
	"runtime"
	"strconv"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Engines runs a test on a fresh, migrated store of each engine.
func Engines(t *testing.T, test func(t *testing.T, store *db.DB)) {
	t.Helper()
	EnginesAt(t, nil, test)
}

// EnginesAt is Engines with a clock; nil is the real one.
func EnginesAt(t *testing.T, now func() time.Time, test func(t *testing.T, store *db.DB)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, Open(t, db.Config{Dir: StoreDir(t), Unsafe: true, Now: now})) })
	t.Run("postgres", func(t *testing.T) { test(t, Open(t, db.Config{URL: StoreURL(t), Now: now, Pool: 12})) })
}

// PlainEngines is Engines with row-level security on PostgreSQL (PlainStoreURL), for tests of its plans.
func PlainEngines(t *testing.T, test func(t *testing.T, store *db.DB)) {
	t.Helper()
	PlainConfigs(t, func(t *testing.T, c db.Config) { test(t, Open(t, c)) })
}

// PlainConfigs is PlainEngines for a test that opens the store itself.
func PlainConfigs(t *testing.T, test func(t *testing.T, c db.Config)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, db.Config{Dir: StoreDir(t), Unsafe: true}) })
	t.Run("postgres", func(t *testing.T) { test(t, db.Config{URL: PlainStoreURL(t), Pool: 12}) })
}

// Timeout is db.Config's for tests: what the service answers with "busy" after seconds takes longer on a starved machine.
const Timeout = 5 * time.Minute

// Until waits until something holds, and fails the test if it does not within Timeout; what describes it.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(Timeout); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain: " + what)
		}
	}
}

// Open opens a store, migrates it unless it is a copy of StoreDir or StoreURL, and closes it at the end of the test. It waits with Timeout
// unless the configuration has its own; a negative one is the service's.
func Open(t testing.TB, c db.Config) *db.DB {
	t.Helper()
	c.MinWait = cmp.Or(c.MinWait, Timeout)
	store, err := db.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return store
}

// Analyse gives PostgreSQL's planner the statistics that the service gives it within seconds. SQLite has none in the service: its plans are
// those of a store that was never analysed.
func Analyse(t testing.TB, store *db.DB, tenant id.Tenant) {
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

// Account creates an account with its warehouse and nothing else, and returns its tenant number.
func Account(t testing.TB, store *db.DB) id.Tenant {
	t.Helper()
	var tenant id.Tenant
	err := store.Write(t.Context(), db.Across, func(tx *db.Tx) error {
		if err := tx.Row("SELECT coalesce(max(tenant_id), 0) + 1 FROM tenants", nil, &tenant); err != nil {
			return err
		}
		now := tx.Micros()
		tx.Queue(`INSERT INTO tenants (tenant_id, id, name, plan, currency, settings, sandbox, clock_offset, created_at, updated_at)
			VALUES ($1,$2,'Test','enterprise','EUR','{}',FALSE,0,$3,$3)`, tenant, id.New[id.Account](), now)
		tx.Queue("INSERT INTO change_clocks (tenant_id, base, last) VALUES ($1, 0, 0)", tenant)
		tx.Queue("INSERT INTO order_numbers (tenant_id, next) VALUES ($1, 1)", tenant)
		tx.Queue("INSERT INTO warehouses (tenant_id, id, code, name, is_default, created_at) VALUES ($1,$2,'MAIN','Main warehouse',TRUE,$3)",
			tenant, id.New[id.Warehouse](), now)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tenant
}

// Waiting lets six tests of a package run at once, unless -parallel gives another number: they wait most of their time, and need no
// processor of their own. Call it before the tests run.
func Waiting() {
	flag.Parse()
	if most := flag.Lookup("test.parallel"); most.Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = most.Value.Set("6") // a number is valid
	}
}
