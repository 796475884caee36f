package bench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"

	_ "modernc.org/sqlite" // the measured driver
)

// groupLimit is the largest number of operations in one commit.
const groupLimit = 256

// baselineSQLite is the SQLite baseline: one goroutine has the only connection, with its prepared statements, and
// commits waiting operations in groups that share an fsync.
type baselineSQLite struct {
	folder   string
	pool     *sql.DB
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
	work     chan *baselineWrite
	stopped  chan struct{}
}

// baselineWrite is one operation that waits for its commit.
type baselineWrite struct {
	statements []statement
	done       chan error
}

// openBaselineSQLite makes a database in a new folder below the given one.
func openBaselineSQLite(ctx context.Context, below string) (*baselineSQLite, error) {
	folder, err := os.MkdirTemp(below, "entrepot-baseline-")
	if err != nil {
		return nil, err
	}
	y := &baselineSQLite{folder: folder, prepared: map[string]*sql.Stmt{}, work: make(chan *baselineWrite, groupLimit), stopped: make(chan struct{})}
	pragmas := url.Values{"_pragma": {"journal_mode(WAL)", "synchronous(FULL)", "cache_size(-65536)", "wal_autocheckpoint(1000)",
		"temp_store(MEMORY)", "mmap_size(4294967296)"}}
	y.pool, err = sql.Open("sqlite", "file:"+filepath.Join(folder, "baseline.db")+"?"+pragmas.Encode())
	if err == nil {
		y.conn, err = y.pool.Conn(ctx)
	}
	for _, text := range baselineSchema("sqlite") {
		if err == nil {
			_, err = y.conn.ExecContext(ctx, text)
		}
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	go y.serve()
	return y, nil
}

func (y *baselineSQLite) write(statements []statement) error {
	w := &baselineWrite{statements: statements, done: make(chan error, 1)}
	y.work <- w
	return <-w.done
}

func (y *baselineSQLite) close() error {
	close(y.work)
	<-y.stopped
	return errors.Join(y.conn.Close(), y.pool.Close(), os.RemoveAll(y.folder))
}

// serve takes all waiting operations, runs each in a savepoint and commits them together.
func (y *baselineSQLite) serve() {
	defer close(y.stopped)
	for first := range y.work {
		group := []*baselineWrite{first}
		for len(group) < groupLimit && len(y.work) > 0 {
			group = append(group, <-y.work)
		}
		outcomes := make([]error, len(group))
		err := y.exec("BEGIN IMMEDIATE")
		for i, w := range group {
			if err == nil {
				outcomes[i], err = y.attempt(w)
			}
		}
		if err == nil {
			err = y.exec("COMMIT")
		}
		if err != nil { // no operation of the group is stored
			err = errors.Join(err, y.exec("ROLLBACK"))
		}
		for i, w := range group {
			w.done <- errors.Join(err, outcomes[i])
		}
	}
}

// attempt runs one operation in a savepoint: a failed one undoes only itself. err is an error of the savepoint, which
// fails the whole group.
func (y *baselineSQLite) attempt(w *baselineWrite) (outcome, err error) {
	if err := y.exec("SAVEPOINT operation"); err != nil {
		return nil, err
	}
	for _, s := range w.statements {
		if outcome = y.exec(s.sql, s.args...); outcome != nil {
			if err := y.exec("ROLLBACK TO operation"); err != nil {
				return outcome, err
			}
			break
		}
	}
	return outcome, y.exec("RELEASE operation")
}

var placeholder = regexp.MustCompile(`\$\d+`)

// exec runs a statement, which is prepared at its first use. Its context never ends, because with one that can the
// driver starts a goroutine for every statement. Placeholders are plain question marks: SQLite looks a named one up
// in a list, which with 1,000 of them would be half of the write.
func (y *baselineSQLite) exec(text string, args ...any) (err error) {
	prepared := y.prepared[text]
	if prepared == nil {
		if prepared, err = y.conn.PrepareContext(context.Background(), placeholder.ReplaceAllString(text, "?")); err != nil {
			return fmt.Errorf("%w in %.120s", err, text)
		}
		y.prepared[text] = prepared
	}
	_, err = prepared.ExecContext(context.Background(), args...)
	return err
}
