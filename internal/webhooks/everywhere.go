package webhooks

import (
	"entrepot/internal/base/id"
	"entrepot/internal/base/spans"
	"entrepot/internal/db"
)

// The statements of this file serve every tenant: they are what /metrics shows of all queues.

// Waiting is an endpoint's pending deliveries.
type Waiting struct {
	Tenant   id.Tenant
	Endpoint id.Endpoint
	Pending  int64
	Since    int64 // of the oldest of them, in microseconds since 1970, up to an hour too early, or ten seconds if it is from the last hour
}

// LongestQueues reads the queues with the most pending deliveries, at most limit of them. The ages come from the
// maintained figures, so that a queue of a million deliveries costs no more than one of ten.
func LongestQueues(tx *db.Tx, limit int) ([]Waiting, error) {
	list, err := db.List(tx, func(r db.Rows) (w Waiting, err error) { return w, r.Scan(&w.Tenant, &w.Endpoint, &w.Pending) },
		"SELECT tenant_id, endpoint_id, pending FROM queues WHERE pending > 0 ORDER BY pending DESC, tenant_id, endpoint_id LIMIT $1::BIGINT", limit)
	for i := range list {
		if err == nil {
			list[i].Since, err = list[i].oldest(tx)
		}
	}
	return list, err
}

// oldest finds the first bucket with a pending delivery: a day, then an hour of that day, then seconds of that hour.
func (w Waiting) oldest(tx *db.Tx) (since int64, err error) {
	first, last := int64(0), int64(spans.Last)
	for _, at := range []int{spans.Days, spans.Hours, spans.Seconds} {
		width := spans.Widths[at]
		if at == spans.Seconds && tx.Micros()-since > 2*spans.Widths[spans.Hours] {
			break
		}
		var found int64
		err := tx.Row(`SELECT min(bucket) FROM delivery_figures WHERE tenant_id = $1 AND endpoint_id = $2::UUID AND span = $3
			AND bucket >= $4 AND bucket < $5 AND pending > 0`, []any{w.Tenant, w.Endpoint, width, first, last}, db.Opt(&found))
		if err != nil || found == 0 {
			return since, err
		}
		since, first, last = found, found, found+width
	}
	return since, nil
}
