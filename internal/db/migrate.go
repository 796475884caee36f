package db

import (
	"context"
	"fmt"

	"entrepot/internal/db/migrations"
)

// Migrate brings the store to this program's schema and returns how many migrations it ran. Each migration commits
// together with the record that it ran. Migrations of an older store are logged as they begin, because they may take
// minutes. Errors: the store belongs to a newer program, or its migrations differ from this program's; the store is
// then unchanged.
func (d *DB) Migrate(ctx context.Context) (int, error) {
	known := migrations.Known()
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
		if m.Version <= have {
			continue
		}
		if have > 0 { // a new store has no rows and is made at once
			d.log.Info("migrating the store", "migration", m.Name, "of", len(known))
		}
		if err := d.engine.Script(ctx, d.engine.DDL(m.Text)+m.Note()); err != nil {
			if now, again := d.version(ctx); again == nil && now >= m.Version {
				continue // another node ran it first
			}
			return ran, fmt.Errorf("migration %s: %w", m.Name, err)
		}
		ran++
	}
	if ran == 0 {
		if prepared, err := d.engine.Prepared(ctx); prepared || err != nil {
			return 0, err
		}
	}
	return ran, d.engine.AfterMigration(ctx)
}

// makeVersions creates the table of the migrations that ran. In a store older than names and checksums it adds those columns.
func (d *DB) makeVersions(ctx context.Context) error {
	err := d.engine.Script(ctx, `CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT PRIMARY KEY, name TEXT, checksum TEXT);`)
	if err == nil && d.engine.Script(ctx, "SELECT name, checksum FROM schema_versions;") != nil {
		err = d.engine.Script(ctx, "ALTER TABLE schema_versions ADD COLUMN name TEXT; ALTER TABLE schema_versions ADD COLUMN checksum TEXT;")
	}
	if err != nil {
		return fmt.Errorf("reading the schema's version: %w", err)
	}
	return nil
}

// sameHistory checks that the store's migrations are this program's, and adds missing names and checksums.
func (d *DB) sameHistory(ctx context.Context, known []migrations.Migration) error {
	var unnoted []migrations.Migration
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
				return migrations.Unknown("the store", version)
			case checksum == "":
				unnoted = append(unnoted, known[version-1])
			case checksum != known[version-1].Checksum:
				return fmt.Errorf("the store was made by another version of migration %s (here %s): use the entrepot that made it, or restore a backup",
					name, known[version-1].Name)
			}
			return nil
		}, "SELECT version, name, checksum FROM schema_versions ORDER BY version DESC")
	})
	if err != nil || len(unnoted) == 0 {
		return err
	}
	return d.Write(ctx, Across, func(tx *Tx) error {
		for _, m := range unnoted {
			tx.Queue("UPDATE schema_versions SET name = $2, checksum = $3 WHERE version = $1 AND checksum IS NULL", m.Version, m.Name, m.Checksum)
		}
		return nil
	})
}

// Current reports whether the store has this program's schema.
func (d *DB) Current(ctx context.Context) (bool, error) {
	if err := d.makeVersions(ctx); err != nil {
		return false, err
	}
	have, err := d.version(ctx)
	return have == len(migrations.Known()), err
}

// Newer reports whether a newer program, with more migrations than this one, has changed the store's schema.
func (d *DB) Newer(ctx context.Context) (bool, error) {
	have, err := d.version(ctx)
	return have > len(migrations.Known()), err
}

func (d *DB) version(ctx context.Context) (version int, err error) {
	err = d.Read(ctx, Across, func(tx *Tx) error {
		return tx.Row("SELECT coalesce(max(version), 0) FROM schema_versions", nil, &version)
	})
	return version, err
}
