package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"entrepot/internal/db/engine"
)

// PostgreSQL keeps a changed row's old version until VACUUM, and VACUUM frees its space without overwriting it.
// Rewriting a table (VACUUM FULL) leaves nothing behind but blocks everybody meanwhile: it is for small tables, and
// only if the lock is free. A table in use gets a plain VACUUM, after which no statement and no dump finds the old
// rows, and waits for a later scrub. Large tables only ever get the plain VACUUM; an operator may rewrite them in a
// quiet hour to remove what stays in the freed space of their pages. PostgreSQL recycles segments of the write-ahead
// log in its own time.
const (
	rewriteBelow = 32 << 20        // bytes of a table with its indexes
	rewriteWait  = "10ms"          // a longer wait for the whole table would block others behind it
	serialWait   = "1s"            // for another node's scrub
	oldestWait   = 2 * time.Second // for transactions that may still see what was erased
)

// Scrub rewrites small tables and vacuums the others.
func (e *Engine) Scrub(ctx context.Context, tables []string) (left []string, err error) {
	conn, release, err := e.pool.acquire(ctx)
	if err != nil {
		return nil, engine.Unavailable(err)
	}
	defer release()
	c := &cleaner{conn.Conn(), e.pooled}
	defer c.end(ctx)
	if mine, err := c.begin(ctx); err != nil || !mine {
		return tables, err
	}
	if older, err := awaitOldest(ctx, c.Conn); err != nil || older {
		return tables, err
	}
	for _, table := range tables {
		done, err := c.rewrite(ctx, table)
		if err != nil {
			return nil, err
		}
		if !done {
			left = append(left, table)
		}
	}
	for _, table := range left {
		if _, err := c.plainVacuum(ctx, table); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// cleaner is the connection that a scrub uses.
type cleaner struct {
	*pgx.Conn
	pooled bool
}

// begin waits until no other node scrubs. Behind a pooler no lock outlives a statement, so scrubs may run at the same
// time: if two meet at a table, one skips it.
func (c *cleaner) begin(ctx context.Context) (mine bool, err error) {
	if c.pooled {
		return true, nil
	}
	if _, err := c.Exec(ctx, "SET lock_timeout = '"+serialWait+"'"); err != nil {
		return false, err
	}
	_, err = c.Exec(ctx, "SELECT "+scrubLock)
	if locked(err) {
		return false, nil
	}
	return err == nil, err
}

func (c *cleaner) end(ctx context.Context) {
	if c.pooled {
		return
	}
	if _, reset := c.Exec(context.WithoutCancel(ctx), "RESET lock_timeout; SELECT pg_advisory_unlock_all()"); reset != nil {
		c.Close(context.WithoutCancel(ctx)) // the pool discards it
	}
}

// lockNotAvailable is the error code of a lock that was not free in time, and of the warning of a VACUUM that skipped
// a table.
const (
	lockNotAvailable = "55P03"
	skipped          = "skipped" // key in a connection's data: it received such a warning
)

// locked reports whether a lock was not free in time.
func locked(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == lockNotAvailable || pg.Code == "40P01")
}

// rewrite rewrites a table, or vacuums a large one; done is false when it is in use.
func (c *cleaner) rewrite(ctx context.Context, table string) (done bool, err error) {
	var size int64
	if err := c.QueryRow(ctx, "SELECT pg_total_relation_size($1::TEXT::REGCLASS)", table).Scan(&size); err != nil {
		return false, err
	}
	if size >= rewriteBelow {
		return c.plainVacuum(ctx, table)
	}
	return c.vacuum(ctx, "FULL", table, rewriteWait)
}

// plainVacuum removes old rows from a table and its indexes while others use it.
func (c *cleaner) plainVacuum(ctx context.Context, table string) (done bool, err error) {
	return c.vacuum(ctx, "INDEX_CLEANUP ON", table, serialWait)
}

// vacuum runs VACUUM; done is false if the table is in use for longer than wait, and always behind a pooler.
func (c *cleaner) vacuum(ctx context.Context, how, table, wait string) (done bool, err error) {
	if c.pooled {
		how += ", SKIP_LOCKED"
	} else if _, err := c.Exec(ctx, "SET lock_timeout = '"+wait+"'"); err != nil {
		return false, err
	}
	delete(c.PgConn().CustomData(), skipped)
	_, err = c.Exec(ctx, "VACUUM ("+how+") "+table)
	switch {
	case locked(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("vacuum of %s: %w", table, err)
	}
	return c.PgConn().CustomData()[skipped] == nil, nil
}

// awaitOldest waits a moment for the transactions of this database that began before now, and reports whether one is
// still running: VACUUM must not remove rows that it may still see.
func awaitOldest(ctx context.Context, c *pgx.Conn) (older bool, err error) {
	var now int64
	if err := c.QueryRow(ctx, "SELECT txid_current() % 4294967296").Scan(&now); err != nil {
		return false, err
	}
	for end := time.Now().Add(oldestWait); ; {
		err := c.QueryRow(ctx, `SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
			AND backend_type <> 'autovacuum worker' AND backend_xmin IS NOT NULL AND age(backend_xmin)
				> age($1::TEXT::XID)`, fmt.Sprint(now)).Scan(&older)
		if err != nil || !older || time.Now().After(end) {
			return older, err
		}
		select {
		case <-ctx.Done():
			return true, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}
