package dbtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// instance is one PostgreSQL server that the tests started, in a temporary folder of its own, on loopback.
type instance struct {
	bin  string // folder of PostgreSQL's programs
	dir  string
	data string
	log  string // path of its log file
	port int
	drop *syscall.SysProcAttr // the user that it runs as

	mu      sync.Mutex
	process *exec.Cmd     // nil while it does not run
	ended   chan struct{} // closed when the process last started has ended
}

func newInstance() (*instance, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "entrepot-pg-")
	if err != nil {
		return nil, err
	}
	s := &instance{bin: bin, dir: dir, data: filepath.Join(dir, "data"), log: filepath.Join(dir, "log")}
	if s.drop, err = unprivileged(dir); err != nil {
		return nil, err
	}
	s.port, err = FreePort()
	return s, err
}

// init creates the data folder of a server, whose owner logs in without a password.
func (s *instance) init() error {
	return s.run("initdb", "-D", s.data, "-U", "postgres", "--auth=trust", "--no-sync", "--locale=C", "-E", "UTF8")
}

// run runs one of PostgreSQL's programs as the server's user.
func (s *instance) run(program string, args ...string) error {
	command := exec.Command(filepath.Join(s.bin, program), args...)
	command.SysProcAttr, command.Dir = s.drop, s.dir
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, out)
	}
	return nil
}

// launch starts the server. It does not wait for the disk, because what a killed server wrote is still in the system's
// memory. It does not vacuum, because that would start a process in each of many databases, again and again. All that
// it shares between its processes is in its folder, so that a killed server leaves nothing in the system's memory.
func (s *instance) launch(options ...string) error {
	server := exec.Command(filepath.Join(s.bin, "postgres"), append([]string{"-D", s.data, "-p", strconv.Itoa(s.port), "-k", s.dir,
		"-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "full_page_writes=off", "-c", "autovacuum=off",
		"-c", "shared_buffers=128MB", "-c", "dynamic_shared_memory_type=mmap"}, options...)...)
	server.SysProcAttr, server.Dir = s.drop, s.dir
	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	server.Stdout, server.Stderr = log, log
	if err := server.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_ = server.Wait()
		close(ended)
	}()
	s.mu.Lock()
	s.process, s.ended = server, ended
	s.mu.Unlock()
	return nil
}

// startTimeout bounds waits for programs that have been started, however busy the machine is. Those that have ended are not waited for.
const startTimeout = 5 * time.Minute

// await waits until the server accepts connections.
func (s *instance) await() error {
	s.mu.Lock()
	ended := s.ended
	s.mu.Unlock()
	if err := awaitConnection(s.address()+"/postgres?sslmode=disable", ended); err != nil {
		text, _ := os.ReadFile(s.log)
		return fmt.Errorf("the server did not come up: %w: %s", err, text)
	}
	return nil
}

// awaitConnection waits until a server that was started accepts connections, unless its process ends.
func awaitConnection(address string, ended <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, address)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ended:
			return fmt.Errorf("the process has ended: %w", err)
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (s *instance) address() string { return fmt.Sprintf("postgres://postgres@127.0.0.1:%d", s.port) }

// pid is the id of the server's main process, 0 if it does not run.
func (s *instance) pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil {
		return 0
	}
	return s.process.Process.Pid
}

// end sends the server a signal and waits for its end.
func (s *instance) end(signal os.Signal) {
	s.mu.Lock()
	server, ended := s.process, s.ended
	s.process = nil
	s.mu.Unlock()
	if server == nil {
		return
	}
	if server.Process.Signal(signal) != nil {
		server.Process.Kill() // Windows has no signals
	}
	<-ended
}

// remove ends the server and deletes its folder.
func (s *instance) remove() {
	s.end(syscall.SIGQUIT)
	os.RemoveAll(s.dir)
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
