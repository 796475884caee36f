package dbtest

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// poolerConnections is the number of a pooler's connections to the server: fewer than its clients, which must share them.
const poolerConnections = 12

// Pooler starts PgBouncer in transaction mode for the database at an address and returns the pooler's address. Each
// transaction of a client may use another connection of the server. It ends with the test.
func Pooler(t testing.TB, address string) string { return SmallPooler(t, address, 500) }

// SmallPooler is Pooler that accepts so many connections of clients.
func SmallPooler(t testing.TB, address string, clients int) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	program, err := pooler()
	if err != nil {
		t.Fatalf("PgBouncer for tests: %v (it comes with: make postgres)", err)
	}
	dir, err := os.MkdirTemp("", "entrepot-pooler-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	port, err := FreePort()
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(u.Path, "/")
	settings := fmt.Sprintf(`[databases]
%s = host=%s port=%s user=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir = %s
log_connections = 0
log_disconnections = 0
auth_type = any
pool_mode = transaction
default_pool_size = %d
max_client_conn = %d
`, name, u.Hostname(), u.Port(), u.User.Username(), port, dir, poolerConnections, clients)
	path := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(path, []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	drop, err := unprivileged(dir)
	if err != nil {
		t.Fatalf("PgBouncer for tests: %v", err)
	}
	process := exec.Command(program, path)
	process.SysProcAttr, process.Dir = drop, dir
	log := &strings.Builder{}
	process.Stderr = log
	if err := process.Start(); err != nil {
		t.Fatalf("PgBouncer for tests: %v", err)
	}
	ended := make(chan struct{})
	go func() {
		_ = process.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		process.Process.Signal(syscall.SIGQUIT)
		<-ended
		if t.Failed() {
			t.Logf("PgBouncer: %s: %s", process.ProcessState, tail(log.String()))
		}
	})
	u.Host = fmt.Sprintf("127.0.0.1:%d", port)
	if err := awaitConnection(u.String(), ended); err != nil {
		process.Process.Kill()
		<-ended
		t.Fatalf("PgBouncer did not come up: %v: %s", err, log)
	}
	return u.String()
}

func tail(text string) string { return text[max(0, len(text)-4000):] }

// pooler finds the program, which Debian installs in a folder for administrators.
func pooler() (string, error) {
	path, err := exec.LookPath("pgbouncer")
	if err != nil {
		path, err = exec.LookPath("/usr/sbin/pgbouncer")
	}
	return path, err
}
