package analytics

import (
	"errors"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Webhooks is how the deliveries of a span went. A delivery belongs to the time of its event, or of the replay that made it.
type Webhooks struct {
	Span
	Events    int64 // in the log
	Endpoints []Endpoint
	ByEvent   []EventCount
}

// Endpoint is how the deliveries of one endpoint went.
type Endpoint struct {
	ID          id.Endpoint
	URL         string
	Status      string
	Pending     int64
	Delivered   int64
	Failed      int64
	Attempts    int64
	Answered    int64 // attempts that delivered
	Duration    int64 // milliseconds over all attempts
	LastAttempt int64 // microseconds, 0 for none
	LastError   string
}

// EventCount is how often an event was to be delivered.
type EventCount struct {
	Event      string
	Deliveries int64
	Failed     int64
}

// ReadWebhooks reads the deliveries of a span, endpoint by endpoint.
func ReadWebhooks(tx *db.Tx, s Span) (Webhooks, error) {
	out := Webhooks{Span: s}
	err := count(tx, &out.Events, "SELECT count(*) FROM events WHERE tenant_id = $1 AND stamp >= $2 AND stamp <= $3 AND endpoint_id IS NULL",
		s.From, s.To)
	if err != nil {
		return out, err
	}
	out.Endpoints, err = db.List(tx, func(r db.Rows) (e Endpoint, err error) {
		return e, r.Scan(&e.ID, &e.URL, &e.Status, &e.Pending, &e.Delivered, &e.Failed, &e.LastAttempt, &e.Attempts, &e.Answered, &e.Duration,
			&e.LastError)
	}, `SELECT e.id, e.url, e.status, coalesce(d.pending, 0), coalesce(d.delivered, 0), coalesce(d.failed, 0), coalesce(d.newest, 0),
		coalesce(a.n, 0), coalesce(a.good, 0), coalesce(a.took, 0),
			coalesce((SELECT f.error FROM deliveries f WHERE f.tenant_id = e.tenant_id AND f.endpoint_id = e.id AND f.state <> 'delivered'
				AND f.error IS NOT NULL AND f.position >= $2 AND f.position <= $3
				ORDER BY f.attempted_at DESC LIMIT 1), '')
		FROM endpoints e
		LEFT JOIN (SELECT d.endpoint_id, sum(CASE WHEN d.state = 'pending' THEN 1 ELSE 0 END) AS pending,
			sum(CASE WHEN d.state = 'delivered' THEN 1 ELSE 0 END) AS delivered,
				sum(CASE WHEN d.state = 'failed' THEN 1 ELSE 0 END) AS failed, max(d.attempted_at) AS newest
			FROM endpoints o JOIN deliveries d ON d.tenant_id = o.tenant_id AND d.endpoint_id = o.id
			WHERE o.tenant_id = $1 AND d.position >= $2 AND d.position <= $3 GROUP BY d.endpoint_id) d ON d.endpoint_id = e.id
		LEFT JOIN (SELECT t.endpoint_id, count(*) AS n, sum(CASE WHEN t.error IS NULL AND t.status_code >= 200
			AND t.status_code < 300 THEN 1 ELSE 0 END) AS good, sum(t.duration_ms)::BIGINT AS took
			FROM endpoints o JOIN attempts t ON t.tenant_id = o.tenant_id AND t.endpoint_id = o.id
			WHERE o.tenant_id = $1 AND t.position >= $2 AND t.position <= $3 GROUP BY t.endpoint_id) a ON a.endpoint_id = e.id
		WHERE e.tenant_id = $1 AND e.deleted_at IS NULL ORDER BY e.created_at, e.id`, tx.Tenant, s.From, s.To)
	byEvent, err2 := db.List(tx, func(r db.Rows) (c EventCount, err error) { return c, r.Scan(&c.Event, &c.Deliveries, &c.Failed) },
		`SELECT d.event, count(*), sum(CASE WHEN d.state = 'failed' THEN 1 ELSE 0 END)
		FROM endpoints e JOIN deliveries d ON d.tenant_id = e.tenant_id AND d.endpoint_id = e.id
		WHERE e.tenant_id = $1 AND e.deleted_at IS NULL AND d.position >= $2 AND d.position <= $3 GROUP BY d.event
			ORDER BY 2 DESC, 1`, tx.Tenant, s.From, s.To)
	out.ByEvent = byEvent
	return out, errors.Join(err, err2)
}
