package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/db/engine"
)

// Copied describes a copy of a PostgreSQL store.
type Copied struct {
	Tables  int
	Rows    int64
	Bytes   int64
	Program string // the PostgreSQL program that did it, for people to read
}

// CopyDatabase writes a consistent copy of the PostgreSQL store at an address into a new file, with PostgreSQL's own
// pg_dump, while others may read and write the store. Row-level security hides all rows from a session that names no
// account, so pg_dump runs with access to all of them, and the rows of every table in the copy are counted against the
// store on the same snapshot. A copy that lacks rows is an error; no file is left after an error. Errors: the file
// exists.
func CopyDatabase(ctx context.Context, address, to string) (made Copied, err error) {
	if exists(to) {
		return made, fmt.Errorf("%s exists already, it is not overwritten", to)
	}
	store, err := connectToCopy(ctx, address)
	if err != nil {
		return made, err
	}
	defer store.close()
	tx, err := store.conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return made, engine.Unavailable(err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	var snapshot string
	if err := tx.QueryRow(ctx, "SELECT pg_export_snapshot()").Scan(&snapshot); err != nil {
		return made, fmt.Errorf("holding the store still: %w", err)
	}
	counts, err := countRows(ctx, tx)
	if err != nil {
		return made, err
	}
	if _, ours := counts["schema_versions"]; !ours {
		return made, fmt.Errorf("%w in the database, in the schema %s: say where it is with --database", engine.ErrNoStore, store.schema)
	}
	tools, err := postgresTools(ctx, "pg_dump", store.major)
	if err != nil {
		return made, err
	}
	part := to + ".part"
	size, err := store.dump(ctx, tools[0], snapshot, part, counts)
	if err != nil {
		return made, err
	}
	if err := os.Rename(part, to); err != nil {
		os.Remove(part)
		return made, err
	}
	return Copied{Tables: len(counts), Rows: total(counts), Bytes: size, Program: tools[0].name()}, syncFolder(filepath.Dir(to))
}

// dump has pg_dump write a snapshot of the store into a file, which replaces an older one, and counts its rows. It
// returns the file's size when the disk holds it; after an error there is no file.
func (s *copying) dump(ctx context.Context, program tool, snapshot, to string, counts map[string]int64) (size int64, err error) {
	os.Remove(to) // of an earlier copy that was interrupted
	file, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() {
		file.Close()
		if err != nil {
			os.Remove(to)
		}
	}()
	err = s.run(ctx, file, program, "--format=custom", "--enable-row-security", "--no-owner", "--no-privileges",
		"--schema="+quoteIdent(s.schema), "--snapshot="+snapshot, "--dbname="+s.address)
	if err != nil {
		return 0, err
	}
	dump, err := readDump(ctx, to, s.major)
	if err == nil {
		err = sameRows("the copy", counts, dump.rows)
	}
	if err == nil {
		err = file.Sync()
	}
	if err != nil {
		return 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// copying is a connection to a PostgreSQL store, with the address by which PostgreSQL's programs reach the same store.
type copying struct {
	conn     *pgx.Conn
	schema   string
	major    int    // of the server's version
	address  string // without the password
	password string
}

func connectToCopy(ctx context.Context, address string) (*copying, error) {
	s := &copying{}
	var err error
	if s.address, s.password, err = programAddress(address, os.Getenv("PGOPTIONS")); err != nil {
		return nil, err
	}
	config, err := pgx.ParseConfig(s.address)
	if err != nil {
		return nil, errBadAddress
	}
	if s.password != "" {
		config.Password = s.password
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeExec // this mode also works behind a pooler
	if s.conn, err = pgx.ConnectConfig(ctx, config); err != nil {
		return nil, engine.Unavailable(err)
	}
	var schema *string
	err = s.conn.QueryRow(ctx, "SELECT current_schema(), current_setting('server_version_num')::INT / 10000").Scan(&schema, &s.major)
	if err == nil && schema == nil {
		err = errors.New("the database's address leads to no schema: the one that it names does not exist")
	}
	if err == nil {
		_, err = s.conn.Exec(ctx, "SELECT set_config('entrepot.tenant', '0', false)")
	}
	if err != nil {
		s.close()
		return nil, err
	}
	s.schema = *schema
	return s, nil
}

func (s *copying) close() { s.conn.Close(context.Background()) }

// run runs one of PostgreSQL's programs.
func (s *copying) run(ctx context.Context, out io.Writer, program tool, args ...string) error {
	env := os.Environ()
	if s.password != "" {
		env = append(env, "PGPASSWORD="+s.password)
	}
	return program.run(ctx, env, out, append([]string{"--no-password"}, args...)...)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// syncFolder returns when the disk holds the list of a folder's files.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
