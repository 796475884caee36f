package webhooks

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Health is how the newest attempts of an endpoint went, at most healthAttempts of them.
type Health struct {
	Attempts    int64
	Answered    int64 // with 2xx
	LastAttempt int64 // microseconds, 0 for none
	LastError   string
}

// healthAttempts is how many attempts an endpoint is judged by.
const healthAttempts = 50

// HealthOf reads how the endpoints do, in their order.
func HealthOf(tx *db.Tx, endpoints []id.Endpoint) ([]Health, error) {
	list := make([]Health, len(endpoints))
	reads := make([]*db.PendingRead, len(endpoints))
	for i, endpoint := range endpoints {
		h := &list[i]
		reads[i] = tx.Prefetch(func(r db.Rows) error {
			var at, status int64
			var text string
			if err := r.Scan(&at, db.Opt(&status), db.Opt(&text)); err != nil {
				return err
			}
			h.Attempts++
			if text == "" && status >= 200 && status < 300 {
				h.Answered++
			}
			if at > h.LastAttempt {
				h.LastAttempt, h.LastError = at, text
			}
			return nil
		}, "SELECT at, status_code, error FROM attempts WHERE tenant_id = $1 AND endpoint_id = $2::UUID ORDER BY position DESC, number "+
			"DESC LIMIT $3",
			tx.Tenant, endpoint, healthAttempts)
	}
	return list, db.WaitAll(reads)
}

// Tallies reads how many deliveries of each of the account's endpoints are in each state.
func Tallies(tx *db.Tx) (map[id.Endpoint]Counts, error) {
	counts := map[id.Endpoint]Counts{}
	return counts, tx.Each(func(r db.Rows) error {
		var endpoint id.Endpoint
		var c Counts
		err := r.Scan(&endpoint, &c.Pending, &c.Delivered, &c.Failed)
		counts[endpoint] = c
		return err
	}, "SELECT endpoint_id, pending, delivered, failed FROM queues WHERE tenant_id = $1", tx.Tenant)
}
