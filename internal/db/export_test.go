package db

import (
	"context"
	"time"

	"entrepot/internal/db/migrations"
)

// RunMigration runs one migration alone, as the program did that had it as its newest.
func (d *DB) RunMigration(ctx context.Context, version int) error {
	if err := d.makeVersions(ctx); err != nil {
		return err
	}
	m := migrations.Known()[version-1]
	return d.engine.Script(ctx, d.engine.DDL(m.Text)+m.Note())
}

// Others is how many transactions others have committed since the piece began.
func (p *Pace) Others() int64 { return p.db.others.Load() - p.others }

// OthersWrote says how long ago others have written last.
func (d *DB) OthersWrote(ago time.Duration) { d.otherAt.Store(time.Now().Add(-ago).UnixNano()) }

// Script runs statements as they are.
func (d *DB) Script(ctx context.Context, sql string) error { return d.engine.Script(ctx, sql) }

// AfterMigrations does what follows the last migration.
func (d *DB) AfterMigrations(ctx context.Context) error { return d.engine.AfterMigration(ctx) }
