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
	c := conn.Conn()
	defer func() {
		if _, reset := c.Exec(context.WithoutCancel(ctx), "RESET lock_timeout; SELECT pg_advisory_unlock_all()"); reset != nil {
			c.Close(context.WithoutCancel(ctx)) // the pool drops it
		}
	}()
	if _, err := c.Exec(ctx, "SET lock_timeout = '"+turnWait+"'"); err != nil {
		return nil, err
	}
	if _, err := c.Exec(ctx, "SELECT "+scrubLock); err != nil {
		return tables, ignoreLocked(err)
	}
	if older, err := awaitOldest(ctx, c); err != nil || older {
		return tables, err
	}
	for _, table := range tables {
		done, err := rewrite(ctx, c, table)
		if err != nil {
			return nil, err
		}
		if !done {
			left = append(left, table)
		}
	}
	for _, table := range left {
		if _, err := plainVacuum(ctx, c, table); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// ignoreLocked is nil for a lock that was not to be had in time.
func ignoreLocked(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && (pg.Code == "55P03" || pg.Code == "40P01") {
		return nil
	}
	return err
}

// rewrite rewrites a table, or vacuums a large one; done is false when it is in use.
func rewrite(ctx context.Context, c *pgx.Conn, table string) (done bool, err error) {
	var size int64
	if err := c.QueryRow(ctx, "SELECT pg_total_relation_size($1::TEXT::REGCLASS)", table).Scan(&size); err != nil {
		return false, err
	}
	if size >= rewriteBelow {
		return plainVacuum(ctx, c, table)
	}
	if _, err := c.Exec(ctx, "SET lock_timeout = '"+rewriteWait+"'"); err != nil {
		return false, err
	}
	if _, err = c.Exec(ctx, "VACUUM (FULL) "+table); err != nil {
		if err = ignoreLocked(err); err != nil {
			err = fmt.Errorf("rewriting %s: %w", table, err)
		}
		return false, err
	}
	return true, nil
}

// plainVacuum takes old rows out of a table and its indexes while others use it.
func plainVacuum(ctx context.Context, c *pgx.Conn, table string) (done bool, err error) {
	if _, err := c.Exec(ctx, "SET lock_timeout = '"+turnWait+"'"); err != nil {
		return false, err
	}
	if _, err := c.Exec(ctx, "VACUUM (INDEX_CLEANUP ON) "+table); err != nil {
		if err = ignoreLocked(err); err != nil {
			err = fmt.Errorf("vacuum of %s: %w", table, err)
		}
		return false, err
	}
	return true, nil
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
