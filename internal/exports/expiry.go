package exports

import "entrepot/internal/db"

// partsAtOnce is how many pieces of files one step deletes.
const partsAtOnce = 32

// DeleteExpired deletes up to limit files past their retention, some pieces at a time, and the rows of exports whose jobs are
// deleted by then; it returns limit if there may be more. It serves every tenant.
func DeleteExpired(tx *db.Tx, limit int) (int64, error) {
	const over = "SELECT tenant_id, id FROM exports WHERE expires_at < $1 AND stored > 0"
	n, err := tx.Exec("DELETE FROM export_parts WHERE (tenant_id, export_id, position) IN (SELECT tenant_id, export_id, position FROM export_parts "+
		"WHERE (tenant_id, export_id) IN ("+over+") LIMIT $2::BIGINT)", tx.Micros(), partsAtOnce)
	if err != nil {
		return 0, err
	}
	if n == partsAtOnce {
		return int64(limit), nil
	}
	if _, err := tx.Exec("UPDATE exports SET stored = 0, stage = CASE WHEN stage = 'open' THEN 'gone' ELSE stage END "+
		"WHERE expires_at < $1 AND (stored > 0 OR stage = 'open')", tx.Micros()); err != nil {
		return 0, err
	}
	return tx.Exec("DELETE FROM exports WHERE expires_at < $1 AND (tenant_id, id) IN (SELECT tenant_id, id FROM exports WHERE expires_at < $1 "+
		"ORDER BY expires_at LIMIT $2::BIGINT)", tx.Now().Add(Keep-KeepRow).UnixMicro(), limit)
}

// Forget queues that the account's files with persons are deleted, whoever is in them: they are packed and cannot be searched.
// A job that writes one ends without a file.
func Forget(tx db.Writer) {
	const personal = "tenant_id = $1 AND kind IN ('orders', 'customers') AND (stored > 0 OR stage = 'open')"
	tx.Queue("DELETE FROM export_parts WHERE tenant_id = $1 AND export_id IN (SELECT id FROM exports WHERE "+personal+")", tx.TenantID())
	tx.Queue("UPDATE exports SET stage = 'gone', stored = 0, expires_at = $2 WHERE "+personal, tx.TenantID(), tx.Micros())
}
