package orders

import (
	"slices"
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/base/spans"
	"entrepot/internal/db"
)

// prefetchTotal prefetches how many orders match a filter.
func prefetchTotal(r db.Reader, f CountedFilter) *db.Pending[int64] {
	from, to := f.bounds()
	if from >= to {
		return nil // no order
	}
	if from == 0 && to == spans.Last {
		return prefetchTallied(r, f)
	}
	w := db.NewWhere(r, "")
	db.AndIn(w, "status", f.states())
	where := w.String()
	of := func(column string) string { // bound at its use: PostgreSQL refuses a parameter that no condition names
		if f.Channel == "" {
			return ""
		}
		return " AND " + column + " = " + w.Bind(string(f.Channel))
	}
	var sql strings.Builder
	sql.WriteString("SELECT coalesce(sum(n), 0)::BIGINT FROM (SELECT 0 AS n")
	pieces, ends := spans.Fill(from, to, spans.Days)
	for _, p := range pieces {
		sql.WriteString(" UNION ALL SELECT sum(orders)::BIGINT FROM order_figures WHERE " + where + " AND span = " + w.Bind(f.widthOf(p)) +
			" AND bucket >= " + w.Bind(p.From) + " AND bucket < " + w.Bind(p.To) + of("channel"))
	}
	for _, e := range ends {
		sql.WriteString(" UNION ALL SELECT count(*) FROM orders WHERE " + where + " AND created_at >= " + w.Bind(e[0]) + " AND created_at < " +
			w.Bind(e[1]) +
			of("channel_id"))
	}
	sql.WriteString(") AS counted")
	return prefetchNumber(r, sql.String(), w.Args())
}

// prefetchTallied prefetches how many orders of all times match a filter.
func prefetchTallied(r db.Reader, f CountedFilter) *db.Pending[int64] {
	p := new(db.Pending[int64])
	return p.Await(eachTallied(r, func(status Status, channel id.Channel, n int64) {
		if slices.Contains(f.states(), status) && (f.Channel == "" || f.Channel == channel) {
			p.Value += n
		}
	}))
}

// eachTallied prefetches the maintained counts, a few for each channel.
func eachTallied(r db.Reader, each func(status Status, channel id.Channel, n int64)) *db.PendingRead {
	return r.Prefetch(func(row db.Rows) error {
		var key string
		var n int64
		err := row.Scan(&key, &n)
		status, channel, _ := strings.Cut(key, " ")
		each(Status(status), id.Channel(channel), n)
		return err
	}, "SELECT key, n FROM tallies WHERE tenant_id = $1 AND name = $2", r.TenantID(), tallied)
}

// bounds returns the filter's bounds of time, the second excluded.
func (f CountedFilter) bounds() (from, to int64) {
	from, to = max(f.From, 0), spans.Last
	if f.To != 0 && f.To < spans.Last {
		to = f.To + 1
	}
	return from, to
}

// widthOf returns the width under which the figures of a piece are found.
func (f CountedFilter) widthOf(p spans.Piece) int64 {
	if f.Channel == "" {
		return p.OverAll()
	}
	return p.Width
}

// states returns the statuses that match the filter, listed one by one.
func (f CountedFilter) states() []Status {
	if len(f.Statuses) == 0 {
		return Statuses
	}
	return f.Statuses
}

func prefetchNumber(r db.Reader, sql string, args []any) *db.Pending[int64] {
	p := new(db.Pending[int64])
	return p.Await(r.Prefetch(func(row db.Rows) error { return row.Scan(&p.Value) }, sql, args...))
}
