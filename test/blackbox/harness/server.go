package harness

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"entrepot/internal/db/dbtest"
)

// The first account of every store, made by the service itself at its first start.
const (
	AdminEmail    = "owner@first.example"
	AdminPassword = "correct horse battery staple 1"
)

// processTimeout bounds waits for a process to begin and to end, however busy the machine is.
const processTimeout = 3 * time.Minute

// Options change a server's defaults: limits off, plan enterprise, five quick retries.
type Options struct {
	Plan    string   // starter, pro or enterprise (the default) for the first account
	Limits  bool     // true counts requests; most tests are about something else
	Retries string   // ENTREPOT_WEBHOOK_RETRIES; the default is five of 200 ms
	Strict  bool     // without --dev: https only, no loopback
	Plain   bool     // on PostgreSQL: in a role that is no superuser, for which row-level security holds
	Env     []string // more variables, as NAME=value; they win over the harness's

	Database string // address of an empty PostgreSQL database to use; "": a fresh one
}

// Server is one running process and its store.
type Server struct {
	Base   string // http://127.0.0.1:PORT
	Engine Engine
	Dir    string // data folder; also the process's working folder

	t        testing.TB
	options  Options
	binary   string
	database string
	logPath  string

	running sync.Mutex // guards the next three
	process *exec.Cmd
	exited  chan struct{}
	exitErr error

	mu    sync.Mutex
	other *Account
}

// Start runs a server on a new store and waits until /readyz answers 200. It is stopped when t ends, and t fails if
// the process ended by itself, panicked or had a data race.
func Start(t testing.TB, engine Engine, options Options) *Server {
	t.Helper()
	s := &Server{
		Engine: engine, Dir: t.TempDir(), t: t, options: options,
		binary: Binary(t), database: options.Database, logPath: filepath.Join(t.TempDir(), "server.log"),
	}
	if s.database == "" {
		s.Dir, s.database = newStore(t, engine, options.Plain)
	}
	address, err := freeAddress()
	if err != nil {
		t.Fatal(err)
	}
	s.Base = "http://" + address
	s.Launch()
	t.Cleanup(s.close)
	return s
}

// Launch starts the process on the server's store: at first, and again after Stop or Kill.
func (s *Server) Launch() {
	s.t.Helper()
	if err := s.TryLaunch(); err != nil {
		s.t.Fatalf("%v\n%s", err, s.LogTail())
	}
}

// TryLaunch is Launch for a caller that wants the error.
func (s *Server) TryLaunch() error {
	log, err := os.OpenFile(s.logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	address := strings.TrimPrefix(s.Base, "http://")
	if err := dbtest.AwaitPort(address); err != nil {
		return err
	}
	args := []string{"serve", "--addr", address, "--public-url", s.Base}
	if s.database != "" {
		args = append(args, "--database", s.database)
	} else {
		args = append(args, "--data", s.Dir)
	}
	if !s.options.Strict {
		args = append(args, "--dev")
	}
	process := exec.Command(s.binary, args...)
	process.Dir, process.Env = s.Dir, s.environment()
	process.Stdout, process.Stderr = log, log
	if err := process.Start(); err != nil {
		return err
	}
	exited := make(chan struct{})
	go func() {
		err := process.Wait()
		s.running.Lock()
		s.exitErr = err
		s.running.Unlock()
		close(exited)
	}()
	s.running.Lock()
	s.process, s.exited = process, exited
	s.running.Unlock()
	return s.awaitReady(process.Process, exited, processTimeout)
}

// MoveTo makes a stopped server of SQLite start on a PostgreSQL database next, with its master key.
func (s *Server) MoveTo(database string) error {
	key, err := os.ReadFile(filepath.Join(s.Dir, "master.key"))
	s.Engine, s.database = Postgres, database
	s.options.Env = append(s.options.Env, "ENTREPOT_MASTER_KEY="+strings.TrimSpace(string(key)))
	return err
}

// environment is the environment of the service and its offline commands, without the tester's own ENTREPOT_ variables.
func (s *Server) environment() []string {
	var env []string
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "ENTREPOT_") {
			env = append(env, pair)
		}
	}
	plan, retries := "enterprise", "200ms,200ms,200ms,200ms,200ms"
	if s.options.Plan != "" {
		plan = s.options.Plan
	}
	if s.options.Retries != "" {
		retries = s.options.Retries
	}
	env = append(env,
		"ENTREPOT_ADMIN_EMAIL="+AdminEmail, "ENTREPOT_ADMIN_PASSWORD="+AdminPassword,
		"ENTREPOT_PLAN="+plan, "ENTREPOT_WEBHOOK_RETRIES="+retries)
	if !s.options.Limits {
		env = append(env, "ENTREPOT_RATE_LIMITS=off")
	}
	return append(env, s.options.Env...)
}

// current is the process last started and the channel that closes when it has ended.
func (s *Server) current() (*os.Process, chan struct{}) {
	s.running.Lock()
	defer s.running.Unlock()
	return s.process.Process, s.exited
}

func (s *Server) ending() error {
	s.running.Lock()
	defer s.running.Unlock()
	return s.exitErr
}

func (s *Server) awaitReady(process *os.Process, exited chan struct{}, within time.Duration) error {
	client := &http.Client{Timeout: 10 * time.Second}
	for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		select {
		case <-exited:
			return fmt.Errorf("process %d ended before it was ready: %v", process.Pid, s.ending())
		default:
		}
		if response, err := client.Get(s.Base + "/readyz"); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
	}
	return fmt.Errorf("/readyz did not answer 200 within %s", within)
}

