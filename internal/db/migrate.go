package db

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migration is one step of the schema: a file numbered from 1, never edited once released.
type migration struct {
	version  int
	name     string // of its file
	text     string
	checksum string // SHA-256 of the text, in hex
}

// knownMigrations are those of this program, in their order.
func knownMigrations() (list []migration, err error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	for i, file := range files {
		text, err := migrations.ReadFile(file)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		list = append(list, migration{version: i + 1, name: path.Base(file), text: string(text), checksum: hex.EncodeToString(sum[:])})
	}
	return list, nil
}

// Migrate brings the store to this program's schema and reports how many steps it took. Each step runs in one transaction together with
// the note that it ran. Errors: a store of a newer program, and one whose steps are not this program's, are left as they are.
func (d *DB) Migrate(ctx context.Context) (int, error) {
	known, err := knownMigrations()
	if err != nil {
		return 0, err
	}
	if err := d.makeVersions(ctx); err != nil {
		return 0, err
	}
	have, err := d.version(ctx)
	if err != nil {
		return 0, err
	}
	if err := d.sameHistory(ctx, known); err != nil {
		return 0, err
	}
	ran := 0
	for _, m := range known {
		if m.version <= have {
			continue
		}
		if err := d.engine.script(ctx, d.dialect(m.text)+m.note()); err != nil {
			if now, again := d.version(ctx); again == nil && now >= m.version {
				continue // another node was first
			}
			return ran, fmt.Errorf("migration %s: %w", m.name, err)
		}
		ran++
	}
	if ran == 0 {
		return 0, nil
	}
	return ran, d.engine.afterMigration(ctx)
}

// note says in the store that a migration ran.
func (m migration) note() string {
	return fmt.Sprintf("\nINSERT INTO schema_versions (version, name, checksum) VALUES (%d, '%s', '%s');", m.version, m.name, m.checksum)
}

// makeVersions makes the table of the migrations that ran. That of a store from before names and checksums were kept gets them.
func (d *DB) makeVersions(ctx context.Context) error {
	err := d.engine.script(ctx, `CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT PRIMARY KEY, name TEXT, checksum TEXT);`)
	if err == nil && d.engine.script(ctx, "SELECT name, checksum FROM schema_versions;") != nil {
		err = d.engine.script(ctx, "ALTER TABLE schema_versions ADD COLUMN name TEXT; ALTER TABLE schema_versions ADD COLUMN checksum TEXT;")
	}
	if err != nil {
		return fmt.Errorf("reading the schema's version: %w", err)
	}
	return nil
}

// sameHistory makes sure that what ran on the store is what this program would have run, and notes it where it was not noted yet.
func (d *DB) sameHistory(ctx context.Context, known []migration) error {
	var unnoted []migration
	err := d.Read(ctx, Across, func(tx *Tx) error {
		unnoted = unnoted[:0]
		return tx.Each(func(r Rows) error {
			var version int
			var name, checksum string
			if err := r.Scan(&version, Opt(&name), Opt(&checksum)); err != nil {
				return err
			}
			switch {
			case version > len(known):
				return fmt.Errorf("the store is at schema %d, this program knows %d: use a newer entrepot", version, len(known))
			case checksum == "":
				unnoted = append(unnoted, known[version-1])
			case checksum != known[version-1].checksum:
				return fmt.Errorf("the store was made by another version of migration %s (here %s): use the entrepot that made it, or restore a backup",
					name, known[version-1].name)
			}
			return nil
		}, "SELECT version, name, checksum FROM schema_versions ORDER BY version DESC")
	})
	if err != nil || len(unnoted) == 0 {
		return err
	}
	return d.Write(ctx, Across, func(tx *Tx) error {
		for _, m := range unnoted {
			tx.Queue("UPDATE schema_versions SET name = $2, checksum = $3 WHERE version = $1 AND checksum IS NULL", m.version, m.name, m.checksum)
		}
		return nil
	})
}

// Current reports whether the store is at this program's schema.
func (d *DB) Current(ctx context.Context) (bool, error) {
	known, err := knownMigrations()
	if err != nil {
		return false, err
	}
	if err := d.makeVersions(ctx); err != nil {
		return false, err
	}
	have, err := d.version(ctx)
	return have == len(known), err
}

func (d *DB) version(ctx context.Context) (version int, err error) {
	err = d.Read(ctx, Across, func(tx *Tx) error {
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
