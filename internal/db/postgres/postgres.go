// Package postgres is the engine that keeps the store in a PostgreSQL database, for any number of equal nodes.
//
//	postgres.go     open, close; tables.go what every table needs; security.go checks row-level security
//	connect.go      how the server is reached, and when a connection is dropped; silence_linux.go sets that in the system
//	transaction.go  a transaction on a connection of the pool; limit.go how many of a tenant run at once
//	group.go        optimistic transactions share a commit; merge.go what they write in one message, arrays.go the rows of one form
//	share.go        short reads of a tenant share a message; statement.go what they read in common
//	session.go      what a transaction reads and locks; message.go what it writes, with COMMIT in one message
//	locks.go        the advisory locks and the change clock
//	errors.go       what the server's errors mean
//	statistics.go   keeps the planner informed of tables that grow
//	scrub.go        removes erased data from the tables' files; files.go reads those
//	load.go         takes the tables of a store that is moved here
//	copy.go         backup with PostgreSQL's own programs (tools.go); restore.go; dump.go reads a copy's file
package postgres

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"entrepot/internal/db/engine"
)

// Config says which store to open.
type Config struct {
	URL              string           // postgres://…
	Now              func() time.Time // the clock of every transaction
	Injected         bool             // Now is not the real clock: stamps follow Now and not the server's clock
	Log              *slog.Logger
	Pool             int           // connections of the whole pool; 0 = a good default
	StatementTimeout time.Duration // bounds each statement; 0 for none
	// commands, tests on slow machines: the least time to wait for a connection, a lock, a holder of locks
	MinWait time.Duration
}

// Engine is an open store. It runs each transaction on a pooled connection. BEGIN travels with the first statement
// and COMMIT with the last, because round trips decide the speed.
type Engine struct {
	now      func() time.Time
	log      *slog.Logger
	pool     connections
	writers  limits
	bulk     limits // of the writers: one piece of a bulk operation at a time
	readers  limits
	timeout  string             // statement_timeout of every transaction, in milliseconds; "0" for none
	bounds   bounds             // of what a transaction waits for
	injected bool               // see Config
	pooled   bool               // a pooler is in between: locks and settings of a connection do not last longer than a transaction
	full     fullness           // see Ping
	stop     context.CancelFunc // ends keepStatistics
	kept     chan struct{}
}

// Open connects to the database. Errors: Unavailable.
func Open(ctx context.Context, c Config) (*Engine, error) {
	config, err := poolConfig(c)
	if err != nil {
		return nil, err
	}
	pooled, err := behindPooler(ctx, config.ConnConfig)
	if err != nil {
		return nil, err
	}
	if pooled {
		fitPooler(config.ConnConfig, c.URL)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, engine.Unavailable(err)
	}
	background, stop := context.WithCancel(context.Background())
	e := &Engine{now: c.Now, log: c.Log, pool: newConnections(pool), writers: newLimits(writersPerAccount), bulk: newLimits(1),
		readers: newLimits(max(2, int(config.MaxConns)/2)),
		timeout: milliseconds(c.StatementTimeout), bounds: newBounds(c.MinWait), injected: c.Injected, pooled: pooled, stop: stop,
		kept: make(chan struct{})}
	go e.keepStatistics(background)
	return e, nil
}

// the parser's error may show the password
var errBadAddress = errors.New("the database address is not a valid postgres:// URL")

// Name is "postgres".
func (e *Engine) Name() string { return "postgres" }

// Connections is how many connections the pool may have.
func (e *Engine) Connections() int { return int(e.pool.Config().MaxConns) }

// InUse is how many connections of the pool have a transaction.
func (e *Engine) InUse() int { return int(e.pool.Stat().AcquiredConns()) }

// ClockMargin covers other nodes, whose clocks differ. The server ends transactions of a node that stands still after
// seconds.
func (e *Engine) ClockMargin() time.Duration { return 10 * time.Minute }

// DDL is a migration's text for PostgreSQL: lines for PostgreSQL alone start with "--postgres ".
func (e *Engine) DDL(text string) string { return ddlWords.Replace(text) }

var ddlWords = strings.NewReplacer(") WITHOUT ROWID", ")", "--postgres ", "")

// Bounds of a script's wait for tables that others use. While a script waits for a table, everybody else waits behind
// it, so it gives up soon, lets them pass, and tries again.
const (
	scriptWait  = "2s"
	scriptPause = 200 * time.Millisecond
	scriptTries = 100
)

// Script runs statements in one transaction, one script at a time in a database. It sees the rows of every account. A
// script that waits too long for a table, or whose locks cross those of another transaction, runs again.
func (e *Engine) Script(ctx context.Context, sql string) error {
	for try := 1; ; try++ {
		err := e.script(ctx, sql)
		refused, is := errors.AsType[*pgconn.PgError](err)
		const deadlock, lockTimeout = "40P01", "55P03"
		if !is || refused.Code != deadlock && refused.Code != lockTimeout || try == scriptTries {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(scriptPause):
		}
	}
}

func (e *Engine) script(ctx context.Context, sql string) error {
	conn, release, err := e.pool.acquire(ctx)
	if err != nil {
		return engine.Unavailable(err)
	}
	defer release()
	_, err = conn.Conn().PgConn().Exec(ctx,
		"BEGIN; SELECT set_config('entrepot.tenant', '0', true), "+scriptLock+"; SET LOCAL lock_timeout = '"+scriptWait+"'; "+sql+"; COMMIT").ReadAll()
	if err != nil {
		conn.Conn().PgConn().Exec(ctx, "ROLLBACK").ReadAll()
	}
	return err
}

// Catalog lists tables from PostgreSQL's catalog.
func (e *Engine) Catalog() engine.Catalog {
	return engine.Catalog{
		Made: "SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = 'schema_versions'",
		Texts: `SELECT c.table_name::TEXT, c.column_name::TEXT FROM information_schema.columns c
			JOIN information_schema.tables t USING (table_schema, table_name)
			WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE' AND c.data_type = 'text'
				ORDER BY c.table_name, c.ordinal_position`,
		Size: "SELECT pg_database_size(current_database())",
		Columns: `SELECT c.table_name::TEXT, c.column_name::TEXT, c.data_type::TEXT FROM information_schema.columns c
			JOIN information_schema.tables t USING (table_schema, table_name)
			WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE' ORDER BY c.table_name COLLATE "C", c.column_name COLLATE "C"`,
	}
}

// Close waits for running transactions and closes every connection.
func (e *Engine) Close() error {
	e.stop()
	<-e.kept
	e.pool.Close()
	return nil
}
