package analytics

import (
	"cmp"
	"slices"
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/base/spans"
	"entrepot/internal/db"
)

// Webhooks is the outcomes of a span's deliveries. A delivery belongs to the time of its event, or of the replay that
// created it.
type Webhooks struct {
	Span
	Events    int64 // in the log
	Endpoints []Endpoint
	ByEvent   []EventCount
}

// Endpoint is the outcomes of one endpoint's deliveries.
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

// EventCount is how many deliveries an event had.
type EventCount struct {
	Event      string
	Deliveries int64
	Failed     int64
}

// went is the sums over some deliveries of one endpoint and event.
type went struct {
	endpoint id.Endpoint
	event    string
	Endpoint
}

// ReadWebhooks reads the deliveries of a span, endpoint by endpoint.
func ReadWebhooks(tx *db.Tx, s Span) (Webhooks, error) {
	out := Webhooks{Span: s}
	var err error
	if out.Events, err = countEvents(tx, s); err != nil {
		return out, err
	}
	out.Endpoints, err = db.List(tx, func(r db.Rows) (e Endpoint, err error) { return e, r.Scan(&e.ID, &e.URL, &e.Status) },
		"SELECT id, url, status FROM endpoints WHERE tenant_id = $1 AND deleted_at IS NULL ORDER BY created_at, id", tx.Tenant)
	if err != nil {
		return out, err
	}
	list, err := readWent(tx, s)
	if err != nil {
		return out, err
	}
	out.addUp(list)
	return out, readLastErrors(tx, s, out.Endpoints)
}

// addUp sums deliveries by endpoint and by event.
func (w *Webhooks) addUp(list []went) {
	at := map[id.Endpoint]*Endpoint{}
	for i := range w.Endpoints {
		at[w.Endpoints[i].ID] = &w.Endpoints[i]
	}
	events := map[string]EventCount{}
	for _, d := range list {
		e := at[d.endpoint]
		e.Pending, e.Delivered, e.Failed = e.Pending+d.Pending, e.Delivered+d.Delivered, e.Failed+d.Failed
		e.Attempts, e.Answered, e.Duration = e.Attempts+d.Attempts, e.Answered+d.Answered, e.Duration+d.Duration
		e.LastAttempt = max(e.LastAttempt, d.LastAttempt)
		c := events[d.event]
		c.Event, c.Deliveries, c.Failed = d.event, c.Deliveries+d.Pending+d.Delivered+d.Failed, c.Failed+d.Failed
		events[d.event] = c
	}
	w.ByEvent = []EventCount{}
	for _, c := range events {
		if c.Deliveries > 0 {
			w.ByEvent = append(w.ByEvent, c)
		}
	}
	slices.SortFunc(w.ByEvent, func(a, b EventCount) int {
		return cmp.Or(-cmp.Compare(a.Deliveries, b.Deliveries), cmp.Compare(a.Event, b.Event))
	})
}

// readWent sums the deliveries of a span and their attempts: from the stored figures for whole buckets, and from the
// rows at the span's ends.
func readWent(tx *db.Tx, s Span) ([]went, error) {
	from, to := max(s.From, 0), min(s.To+1, spans.Last)
	if from >= to {
		return nil, nil
	}
	w := db.NewWhere(tx, "o").And("o.deleted_at IS NULL")
	where := w.String()
	var parts []string
	pieces, ends := spans.Fill(from, to, spans.Days)
	for _, p := range pieces {
		parts = append(parts, `SELECT f.endpoint_id, f.event, f.pending, f.delivered, f.failed, f.attempts, f.answered, f.duration_ms AS took,
				f.newest
			FROM endpoints o JOIN delivery_figures f ON f.tenant_id = o.tenant_id AND f.endpoint_id = o.id
			WHERE `+where+" AND f.span = "+w.Bind(p.Width)+" AND f.bucket >= "+w.Bind(p.From)+" AND f.bucket < "+w.Bind(p.To))
	}
	for _, e := range ends {
		between := func(column string) string {
			return " WHERE " + where + " AND " + column + " >= " + w.Bind(e[0]) + " AND " + column + " < " + w.Bind(e[1])
		}
		parts = append(parts, `SELECT d.endpoint_id, d.event, CASE WHEN d.state = 'pending' THEN 1 ELSE 0 END AS pending,
				CASE WHEN d.state = 'delivered' THEN 1 ELSE 0 END AS delivered, CASE WHEN d.state = 'failed' THEN 1 ELSE 0 END AS failed,
				0 AS attempts, 0 AS answered, 0 AS took, coalesce(d.attempted_at, 0) AS newest
			FROM endpoints o JOIN deliveries d ON d.tenant_id = o.tenant_id AND d.endpoint_id = o.id`+between("d.position"),
			`SELECT t.endpoint_id, d.event, 0, 0, 0, 1,
				CASE WHEN t.error IS NULL AND t.status_code >= 200 AND t.status_code < 300 THEN 1 ELSE 0 END, t.duration_ms, 0
			FROM endpoints o JOIN attempts t ON t.tenant_id = o.tenant_id AND t.endpoint_id = o.id
			JOIN deliveries d ON d.tenant_id = t.tenant_id AND d.endpoint_id = t.endpoint_id AND d.position = t.position`+between("t.position"))
	}
	return db.List(tx, func(r db.Rows) (d went, err error) {
		return d, r.Scan(&d.endpoint, &d.event, &d.Pending, &d.Delivered, &d.Failed, &d.Attempts, &d.Answered, &d.Duration, &d.LastAttempt)
	}, `SELECT endpoint_id, event, sum(pending)::BIGINT, sum(delivered)::BIGINT, sum(failed)::BIGINT, sum(attempts)::BIGINT,
		sum(answered)::BIGINT, sum(took)::BIGINT,
		max(newest) FROM (`+strings.Join(parts, " UNION ALL ")+") AS f GROUP BY endpoint_id, event", w.Args()...)
}

// lastErrors is how many failed deliveries of an endpoint, and how many waiting for another attempt, are searched for
// the newest error.
const lastErrors = "50"

// readLastErrors reads the newest error among the deliveries that were not delivered.
func readLastErrors(tx *db.Tx, s Span, list []Endpoint) error {
	reads := make([]*db.PendingRead, len(list))
	for i := range list {
		e, newest := &list[i], int64(-1)
		reads[i] = tx.Prefetch(func(r db.Rows) error {
			var at int64
			var text string
			err := r.Scan(&at, &text)
			if at > newest {
				newest, e.LastError = at, text
			}
			return err
		}, `SELECT attempted_at, error FROM (
				SELECT * FROM (SELECT attempted_at, error FROM deliveries WHERE tenant_id = $1 AND endpoint_id = $2::UUID AND state = 'failed'
					AND position >= $3 AND position <= $4 ORDER BY position DESC LIMIT `+lastErrors+`) AS failed
				UNION ALL SELECT * FROM (SELECT attempted_at, error FROM deliveries WHERE tenant_id = $1 AND endpoint_id = $2::UUID AND due_at > 0
					AND position >= $3 AND position <= $4 ORDER BY due_at DESC LIMIT `+lastErrors+`) AS due) AS newest
			WHERE error IS NOT NULL AND attempted_at IS NOT NULL`, tx.Tenant, e.ID, s.From, s.To)
	}
	return db.WaitAll(reads)
}
