package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/db/engine"
)

// checkEncoding reports a database that cannot store every text. In one without an encoding (SQL_ASCII) texts are
// stored as they come, which is UTF-8.
func checkEncoding(database, encoding string) error {
	if encoding == "UTF8" || encoding == "SQL_ASCII" {
		return nil
	}
	return fmt.Errorf("the database %s stores texts as %s, which lacks most letters of the world: make one with "+
		"CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0", database, encoding)
}

// Places is how many connections the server accepts from roles without privileges; 0 behind a pooler, which has a
// bound of its own.
func (e *Engine) Places(ctx context.Context) (n int, err error) {
	if e.pooled {
		return 0, nil
	}
	conn, release, err := e.pool.acquire(ctx)
	if err != nil {
		return 0, engine.Unavailable(err)
	}
	defer release()
	err = conn.QueryRow(ctx,
		"SELECT current_setting('max_connections')::INT - current_setting('superuser_reserved_connections')::INT").Scan(&n)
	return n, err
}

// Lax lists the settings of the server, such as "fsync = off", with which a power cut may lose what was acknowledged.
func (e *Engine) Lax(ctx context.Context) ([]string, error) {
	conn, release, err := e.pool.acquire(ctx)
	if err != nil {
		return nil, engine.Unavailable(err)
	}
	defer release()
	rows, err := conn.Query(ctx, `SELECT name || ' = ' || setting FROM pg_settings
		WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name COLLATE "C"`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
