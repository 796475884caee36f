package channels

import "entrepot/internal/db"

// DeleteExpired deletes remembered notifications whose time has ended, at most limit of them, and returns how many.
// It serves every tenant.
func DeleteExpired(tx *db.Tx, limit int) (int64, error) {
	return tx.Exec(`DELETE FROM notifications WHERE expires_at < $1 AND (tenant_id, channel_id, key) IN
		(SELECT tenant_id, channel_id, key FROM notifications WHERE expires_at < $1 ORDER BY expires_at LIMIT $2::BIGINT)`, tx.Micros(), limit)
}
