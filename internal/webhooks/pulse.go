package webhooks

import "entrepot/internal/db"

// Pulse changes whenever an account has a new event or the outcome of a delivery was stored. Reading it reads the end
// of the log and one row for each endpoint.
type Pulse struct {
	Event  int64    // stamp of the newest one
	Queues [4]int64 // sums over the endpoints: pending, delivered, failed, and when they are due
}

// ReadPulse reads the pulse.
func ReadPulse(tx *db.Tx) (p Pulse, err error) {
	if p.Event, err = Newest(tx); err != nil {
		return p, err
	}
	return p, tx.Row("SELECT coalesce(sum(pending), 0)::BIGINT, coalesce(sum(delivered), 0)::BIGINT, coalesce(sum(failed), 0)::BIGINT, "+
		"coalesce(sum(due_at), 0)::BIGINT FROM queues WHERE tenant_id = $1", []any{tx.Tenant},
		&p.Queues[0], &p.Queues[1], &p.Queues[2], &p.Queues[3])
}

// pulseNames limits the events that NamesSince reads.
const pulseNames = 5_000

// NamesSince returns the kinds of events after a stamp, each once; if there are very many events, the kinds of the
// newest.
func NamesSince(tx *db.Tx, stamp int64) ([]string, error) {
	return db.List(tx, func(r db.Rows) (name string, err error) { return name, r.Scan(&name) },
		"SELECT DISTINCT e.event FROM (SELECT event FROM events WHERE tenant_id = $1 AND stamp > $2 ORDER BY stamp DESC LIMIT $3) e ORDER BY 1",
		tx.Tenant, stamp, pulseNames)
}
