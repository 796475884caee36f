package db

import "context"

// Versions is how many migrations this program has.
func Versions() (int, error) {
	known, err := knownMigrations()
	return len(known), err
}

// RunMigration runs one migration alone, as the program did that had it as its newest.
func (d *DB) RunMigration(ctx context.Context, version int) error {
	known, err := knownMigrations()
	if err != nil {
		return err
	}
	if err := d.makeVersions(ctx); err != nil {
		return err
	}
	m := known[version-1]
	return d.engine.script(ctx, d.dialect(m.text)+m.note())
}

// Script runs statements as they are.
func (d *DB) Script(ctx context.Context, sql string) error { return d.engine.script(ctx, sql) }
