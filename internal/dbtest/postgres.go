package dbtest

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	once   sync.Once
	base   string
	failed error
	made   atomic.Int64
	stops  []func()
	logged string // path of the server's log
)

// URL gives the address of a fresh, empty database on the test process's PostgreSQL server, which the first call starts from the
// installed binaries ("make postgres" installs them) in a temporary folder. ENTREPOT_TEST_POSTGRES names a running server instead,
// on which databases may be created. End the tests with Main or Stop, or the server stays. It skips a test
// that is to run without PostgreSQL, see EngineNames.
func URL(t testing.TB) string {
	t.Helper()
	running(t)
	name, err := newDatabase("TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C' ENCODING 'UTF8'")
	if err != nil {
		t.Fatalf("PostgreSQL for tests: %v", err)
	}
	return address(name)
}

// running makes sure that there is a server, or skips a test that must do without.
func running(t testing.TB) {
	t.Helper()
	if !slices.Contains(EngineNames(), Postgres) {
		t.Skip("PostgreSQL is left out (-short, ENTREPOT_TEST_ENGINES)")
	}
	once.Do(func() {
		if base = os.Getenv("ENTREPOT_TEST_POSTGRES"); base == "" {
			base, failed = start()
		}
	})
	if failed != nil {
		t.Fatalf("PostgreSQL for tests: %v (its binaries come with: make postgres)", failed)
	}
}

// newDatabase creates a database with the given options of CREATE DATABASE and returns its name.
func newDatabase(options string) (name string, err error) {
	name = fmt.Sprintf("t%d_%d", os.Getpid(), made.Add(1))
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, address("postgres"))
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "CREATE DATABASE "+name+" "+options)
	return name, err
}

// address is that of a database on the server.
func address(name string) string { return base + "/" + name + "?sslmode=disable" }

// PlainURL is URL for a database that belongs to a role of its own, which is no superuser: row-level security holds for it.
func PlainURL(t testing.TB) string {
	t.Helper()
	address, err := url.Parse(URL(t))
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
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatalf("PostgreSQL for tests: %v", err)
		}
	}
	address.User = url.UserPassword(role, "hidden")
	return address.String()
}

// Log is all that the shared test server has logged; "" when the server is not ours.
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

// Main is a TestMain that stops the server after the tests.
func Main(m *testing.M) {
	code := m.Run()
	Stop()
	os.Exit(code)
}

func start() (string, error) {
	bin, err := binaries()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "entrepot-pg-")
	if err != nil {
		return "", err
	}
	drop, err := unprivileged(dir)
	if err != nil {
		return "", err
	}
	data := filepath.Join(dir, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "--locale=C", "-E", "UTF8")
	initdb.SysProcAttr, initdb.Dir = drop, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return "", fmt.Errorf("initdb: %w: %s", err, out)
	}
	port, err := freePort()
	if err != nil {
		return "", err
	}
	server := exec.Command(filepath.Join(bin, "postgres"), "-D", data, "-p", strconv.Itoa(port), "-k", dir,
		"-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=300",
		"-c", "synchronous_commit=off", "-c", "shared_buffers=128MB", "-c", "log_lock_waits=on")
	server.SysProcAttr, server.Dir = drop, dir
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return "", err
	}
	server.Stdout, server.Stderr, logged = log, log, log.Name()
	if err := server.Start(); err != nil {
		return "", err
	}
	stops = append(stops, func() {
		if server.Process.Signal(syscall.SIGQUIT) != nil {
			server.Process.Kill() // Windows has no signals
		}
		server.Wait()
		os.RemoveAll(dir)
	})
	address := fmt.Sprintf("postgres://postgres@127.0.0.1:%d", port)
	for range 200 {
		conn, err := pgx.Connect(context.Background(), address+"/postgres?sslmode=disable")
		if err == nil {
			conn.Close(context.Background())
			return address, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	text, _ := os.ReadFile(log.Name())
	return "", fmt.Errorf("the server did not come up: %s", text)
}

// binaries finds the newest installed server.
func binaries() (string, error) {
	if dir := os.Getenv("ENTREPOT_POSTGRES_BIN"); dir != "" {
		return dir, nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	sort.Strings(found)
	if len(found) > 0 {
		return filepath.Dir(found[len(found)-1]), nil
	}
	path, err := exec.LookPath("postgres")
	if err != nil {
		return "", fmt.Errorf("no postgres binary found")
	}
	return filepath.Dir(path), nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
