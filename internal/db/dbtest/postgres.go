package dbtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

var (
	once   sync.Once
	base   string
	failed error
	made   atomic.Int64
	stops  []func()

	stopping sync.Mutex // of stops
	logged   string     // path of the server's log
)

// URL returns the address of a new, empty database on the test process's PostgreSQL server. The first call starts the
// server from the installed binaries ("make postgres" installs them) in a temporary folder. ENTREPOT_TEST_POSTGRES
// names a running server instead, on which databases may be created. End the tests with Main or Stop, or the server
// keeps running. It skips a test that must run without PostgreSQL, see EngineNames.
func URL(t testing.TB) string {
	t.Helper()
	running(t)
	return testDatabase(t, emptyDatabase)
}

// EncodedURL is URL for a database that stores texts in the given encoding, such as LATIN1.
func EncodedURL(t testing.TB, encoding string) string {
	t.Helper()
	running(t)
	options := strings.Replace(emptyDatabase, "UTF8", encoding, 1)
	if name, err := newDatabase(options + " LOCALE_PROVIDER libc"); err == nil { // PostgreSQL 15 and newer
		t.Cleanup(func() { drop(t, name) })
		return address(name)
	}
	return testDatabase(t, options)
}

// emptyDatabase are the options of CREATE DATABASE for one without tables.
const emptyDatabase = "TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C' ENCODING 'UTF8'"

// running ensures that there is a server, or skips a test that must run without one.
func running(t testing.TB) {
	t.Helper()
	skipWithoutPostgres(t)
	once.Do(func() {
		if base = os.Getenv("ENTREPOT_TEST_POSTGRES"); base == "" {
			base, failed = start()
		}
	})
	if failed != nil {
		t.Fatalf("PostgreSQL for tests: %v (its binaries come with: make postgres)", failed)
	}
}

func skipWithoutPostgres(t testing.TB) {
	t.Helper()
	if !slices.Contains(EngineNames(), Postgres) {
		t.Skip("PostgreSQL is left out (-short, ENTREPOT_TEST_ENGINES)")
	}
}

// testDatabase creates a database that is dropped after the test, and returns its address.
func testDatabase(t testing.TB, options string) string {
	t.Helper()
	name, err := newDatabase(options)
	if err != nil {
		t.Fatalf("PostgreSQL for tests: %v", err)
	}
	t.Cleanup(func() { drop(t, name) })
	return address(name)
}

func drop(t testing.TB, database string) {
	if err := administer("DROP DATABASE IF EXISTS " + database + " WITH (FORCE)"); err != nil {
		t.Logf("PostgreSQL for tests: %v", err) // hundreds of databases take gigabytes; a single one does no harm
	}
}

// newDatabase creates a database with the given options of CREATE DATABASE and returns its name.
func newDatabase(options string) (name string, err error) {
	name = fmt.Sprintf("t%d_%d", os.Getpid(), made.Add(1))
	return name, administer("CREATE DATABASE " + name + " " + options)
}

// administer runs one statement outside of the databases of tests.
func administer(sql string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, address("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql)
	return err
}

// address is that of a database on the server.
func address(name string) string { return base + "/" + name + "?sslmode=disable" }

// PlainURL is URL for a database owned by a role of its own that is no superuser, so that row-level security applies.
func PlainURL(t testing.TB) string {
	t.Helper()
	return plain(t, URL(t))
}

// PlainStoreURL is StoreURL for a store owned by such a role. Plans of PostgreSQL must be tested with row-level
// security, which changes them.
func PlainStoreURL(t testing.TB) string {
	t.Helper()
	return plain(t, StoreURL(t))
}

// plain gives a database and its tables to a role of its own, and returns its address for that role.
func plain(t testing.TB, database string) string {
	t.Helper()
	address, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(address.Path, "/")
	role := "plain_" + name
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, address.String())
	if err != nil {
		t.Fatalf("PostgreSQL for tests: %v", err)
	}
	defer conn.Close(ctx)
	for _, sql := range []string{
		"CREATE ROLE " + role + " LOGIN PASSWORD 'hidden'",
		"ALTER DATABASE " + name + " OWNER TO " + role,
		"GRANT ALL ON SCHEMA public TO " + role,
		`DO $$ DECLARE t regclass; BEGIN
			FOR t IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
				EXECUTE format('ALTER TABLE %s OWNER TO ` + role + `', t);
			END LOOP; END $$`,
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatalf("PostgreSQL for tests: %v", err)
		}
	}
	address.User = url.UserPassword(role, "hidden")
	return address.String()
}

// Log is the log of the shared test server; "" if the tests did not start it.
func Log() string {
	text, _ := os.ReadFile(logged)
	return string(text)
}

// Stop ends the server, if one was started; call it at the end of TestMain.
func Stop() {
	for _, stop := range stops {
		stop()
	}
}

// AtEnd has something stopped after the tests, with the server.
func AtEnd(stop func()) {
	stopping.Lock()
	defer stopping.Unlock()
	stops = append(stops, stop)
}

// Main is a TestMain that stops the server after the tests.
func Main(m *testing.M) {
	code := m.Run()
	Stop()
	os.Exit(code)
}

func start() (string, error) {
	server, err := newInstance()
	if err != nil {
		return "", err
	}
	AtEnd(server.remove)
	if err := server.init(); err != nil {
		return "", err
	}
	logged = server.log
	err = server.launch("-c", "max_connections=300", "-c", "synchronous_commit=off", "-c", "log_lock_waits=on")
	if err == nil {
		err = server.await()
	}
	return server.address(), err
}
