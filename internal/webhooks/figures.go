package webhooks

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/base/spans"
	"entrepot/internal/db"
)

// The table delivery_figures counts deliveries by endpoint, bucket of time (package spans) and event. A transaction
// that changes rows of an endpoint has locked its queue.

// figureKey identifies a row within an account.
type figureKey struct {
	endpoint      id.Endpoint
	width, bucket int64
	event         string
}

// figure is the sums over some deliveries and all their attempts.
type figure struct{ pending, delivered, failed, attempts, answered, duration, newest int64 }

// figures are changes to rows of one account.
type figures map[figureKey]*figure

// move adds the figures of a delivery of an endpoint at a position; sign -1 subtracts them.
func (f figures) move(endpoint id.Endpoint, position int64, event string, by figure, sign int64) {
	for _, width := range spans.Widths {
		k := figureKey{endpoint, width, spans.Down(position, width), event}
		sum := f[k]
		if sum == nil {
			sum = new(figure)
			f[k] = sum
		}
		sum.pending += sign * by.pending
		sum.delivered += sign * by.delivered
		sum.failed += sign * by.failed
		sum.attempts += sign * by.attempts
		sum.answered += sign * by.answered
		sum.duration += sign * by.duration
		sum.newest = max(sum.newest, by.newest)
	}
}

// in is the figure of a delivery in a state, without its attempts.
func in(s State) (f figure) {
	switch s {
	case Pending:
		f.pending = 1
	case Delivered:
		f.delivered = 1
	case Failed:
		f.failed = 1
	}
	return f
}

// counts is the change of the figure when an outcome settles a pending delivery.
func (o *Outcome) counts() figure {
	f := in(o.State)
	f.pending--
	f.attempts, f.duration, f.newest = 1, o.Duration, o.At
	if o.Answered() {
		f.answered = 1
	}
	return f
}

// store adds the changes to the account's rows.
func (f figures) store(write queueing, tenant id.Tenant) {
	keys := make([]figureKey, 0, len(f))
	for k := range f {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b figureKey) int {
		return cmp.Or(cmp.Compare(a.endpoint, b.endpoint), cmp.Compare(a.width, b.width), cmp.Compare(a.bucket, b.bucket),
			cmp.Compare(a.event, b.event))
	})
	for piece := range db.Pieces(keys) {
		args := append(make([]any, 0, 1+11*len(piece)), tenant)
		for _, k := range piece {
			s := f[k]
			args = append(args, k.endpoint, k.width, k.bucket, k.event, s.pending, s.delivered, s.failed, s.attempts, s.answered, s.duration,
				s.newest)
		}
		write(figureText.For(len(piece), func(n int) string {
			return "INSERT INTO delivery_figures (" + figureColumns + ") VALUES " + db.Repeat(n, 2, "($1,$::UUID,$,$,$,$,$,$,$,$,$,$)") +
				addFigures
		}), args...)
	}
}

const (
	figureColumns = "tenant_id, endpoint_id, span, bucket, event, pending, delivered, failed, attempts, answered, duration_ms, newest"

	// addFigures ends a statement that inserts rows: existing rows are increased.
	addFigures = ` ON CONFLICT (tenant_id, endpoint_id, span, bucket, event) DO UPDATE SET
		pending = delivery_figures.pending + excluded.pending,
		delivered = delivery_figures.delivered + excluded.delivered, failed = delivery_figures.failed + excluded.failed,
		attempts = delivery_figures.attempts + excluded.attempts, answered = delivery_figures.answered + excluded.answered,
		duration_ms = delivery_figures.duration_ms + excluded.duration_ms,
		newest = CASE WHEN excluded.newest > delivery_figures.newest THEN excluded.newest ELSE delivery_figures.newest END`
)

// CorrectFigure queues adding a difference to a stored figure of an endpoint, unless the endpoint has gone: to its
// counts of pending, delivered and failed deliveries, of attempts and answered ones, and to the sum of their
// milliseconds.
func CorrectFigure(w db.Writer, endpoint id.Endpoint, width, bucket int64, event string, by [6]int64) {
	lockQueues(w, w.Change, []id.Endpoint{endpoint})
	w.Change("INSERT INTO delivery_figures ("+figureColumns+`)
		SELECT $1::BIGINT, $2::UUID, $3::BIGINT, $4::BIGINT, $5::TEXT, $6::BIGINT, $7::BIGINT, $8::BIGINT, $9::BIGINT, $10::BIGINT, $11::BIGINT, 0
		FROM queues q WHERE q.tenant_id = $1 AND q.endpoint_id = $2::UUID`+addFigures,
		w.TenantID(), endpoint, width, bucket, event, by[0], by[1], by[2], by[3], by[4], by[5])
}

// countNew counts new deliveries as pending.
func countNew(tx db.Writer, write queueing, deliveries []Delivery, how newDeliveries) {
	if how.placed {
		counted := figures{}
		for i := range deliveries {
			d := &deliveries[i]
			counted.move(d.Endpoint, d.Position, d.Name, figure{pending: 1}, 1)
		}
		counted.store(write, tx.TenantID())
		return
	}
	for piece := range db.Pieces(deliveries) {
		args := append(make([]any, 0, 1+3*len(piece)), tx.TenantID())
		for i := range piece {
			args = append(args, piece[i].Endpoint, piece[i].Position, piece[i].Name)
		}
		write(how.counts.For(len(piece), func(n int) string {
			return "WITH v(endpoint_id, position, event) AS (VALUES " + db.Values(n, 3, 2, "::UUID", "::BIGINT", "::TEXT") + `),
				widths(span) AS (VALUES ` + widths + `)
				INSERT INTO delivery_figures (` + figureColumns + `)
				SELECT $1::BIGINT, v.endpoint_id, w.span, (` + how.position + ") / w.span * w.span, v.event, count(*), 0, 0, 0, 0, 0, 0" + `
				FROM v CROSS JOIN widths w WHERE TRUE GROUP BY 2, 3, 4, 5` + addFigures
		}), args...)
	}
}

// widths are the bucket widths, as rows of a VALUES list.
var widths = func() string {
	rows := make([]string, len(spans.Widths))
	for i, width := range spans.Widths {
		rows[i] = "(" + strconv.FormatInt(width, 10) + "::BIGINT)"
	}
	return strings.Join(rows, ",")
}()

var figureText db.Text

// dropEmptyFigures deletes the rows of an endpoint whose counts are all 0, of buckets that begin before a time.
func dropEmptyFigures(tx db.Writer, endpoint id.Endpoint, before int64) {
	for _, width := range spans.Widths {
		tx.Queue("DELETE FROM delivery_figures WHERE tenant_id = $1 AND endpoint_id = $2 AND span = $3 AND bucket < $4 "+
			"AND pending = 0 AND delivered = 0 AND failed = 0 AND attempts = 0", tx.TenantID(), endpoint, width, before)
	}
}
