package db

import (
	"context"
	"errors"
	"fmt"

	"entrepot/internal/db/migrations"
)

// Migrate brings the store to this program's schema and returns how many migrations it ran. Each migration and the
// record that it ran are one transaction. Errors: the store belongs to a newer program, or its migrations differ from
// this program's; it is then left unchanged. Migrations of an older store are logged as they begin, since they may
// take minutes.
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
		if have > 0 { // a new store has no rows, and is there at once
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

// makeVersions creates the table of the migrations that ran.
func (d *DB) makeVersions(ctx context.Context) error {
	err := d.engine.Script(ctx, `CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL);`)
	if err != nil {
		return fmt.Errorf("reading the schema's version: %w", err)
	}
	return nil
}

// sameHistory checks that the migrations that ran on the store are this program's.
func (d *DB) sameHistory(ctx context.Context, known []migrations.Migration) error {
	return d.Read(ctx, Across, func(tx *Tx) error {
		return tx.Each(func(r Rows) error {
			var version int
			var name, checksum string
			if err := r.Scan(&version, Opt(&name), Opt(&checksum)); err != nil {
				return err
			}
			switch {
			case version > len(known):
				return migrations.Unknown("the store", version)
			case version == 1 && checksum != known[0].Checksum:
				return errors.New("the store was made by a development version from before 0.1.0: use that program to export its data, and " +
					"import them into a new store")
			case checksum != known[version-1].Checksum:
				return fmt.Errorf("the store was made by another version of migration %s (here %s): use the entrepot that made it, or restore "+
					"a backup", name, known[version-1].Name)
			}
			return nil
		}, "SELECT version, name, checksum FROM schema_versions ORDER BY version")
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

// Newer reports whether a program with more migrations than this one has brought the store to its schema.
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
