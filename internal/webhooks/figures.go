package webhooks

import (
	"cmp"
	"slices"

	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/spans"
)

// The table delivery_figures keeps how deliveries went, by endpoint, bucket of time (package spans) and event. Whoever moves it has locked
// the endpoint's queue.

// figureKey names a row of an endpoint.
type figureKey struct {
	width, bucket int64
	event         string
}

// figure is what some settled deliveries and all attempts of their bucket add up to.
type figure struct{ delivered, failed, attempts, answered, duration, newest int64 }

// figures are moves of one endpoint's rows.
type figures map[figureKey]*figure

// move adds what a delivery at a position counts: sign is -1 when it is taken out.
func (f figures) move(position int64, event string, by figure, sign int64) {
	for _, width := range spans.Widths {
		k := figureKey{width, spans.Down(position, width), event}
		sum := f[k]
		if sum == nil {
			sum = new(figure)
			f[k] = sum
		}
		sum.delivered += sign * by.delivered
		sum.failed += sign * by.failed
		sum.attempts += sign * by.attempts
		sum.answered += sign * by.answered
		sum.duration += sign * by.duration
		sum.newest = max(sum.newest, by.newest)
	}
}

// in is what a delivery in a state counts, beside its attempts.
func in(s State) (f figure) {
	switch s {
	case Delivered:
		f.delivered = 1
	case Failed:
		f.failed = 1
	}
	return f
}

// counts is what the outcome adds.
func (o *Outcome) counts() figure {
	f := in(o.State)
	f.attempts, f.duration, f.newest = 1, o.Duration, o.At
	if o.Answered() {
		f.answered = 1
	}
	return f
}

// store writes the moves.
func (f figures) store(tx db.GuardedWriter, write queueing, endpoint id.Endpoint, tenant id.Tenant) {
	keys := make([]figureKey, 0, len(f))
	for k := range f {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b figureKey) int {
		return cmp.Or(cmp.Compare(a.width, b.width), cmp.Compare(a.bucket, b.bucket), cmp.Compare(a.event, b.event))
	})
	for piece := range db.Pieces(keys) {
		args := append(make([]any, 0, 2+9*len(piece)), tenant, endpoint)
		for _, k := range piece {
			s := f[k]
			args = append(args, k.width, k.bucket, k.event, s.delivered, s.failed, s.attempts, s.answered, s.duration, s.newest)
		}
		write(figureText.For(len(piece), func(n int) string {
			return `INSERT INTO delivery_figures
				(tenant_id, endpoint_id, span, bucket, event, delivered, failed, attempts, answered, duration_ms, newest) VALUES ` +
				db.Repeat(n, 3, "($1,$2::UUID,$,$,$,$,$,$,$,$,$)") + `
				ON CONFLICT (tenant_id, endpoint_id, span, bucket, event) DO UPDATE SET
					delivered = delivery_figures.delivered + excluded.delivered, failed = delivery_figures.failed + excluded.failed,
					attempts = delivery_figures.attempts + excluded.attempts, answered = delivery_figures.answered + excluded.answered,
					duration_ms = delivery_figures.duration_ms + excluded.duration_ms,
					newest = CASE WHEN excluded.newest > delivery_figures.newest THEN excluded.newest ELSE delivery_figures.newest END`
		}), args...)
	}
}

var figureText db.Text

// dropEmptyFigures drops the rows of an endpoint that count nothing any more, of buckets that begin before a time.
func dropEmptyFigures(tx db.Writer, endpoint id.Endpoint, before int64) {
	for _, width := range spans.Widths {
		tx.Queue("DELETE FROM delivery_figures WHERE tenant_id = $1 AND endpoint_id = $2 AND span = $3 AND bucket < $4 "+
			"AND delivered = 0 AND failed = 0 AND attempts = 0", tx.TenantID(), endpoint, width, before)
	}
}
