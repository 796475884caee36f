package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// PostgreSQL keeps a changed row's old version until VACUUM, and VACUUM frees its place without overwriting it. Rewriting a table
// (VACUUM FULL) leaves nothing, but keeps everybody away meanwhile: done here for tables that take a moment, and only when the lock
// is to be had at once. Larger ones get the plain VACUUM, after which no statement and no dump finds the old rows; what stays in
// freed places of their pages goes when an operator rewrites them in a quiet hour. Segments of the write-ahead log go in
// PostgreSQL's own time.
const (
	rewriteBelow = 32 << 20 // bytes of a table with its indexes
	lockWait     = "40ms"   // others queue behind whoever waits for the whole table
	rewriteTries = 12
	oldestWait   = 10 * time.Second
)

func (e *postgresEngine) scrub(ctx context.Context, tables []string) error {
	conn, err := e.pool.Acquire(ctx)
	if err != nil {
		return unavailable(err)
	}
	defer conn.Release()
	c := conn.Conn()
	if err := awaitOldest(ctx, c); err != nil {
		return err
	}
	defer c.Exec(context.WithoutCancel(ctx), "RESET lock_timeout")
	var busy []string
	for _, table := range tables {
		done, err := rewrite(ctx, c, table)
		if err != nil {
			return err
		}
		if !done {
			if _, err := plainVacuum(ctx, c, table); err != nil {
				return err
			}
			busy = append(busy, table)
		}
	}
	for try := 1; len(busy) > 0 && try < rewriteTries; try++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(try) * 50 * time.Millisecond):
		}
		var still []string
		for _, table := range busy {
			done, err := rewrite(ctx, c, table)
			if err != nil {
				return err
			}
			if !done {
				still = append(still, table)
			}
		}
		busy = still
	}
	if len(busy) > 0 {
		return fmt.Errorf("%s: too busy to be rewritten now; no statement finds what was erased", strings.Join(busy, ", "))
	}
	return nil
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
	if _, err := c.Exec(ctx, "SET lock_timeout = '"+lockWait+"'"); err != nil {
		return false, err
	}
	_, err = c.Exec(ctx, "VACUUM (FULL) "+table)
	var pg *pgconn.PgError
	if errors.As(err, &pg) && (pg.Code == "55P03" || pg.Code == "40P01") {
		return false, nil // a lock was not to be had
	}
	if err != nil {
		return false, fmt.Errorf("rewriting %s: %w", table, err)
	}
	return true, nil
}

// plainVacuum takes old rows out of a table and its indexes while others use it.
func plainVacuum(ctx context.Context, c *pgx.Conn, table string) (done bool, err error) {
	if _, err := c.Exec(ctx, "RESET lock_timeout"); err != nil {
		return false, err
	}
	if _, err := c.Exec(ctx, "VACUUM (INDEX_CLEANUP ON) "+table); err != nil {
		return false, fmt.Errorf("vacuum of %s: %w", table, err)
	}
	return true, nil
}

// awaitOldest waits until no transaction of this database is older than now: until then VACUUM must keep what they may still see.
func awaitOldest(ctx context.Context, c *pgx.Conn) error {
	var now int64
	if err := c.QueryRow(ctx, "SELECT txid_current() % 4294967296").Scan(&now); err != nil {
		return err
	}
	for end := time.Now().Add(oldestWait); ; {
		var older int64
		err := c.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
			AND backend_type <> 'autovacuum worker' AND backend_xmin IS NOT NULL AND age(backend_xmin) > age($1::TEXT::XID)`, fmt.Sprint(now)).Scan(&older)
		if err != nil || older == 0 {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%d older transactions keep what was erased visible to them", older)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (e *postgresEngine) texts(ctx context.Context, each func(table, column, text string) error) error {
	return e.read(ctx, Across, true, func(tx *Tx) error {
		columns := map[string][]string{}
		var tables []string
		err := tx.Each(func(r Rows) error {
			var table, column string
			err := r.Scan(&table, &column)
			if columns[table] == nil {
				tables = append(tables, table)
			}
			columns[table] = append(columns[table], column)
			return err
		}, `SELECT c.table_name::TEXT, c.column_name::TEXT FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
			WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE' AND c.data_type = 'text' ORDER BY c.table_name, c.ordinal_position`)
		if err != nil {
			return err
		}
		for _, table := range tables {
			if err := everyText(tx, table, columns[table], each); err != nil {
				return err
			}
		}
		return nil
	})
}

// files reads the files of this database, when the server runs on this machine and lets this user read them. Names are those of
// the tables and indexes that the files hold.
func (e *postgresEngine) files(ctx context.Context, each func(name string, content io.Reader) error) ([]string, error) {
	conn, err := e.pool.Acquire(ctx)
	if err != nil {
		return nil, unavailable(err)
	}
	defer conn.Release()
	c := conn.Conn()
	c.Exec(ctx, "CHECKPOINT") // what is in memory only would be missed; where the role may not, the texts still show it
	const log = "PostgreSQL's write-ahead log and its archive: their segments go in the server's own time"
	var data, base string
	err = c.QueryRow(ctx, "SELECT current_setting('data_directory'), (SELECT 'base/' || oid FROM pg_database WHERE datname = current_database())").Scan(&data, &base)
	if err != nil {
		return []string{"PostgreSQL's files: the role may not know where they are", log}, nil
	}
	folder := filepath.Join(data, base)
	names, err := relationFiles(ctx, c)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return []string{"PostgreSQL's files in " + folder + ": they are on another machine or not for this user", log}, nil
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			continue
		}
		file, err := os.Open(filepath.Join(folder, entry.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // dropped meanwhile
		}
		if err != nil {
			return []string{"PostgreSQL's files in " + folder + ": " + err.Error(), log}, nil
		}
		number, _, _ := strings.Cut(entry.Name(), ".")
		number, _, _ = strings.Cut(number, "_")
		name := names[number]
		if name == "" {
			name = entry.Name()
		}
		err = each(name, file)
		file.Close()
		if err != nil {
			return nil, err
		}
	}
	return []string{log}, nil
}

// relationFiles tells which table or index each file number belongs to.
func relationFiles(ctx context.Context, c *pgx.Conn) (map[string]string, error) {
	rows, err := c.Query(ctx, "SELECT pg_relation_filenode(oid)::TEXT, relname::TEXT FROM pg_class WHERE pg_relation_filenode(oid) IS NOT NULL")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names := map[string]string{}
	for rows.Next() {
		var number, name string
		if err := rows.Scan(&number, &name); err != nil {
			return nil, err
		}
		names[number] = name
	}
	return names, rows.Err()
}
