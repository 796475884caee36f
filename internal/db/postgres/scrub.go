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

// PostgreSQL keeps a changed row's old version until VACUUM, and VACUUM frees its place without overwriting it. Rewriting a table
// (VACUUM FULL) leaves nothing, but keeps everybody away meanwhile: done here for tables that take a moment, and only when the lock
// is to be had at once; a table in use gets the plain VACUUM, after which no statement and no dump finds the old rows, and is left
// for a later scrub. Large ones get no more than that; what stays in freed places of their pages goes when an operator rewrites
// them in a quiet hour. Segments of the write-ahead log go in PostgreSQL's own time.
const (
	rewriteBelow = 32 << 20        // bytes of a table with its indexes
	rewriteWait  = "10ms"          // others queue behind whoever waits for the whole table
	turnWait     = "1s"            // for another node's scrub
	oldestWait   = 2 * time.Second // for transactions that may still see what was erased
)

// Scrub rewrites small tables and vacuums the others.
func (e *Engine) Scrub(ctx context.Context, tables []string) (left []string, err error) {
	conn, err := e.pool.Acquire(ctx)
	if err != nil {
		return nil, engine.Unavailable(err)
	}
	defer conn.Release()
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

// cleaner is the connection of a scrub.
type cleaner struct {
	*pgx.Conn
	pooled bool
}

// begin waits for the turn of this scrub among those of all nodes. Behind a pooler there are no turns, because no lock outlives a
// statement there: of two scrubs that meet at a table one leaves it.
func (c *cleaner) begin(ctx context.Context) (mine bool, err error) {
	if c.pooled {
		return true, nil
	}
	if _, err := c.Exec(ctx, "SET lock_timeout = '"+turnWait+"'"); err != nil {
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
		c.Close(context.WithoutCancel(ctx)) // the pool drops it
	}
}

// lockNotAvailable is the error of who waited for a lock for too long, and the warning of a VACUUM that was not to wait.
const (
	lockNotAvailable = "55P03"
	skipped          = "skipped" // member of a connection's data: it has got such a warning
)

// locked reports whether a lock was not to be had in time.
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

// plainVacuum takes old rows out of a table and its indexes while others use it.
func (c *cleaner) plainVacuum(ctx context.Context, table string) (done bool, err error) {
	return c.vacuum(ctx, "INDEX_CLEANUP ON", table, turnWait)
}

// vacuum runs VACUUM; done is false when the table is in use for longer than wait, or behind a pooler at all.
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

// awaitOldest waits a moment until no transaction of this database is older than now, and reports whether one still is: until then VACUUM
// must keep what it may still see.
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
