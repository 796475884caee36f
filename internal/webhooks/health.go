package webhooks

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Health sums up the newest attempts of an endpoint, at most healthAttempts of them.
type Health struct {
	Attempts    int64
	Answered    int64 // with 2xx
	LastAttempt int64 // microseconds, 0 for none
	LastError   string
}

// leastFailed is how many attempts in a row must have failed before an endpoint counts as failing.
const leastFailed = 3

// Failing reports whether none of the newest attempts, at least three, was answered with 2xx.
func (h Health) Failing() bool { return h.Attempts >= leastFailed && h.Answered == 0 }

// CountFailing counts the account's endpoints that are Failing, or paused although nobody paused them.
func CountFailing(tx *db.Tx) (n int64, err error) {
	failing := tx.Prefetch(func(r db.Rows) error { return r.Scan(&n) }, `SELECT count(*) FROM endpoints e WHERE e.tenant_id = $1 AND e.deleted_at IS NULL AND (
		SELECT CASE WHEN count(*) >= $2::BIGINT AND max(`+answered+`) = 0 THEN TRUE ELSE FALSE END
		FROM (SELECT status_code, error FROM attempts WHERE tenant_id = $1 AND endpoint_id = e.id ORDER BY position DESC, number DESC
			LIMIT $3::BIGINT) t)`, tx.Tenant, leastFailed, healthAttempts)
	made, err := readEndpoints(tx, "") // in one message with the count
	if err == nil {
		err = failing.Wait()
	}
	for i := range made {
		if made[i].PausedReason() != "" {
			n++
		}
	}
	return n, err
}

// healthAttempts is how many of the newest attempts Health reads.
const healthAttempts = 50

// HealthOf reads the health of endpoints, in their order.
func HealthOf(tx *db.Tx, endpoints []id.Endpoint) ([]Health, error) {
	list := make([]Health, len(endpoints))
	reads := make([]*db.PendingRead, len(endpoints))
	for i, endpoint := range endpoints {
		h, scan := &list[i], triedTable.Scanner()
		reads[i] = tx.Prefetch(func(r db.Rows) error {
			a, err := scan(r)
			if err != nil {
				return err
			}
			h.Attempts++
			if a.Answered() {
				h.Answered++
			}
			if a.At > h.LastAttempt {
				h.LastAttempt, h.LastError = a.At, a.Error
			}
			return nil
		}, triedTable.Select("")+" WHERE tenant_id = $1 AND endpoint_id = $2::UUID ORDER BY position DESC, number DESC LIMIT $3",
			tx.Tenant, endpoint, healthAttempts)
	}
	return list, db.WaitAll(reads)
}

// Tallies reads the counts of deliveries by state for each of the account's endpoints.
func Tallies(tx *db.Tx) (map[id.Endpoint]Counts, error) {
	counts := map[id.Endpoint]Counts{}
	return counts, tx.Each(func(r db.Rows) error {
		var endpoint id.Endpoint
		var c Counts
		err := r.Scan(append([]any{&endpoint}, countTable.Places(&c)...)...)
		counts[endpoint] = c
		return err
	}, "SELECT endpoint_id, "+countTable.Columns("")+" FROM queues WHERE tenant_id = $1", tx.Tenant)
}
