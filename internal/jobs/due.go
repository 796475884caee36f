package jobs

import "entrepot/internal/db"

// DueBetween is how many jobs of the account, without operations, wait for a moment after one time and until another.
func DueBetween(tx *db.Tx, after, until int64) (n int64, err error) {
	return n, tx.Row("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND status = 'PENDING' AND due_at > $2 AND due_at <= $3 AND "+isShown,
		[]any{tx.Tenant, after, until}, &n)
}
