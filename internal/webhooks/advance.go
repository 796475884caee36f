package webhooks

import (
	"time"

	"entrepot/internal/db"
)

// DueBetween is how many deliveries of the account wait for a moment after one time and until another.
func DueBetween(tx *db.Tx, after, until int64) (n int64, err error) {
	return n, tx.Row("SELECT count(*) FROM deliveries WHERE tenant_id = $1 AND due_at > $2 AND due_at <= $3",
		[]any{tx.Tenant, after, until}, &n)
}

// Advance makes every delivery of the account due earlier by a duration, and has its queues read again. It is how
// endpoints see the clock of a sandbox account advance (interface §6.2).
func Advance(tx *db.Tx, by time.Duration) error {
	if err := lockEndpoints(tx); err != nil {
		return err
	}
	endpoints, err := db.List(tx, scanEndpointID, "SELECT endpoint_id FROM queues WHERE tenant_id = $1 ORDER BY endpoint_id", tx.Tenant)
	if err != nil {
		return err
	}
	lockQueues(tx, tx.Change, endpoints)
	for piece := range db.Pieces(endpoints) { // and no others: what has no queue, or got one meanwhile, is not locked
		args := append([]any{tx.Tenant, by.Microseconds()}, db.Padded(piece)...)
		tx.Change("UPDATE deliveries SET due_at = due_at - $2::BIGINT WHERE tenant_id = $1 AND due_at IS NOT NULL AND endpoint_id IN "+
			db.In(len(args)-2, 3), args...)
	}
	tx.Queue("UPDATE endpoints SET old_secret_until = old_secret_until - $2::BIGINT WHERE tenant_id = $1 AND old_secret_until > 0",
		tx.Tenant, by.Microseconds())
	tx.Change("UPDATE queues SET due_at = $2 WHERE tenant_id = $1 AND pending > 0", tx.Tenant, tx.Micros())
	tx.Wake(Due)
	return nil
}
