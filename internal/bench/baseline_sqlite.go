package bench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	_ "modernc.org/sqlite" // the measured driver
)

// groupLimit is the largest number of operations in one commit.
const groupLimit = 256

// baselineSQLite is the SQLite baseline: one goroutine owns the only writing
// connection with its prepared statements and commits in groups; readers have
// a pool of snapshots.
type baselineSQLite struct {
	folder  string
	writer  *sql.DB
	readers *sql.DB
	work    chan *baselineWrite
	stopped chan struct{}

	mu      sync.RWMutex
	queries map[string]*sql.Stmt
}

// baselineWrite is one operation that waits for its commit.
type baselineWrite struct {
	statements []statement
	done       chan error
}

// openBaselineSQLite makes a database in a new folder under folder.
func openBaselineSQLite(folder string) (*baselineSQLite, error) {
	folder, err := os.MkdirTemp(folder, "entrepot-baseline-")
	if err != nil {
		return nil, err
	}
	y := &baselineSQLite{folder: folder, work: make(chan *baselineWrite, groupLimit), stopped: make(chan struct{}),
		queries: map[string]*sql.Stmt{}}
	if err := y.open(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	return y, nil
}

func (y *baselineSQLite) open() error {
	pragmas := url.Values{"_pragma": {
		"journal_mode(WAL)", "synchronous(FULL)", "busy_timeout(5000)", "cache_size(-65536)",
		"wal_autocheckpoint(1000)", "temp_store(MEMORY)", "mmap_size(4294967296)",
	}}
	name := "file:" + filepath.Join(y.folder, "baseline.db") + "?" + pragmas.Encode()
	var err error
	if y.writer, err = sql.Open("sqlite", name); err != nil {
		return err
	}
	if y.readers, err = sql.Open("sqlite", name+"&_pragma=query_only(1)"); err != nil {
		return err
	}
	y.readers.SetMaxOpenConns(2 * runtime.NumCPU())
	y.readers.SetMaxIdleConns(2 * runtime.NumCPU())
	conn, err := y.writer.Conn(context.Background())
	if err != nil {
		return err
	}
	for _, text := range baselineSchema("sqlite") {
		if _, err := conn.ExecContext(context.Background(), text); err != nil {
			return fmt.Errorf("make the baseline's tables: %w", err)
		}
	}
	g := &groupCommit{conn: conn, prepared: map[string]*sql.Stmt{}}
	go func() {
		defer close(y.stopped)
		defer conn.Close()
		g.serve(y.work)
	}()
	return nil
}

func (y *baselineSQLite) write(statements []statement) error {
	w := &baselineWrite{statements: statements, done: make(chan error, 1)}
	y.work <- w
	return <-w.done
}

func (y *baselineSQLite) read(text string, args []any, each func(func(...any) error) error) error {
	query, err := y.query(text)
	if err != nil {
		return err
	}
	rows, err := query.Query(args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// query is the prepared statement of a text; database/sql prepares it once on
// every connection of the pool.
func (y *baselineSQLite) query(text string) (*sql.Stmt, error) {
	y.mu.RLock()
	query := y.queries[text]
	y.mu.RUnlock()
	if query != nil {
		return query, nil
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	if query = y.queries[text]; query != nil {
		return query, nil
	}
	query, err := y.readers.Prepare(positional(text))
	if err == nil {
		y.queries[text] = query
	}
	return query, err
}

func (y *baselineSQLite) close() error {
	close(y.work)
	<-y.stopped
	return errors.Join(y.readers.Close(), y.writer.Close(), os.RemoveAll(y.folder))
}

// groupCommit takes all waiting operations, runs each in a savepoint and commits them together, so that many callers
// share one fsync.
type groupCommit struct {
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
}

func (g *groupCommit) serve(work <-chan *baselineWrite) {
	group := make([]*baselineWrite, 0, groupLimit)
	outcomes := make([]error, 0, groupLimit)
	for first := range work {
		group = append(group[:0], first)
		for len(group) < groupLimit {
			var more *baselineWrite
			select {
			case more = <-work:
			default:
			}
			if more == nil {
				break
			}
			group = append(group, more)
		}
		outcomes = outcomes[:0]
		err := g.exec("BEGIN IMMEDIATE")
		for _, w := range group {
			if err != nil {
				break
			}
			var outcome error
			outcome, err = g.attempt(w)
			outcomes = append(outcomes, outcome)
		}
		if err == nil {
			err = g.exec("COMMIT")
		}
		if err != nil { // no operation of the group is stored
			err = errors.Join(err, g.exec("ROLLBACK"))
		}
		for i, w := range group {
			if err != nil {
				w.done <- err
			} else {
				w.done <- outcomes[i]
			}
		}
	}
}

// attempt runs one operation in a savepoint. A failed operation undoes only itself; err is an error of the savepoint,
// which fails the whole group.
func (g *groupCommit) attempt(w *baselineWrite) (outcome, err error) {
	if err := g.exec("SAVEPOINT operation"); err != nil {
		return nil, err
	}
	for _, s := range w.statements {
		if outcome = g.exec(s.sql, s.args...); outcome != nil {
			if err := g.exec("ROLLBACK TO operation"); err != nil {
				return outcome, err
			}
			break
		}
	}
	return outcome, g.exec("RELEASE operation")
}

// exec runs a statement that is prepared at its first use. It uses the background context on purpose: with one that
// can end, the driver starts a goroutine for every statement.
func (g *groupCommit) exec(text string, args ...any) error {
	prepared := g.prepared[text]
	if prepared == nil {
		var err error
		if prepared, err = g.conn.PrepareContext(context.Background(), positional(text)); err != nil {
			return fmt.Errorf("%w in %.120s", err, text)
		}
		g.prepared[text] = prepared
	}
	_, err := prepared.ExecContext(context.Background(), args...)
	return err
}

// positional turns $1, $2 … into plain question marks. The driver asks SQLite
// for the name of every parameter it binds, and SQLite finds a name by walking
// a list: with 1,000 named parameters that walk is half of the whole write.
// Every text here counts its placeholders up from $1, each once.
func positional(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '$' {
			b.WriteByte(text[i])
			continue
		}
		b.WriteByte('?')
		for i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9' {
			i++
		}
	}
	return b.String()
}
