package postgres

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/db/engine"
)

// Files reads the files of this database, if the server runs on this machine and this user may read them. Each is
// named after the table or index that it holds.
func (e *Engine) Files(ctx context.Context, each func(name string, content io.Reader) error) ([]string, error) {
	conn, release, err := e.pool.acquire(ctx)
	if err != nil {
		return nil, engine.Unavailable(err)
	}
	defer release()
	c := conn.Conn()
	c.Exec(ctx, "CHECKPOINT") // writes what is in memory only; if the role may not, Texts still shows it
	const log = "PostgreSQL's write-ahead log and its archive: their segments go in the server's own time"
	var data, base string
	err = c.QueryRow(ctx,
		"SELECT current_setting('data_directory'), (SELECT 'base/' || oid FROM pg_database WHERE datname = current_database())").Scan(&data,
		&base)
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
			continue // dropped since the list was read
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

// relationFiles maps each file number to the table or index that it belongs to.
func relationFiles(ctx context.Context, c *pgx.Conn) (map[string]string, error) {
	rows, err := c.Query(ctx,
		"SELECT pg_relation_filenode(oid)::TEXT, relname::TEXT FROM pg_class WHERE pg_relation_filenode(oid) IS NOT NULL")
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
