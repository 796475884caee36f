package db

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the store to this program's schema and tells how many steps it took. Steps are files numbered from 1,
// never edited once released; each runs in one transaction together with the note that it ran.
func (d *DB) Migrate(ctx context.Context) (int, error) {
	have, err := d.version(ctx)
	if err != nil {
		return 0, err
	}
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return 0, err
	}
	if have > len(names) {
		return 0, fmt.Errorf("the store is at schema %d, this program knows %d: use a newer entrepot", have, len(names))
	}
	ran := 0
	for i, name := range names {
		if i < have {
			continue
		}
		text, err := migrations.ReadFile(name)
		if err != nil {
			return ran, err
		}
		if err := d.engine.script(ctx, d.dialect(string(text))+note(i+1)); err != nil {
			if now, again := d.version(ctx); again == nil && now > i {
				continue // another node was first
			}
			return ran, fmt.Errorf("migration %s: %w", name, err)
		}
		ran++
	}
	if ran == 0 {
		return 0, nil
	}
	return ran, d.engine.walls(ctx)
}

func note(version int) string {
	return "\nINSERT INTO schema_versions (version) VALUES (" + strconv.Itoa(version) + ");"
}

// Current tells whether the store is at this program's schema.
func (d *DB) Current(ctx context.Context) (bool, error) {
	have, err := d.version(ctx)
	names, _ := fs.Glob(migrations, "migrations/*.sql")
	return have == len(names), err
}

func (d *DB) version(ctx context.Context) (int, error) {
	if err := d.engine.script(ctx, "CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT PRIMARY KEY);"); err != nil {
		return 0, fmt.Errorf("reading the schema's version: %w", err)
	}
	var version int
	err := d.Read(ctx, Across, func(tx *Tx) error {
		return tx.Row("SELECT coalesce(max(version), 0) FROM schema_versions", nil, &version)
	})
	return version, err
}

// dialect writes the few DDL words that differ: SQLite keeps ids as text and clusters some tables by their key. What only
// PostgreSQL has stands behind "--postgres " and is a comment to SQLite.
func (d *DB) dialect(ddl string) string {
	if d.Engine() == "sqlite" {
		return strings.NewReplacer(" UUID", " TEXT", "UNLOGGED ", "", ` COLLATE "C"`, "").Replace(ddl)
	}
	return strings.NewReplacer(") WITHOUT ROWID", ")", "--postgres ", "").Replace(ddl)
}