// PID is the process's number.
func (s *Server) PID() int {
	process, _ := s.current()
	return process.Pid
}

// Running says whether the process still lives.
func (s *Server) Running() bool {
	_, exited := s.current()
	select {
	case <-exited:
		return false
	default:
		return true
	}
}

// Stop asks the process to end (SIGTERM) and waits; it returns how the process ended.
func (s *Server) Stop() error { return s.End(syscall.SIGTERM) }

// End is Stop with another signal.
func (s *Server) End(with os.Signal) error {
	process, exited := s.current()
	if s.Running() {
		_ = process.Signal(with)
	}
	select {
	case <-exited:
		return s.ending()
	case <-time.After(processTimeout):
		s.Kill()
		return fmt.Errorf("the server did not end within %s of the signal %s", processTimeout, with)
	}
}

// Kill ends the process at once (SIGKILL), as a power cut would.
func (s *Server) Kill() {
	process, exited := s.current()
	_ = process.Kill()
	<-exited
}

// close stops the server at the end of a test and reports everything that went wrong in it.
func (s *Server) close() {
	wasRunning := s.Running()
	if err := s.Stop(); err != nil && wasRunning {
		s.t.Errorf("the server did not end well after SIGTERM: %v\n%s", err, s.LogTail())
	}
	log, _ := os.ReadFile(s.logPath)
	for _, sign := range []string{"WARNING: DATA RACE", "panic:", "goroutine 1 [", "fatal error:"} {
		if at := bytes.Index(log, []byte(sign)); at >= 0 {
			s.t.Errorf("the server's log holds %q:\n%s", sign, log[at:min(len(log), at+4000)])
			return
		}
	}
	if keep := os.Getenv("ENTREPOT_TEST_KEEP_LOG"); keep != "" {
		_ = os.WriteFile(keep+"."+string(s.Engine), log, 0o644)
	}
}

// LogTail is the last part of what the process wrote.
func (s *Server) LogTail() string {
	log, _ := os.ReadFile(s.logPath)
	return string(log[max(0, len(log)-6000):])
}

// Complaints are the lines of the process's log that report an error.
func (s *Server) Complaints() []string {
	log, _ := os.ReadFile(s.logPath)
	var lines []string
	for _, line := range strings.Split(string(log), "\n") {
		if strings.Contains(line, `"level":"ERROR"`) || strings.Contains(line, "level=ERROR") {
			lines = append(lines, line)
		}
	}
	return lines
}

// Command runs an offline command of the program against the server's store, while the server may run.
// It returns standard output; a non-zero exit is an error that carries standard error. It is run again when it got no connection in time.
func (s *Server) Command(args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	for {
		out, err := s.command(ctx, args...)
		if err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), "the store does not answer, try again: context deadline exceeded") {
			return out, err
		}
	}
}

func (s *Server) command(ctx context.Context, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, s.binary, args...)
	command.Dir, command.Env = s.Dir, append(s.environment(), s.storeVariable())
	var out, complaint bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaint
	if err := command.Run(); err != nil {
		return out.Bytes(), fmt.Errorf("entrepot %s: %w\n%s", strings.Join(args, " "), err, complaint.String())
	}
	return out.Bytes(), nil
}

// StalledCommand starts a command of the program that stops where it first writes to its standard error, until it is killed.
func (s *Server) StalledCommand(args ...string) (*exec.Cmd, error) {
	read, full, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.t.Cleanup(func() { read.Close() })
	defer full.Close()
	if err := full.SetWriteDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		return nil, err
	}
	for err == nil {
		_, err = full.Write(make([]byte, 1<<10))
	}
	for err = nil; err == nil; {
		_, err = full.Write(make([]byte, 1))
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, err
	}
	command := exec.Command(s.binary, args...)
	command.Dir, command.Env = s.Dir, append(s.environment(), s.storeVariable())
	command.Stderr = full
	return command, command.Start()
}

// Store is where the server's store is: the folder of its master key, and a database's address, "" for SQLite's file in
// the folder.
func (s *Server) Store() (folder, database string) {
	if s.database != "" {
		return filepath.Join(s.Dir, "data"), s.database
	}
	return s.Dir, ""
}

func (s *Server) storeVariable() string {
	if s.database != "" {
		return "ENTREPOT_DATABASE=" + s.database
	}
	return "ENTREPOT_DATA=" + s.Dir
}

// StoreHolds returns which of the given texts occur in the bytes of a SQLite store. On PostgreSQL, whose files belong
// to another process, it reads a plain dump of the database.
func (s *Server) StoreHolds(texts ...string) ([]string, error) {
	content, err := s.storeBytes()
	if err != nil {
		return nil, err
	}
	var found []string
	for _, text := range texts {
		forms := []string{text, strings.ToLower(text), hex.EncodeToString([]byte(text))}
		if slices.ContainsFunc(forms, func(form string) bool { return bytes.Contains(content, []byte(form)) }) {
			found = append(found, text)
		}
	}
	return found, nil
}

func (s *Server) storeBytes() ([]byte, error) {
	if s.database != "" {
		return exec.Command("pg_dump", "--inserts", s.database).Output()
	}
	var all bytes.Buffer
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			file, err := os.Open(filepath.Join(s.Dir, entry.Name()))
			if err != nil {
				return nil, err
			}
			_, err = io.Copy(&all, file)
			file.Close()
			if err != nil {
				return nil, err
			}
		}
	}
	return all.Bytes(), nil
}

// freeAddress finds a loopback port nobody listens on.
func freeAddress() (string, error) {
	port, err := dbtest.FreePort()
	return fmt.Sprintf("127.0.0.1:%d", port), err
}
