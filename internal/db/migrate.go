package db

import (
	"context"
	"errors"
	"fmt"

	"entrepot/internal/db/migrations"
)

// Migrate brings the store to this program's schema and returns how many migrations it ran. Each migration and the
// record that it ran are one transaction. A store with a newer schema stays as it is, if that is compatible with this
// program. Before an older store with accounts is changed, a SQLite store is copied, and on PostgreSQL a migration that
// rewrites tables needs Config.HasBackup (migrate_backup.go). Errors: the schema is not compatible, the store's
// migrations differ from this program's, the backup is missing or has no room; the store is then left unchanged.
// Migrations of an older store are logged as they begin, since they may take minutes.
func (d *DB) Migrate(ctx context.Context) (int, error) {
	if err := d.makeVersions(ctx); err != nil {
		return 0, err
	}
	have, err := d.version(ctx)
	if err != nil {
		return 0, err
	}
	if err := d.sameHistory(ctx); err != nil {
		return 0, err
	}
	if have > 0 && have < len(d.known) {
		if err := d.secure(ctx, have, d.known[have:]); err != nil {
			return 0, err
		}
	}
	ran := 0
	for _, m := range d.known {
		if m.Version <= have {
			continue
		}
		if have > 0 { // a new store has no rows, and is there at once
			d.log.Info("migrating the store", "migration", m.Name, "of", len(d.known))
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

// sameHistory checks that the migrations that ran on the store are this program's, and that it can serve beside those
// that it does not have.
func (d *DB) sameHistory(ctx context.Context) error {
	err := d.Read(ctx, Across, func(tx *Tx) error {
		return tx.Each(func(r Rows) error {
			var version int
			var name, checksum string
			if err := r.Scan(&version, Opt(&name), Opt(&checksum)); err != nil {
				return err
			}
			switch {
			case version > len(d.known):
				return nil
			case version == 1 && checksum != d.known[0].Checksum:
				return errors.New("the store was made by a development version from before 0.1.0: use that program to export its data, and " +
					"import them into a new store")
			case checksum != d.known[version-1].Checksum:
				return fmt.Errorf("the store was made by another version of migration %s (here %s): use the entrepot that made it, or restore "+
					"a backup", name, d.known[version-1].Name)
			}
			return nil
		}, "SELECT version, name, checksum FROM schema_versions ORDER BY version")
	})
	if err == nil {
		err = d.Outdated(ctx)
	}
	return err
}

// Current reports whether this program can work on the store as it is: the store has this program's schema, or a newer
// one that is compatible with it.
func (d *DB) Current(ctx context.Context) (bool, error) {
	if err := d.makeVersions(ctx); err != nil {
		return false, err
	}
	have, err := d.version(ctx)
	if err == nil && have > len(d.known) {
		err = d.Outdated(ctx)
	}
	return have >= len(d.known), err
}

// Outdated returns an error if a newer program has brought the store to a schema that this one cannot serve.
func (d *DB) Outdated(ctx context.Context) error {
	have, err := d.version(ctx)
	if err != nil || have <= len(d.known) {
		return err
	}
	from := 0
	err = d.Read(ctx, Across, func(tx *Tx) error { // a program that knows less than the store has knows this column
		return tx.Row("SELECT max(coalesce(compatible_from, version)) FROM schema_versions WHERE version > $1", []any{len(d.known)}, &from)
	})
	if err != nil {
		return err
	}
	if unfit := migrations.Unknown("the store", len(d.known), have, from); unfit != nil {
		return &OutdatedError{unfit}
	}
	return nil
}

// OutdatedError is the error of Outdated for a store that this program cannot serve.
type OutdatedError struct{ error }

func (d *DB) version(ctx context.Context) (version int, err error) {
	err = d.Read(ctx, Across, func(tx *Tx) error {
		return tx.Row("SELECT coalesce(max(version), 0) FROM schema_versions", nil, &version)
	})
	return version, err
}
