package jobs

import "entrepot/internal/db"

// Abandon ends every lease, and makes every operation due that was left. It is for a start after a crash, when no
// other process runs jobs of the store. It serves every tenant.
func Abandon(tx *db.Tx) (int64, error) {
	return tx.Exec("UPDATE jobs SET due_at = $1 WHERE (status = 'PROCESSING' AND tries > 0 OR subject IS NOT NULL) AND due_at > $1", tx.Micros())
}
