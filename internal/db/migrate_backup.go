package db

import (
	"context"
	"fmt"

	"entrepot/internal/db/migrations"
	"entrepot/internal/db/sqlite"
)

// secure makes sure that there is a way back before migrations run on a store with accounts. A SQLite store is copied
// beside itself; on PostgreSQL the administrator must have a backup, if a migration rewrites tables.
func (d *DB) secure(ctx context.Context, have int, pending []migrations.Migration) error {
	if have < migrations.First { // another process is making the store
		return nil
	}
	var accounts int64
	err := d.Read(ctx, Across, func(tx *Tx) error { return tx.Row("SELECT count(*) FROM change_clocks", nil, &accounts) })
	if err != nil || accounts == 0 {
		return err
	}
	if e, ok := d.engine.(*sqlite.Engine); ok {
		if d.unsafe {
			return nil
		}
		path, err := e.KeepCopy(have, d.Now())
		if err != nil {
			return fmt.Errorf("before the migration to the schema %d: %w", len(d.known), err)
		}
		d.log.Info("the store was copied before its migration; entrepot restore takes it back", "file", path, "schema", have)
		return nil
	}
	for _, m := range pending {
		if m.Rewrites != "" && !d.hasBackup {
			return fmt.Errorf("migration %s rewrites %s, which takes time and room, and only a backup leads back: make one (entrepot backup "+
				"FILE), then run entrepot migrate --yes-i-have-a-backup", m.Name, m.Rewrites)
		}
	}
	return nil
}
