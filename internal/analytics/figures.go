package analytics

import (
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/spans"
	"entrepot/internal/db"
)

// figure is the sums over some orders.
type figure struct {
	status, channel, currency string
	start                     int64 // of the interval, if they are read by interval
	orders, items             int64
	total                     money.Total
}

// every lists each status, in the order of the index (package orders): figures and orders are looked up by status and
// time.
const (
	every    = "('CANCELLED','DELIVERED','PARTIALLY_SHIPPED','PENDING','PROCESSING','RETURNED','SHIPPED')"
	everyRow = "('CANCELLED'),('DELIVERED'),('PARTIALLY_SHIPPED'),('PENDING'),('PROCESSING'),('RETURNED'),('SHIPPED')"
)

// readFigures sums the orders of a span, grouped by some of the columns status, channel, currency and start: from the
// stored figures for whole buckets no wider than spans.Widths[widest], and from the orders at the span's ends. Unless
// only is "", it reads that channel alone.
func readFigures(tx *db.Tx, only id.Channel, s Span, widest int, unit int64, by string) ([]figure, error) {
	return readFiguresOf(tx, every, only, s, widest, unit, by)
}

// readFiguresOf is readFigures for orders with some statuses.
func readFiguresOf(tx *db.Tx, statuses string, only id.Channel, s Span, widest int, unit int64, by string) ([]figure, error) {
	from, to := max(s.From, 0), min(s.To+1, spans.Last)
	if from >= to {
		return nil, nil
	}
	w := db.NewWhere(tx, "")
	unitOf := w.Bind(unit) + "::BIGINT"
	var parts []string
	pieces, ends := spans.Fill(from, to, widest)
	for _, p := range pieces {
		width := p.OverAll()
		if strings.Contains(by, "channel") || only != "" {
			width = p.Width
		}
		parts = append(parts, "SELECT status, channel, currency, bucket / "+unitOf+" * "+unitOf+
			` AS start, orders, items, big, small FROM order_figures
			WHERE tenant_id = $1 AND span = `+w.Bind(width)+" AND status IN "+statuses+" AND bucket >= "+w.Bind(p.From)+
			" AND bucket < "+w.Bind(p.To)+ofChannel(w, "channel = ", "", only))
	}
	for _, e := range ends {
		parts = append(parts, "SELECT o.status, coalesce(o.channel_id::TEXT, '') AS channel, o.currency, o.created_at / "+unitOf+" * "+unitOf+
			" AS start, "+ofOrders(w, statuses, only, e))
	}
	columns := []string{"''", "''", "''", "0::BIGINT"}
	for i, name := range []string{"status", "channel", "currency", "start"} {
		if strings.Contains(by, name) {
			columns[i] = name
		}
	}
	return db.List(tx, func(r db.Rows) (f figure, err error) {
		var big, small int64
		err = r.Scan(&f.status, &f.channel, &f.currency, &f.start, &f.orders, &f.items, &big, &small)
		f.total = sum(big, small)
		return f, err
	}, "SELECT "+strings.Join(columns, ", ")+`, sum(orders)::BIGINT, sum(items)::BIGINT, sum(big)::BIGINT, sum(small)::BIGINT
		FROM (`+strings.Join(parts, " UNION ALL ")+") AS f GROUP BY "+by+" HAVING sum(orders) <> 0 ORDER BY "+by, w.Args()...)
}

// ofChannel is the condition that a column is one channel, whose type follows it; no condition for "".
func ofChannel(w *db.Where, column, kind string, only id.Channel) string {
	if only == "" {
		return ""
	}
	return " AND " + column + w.Bind(only) + kind
}

// ofOrders is the end of a SELECT: the sums of each order with some statuses, of one channel unless that is "", from
// one time to before another.
func ofOrders(w *db.Where, statuses string, only id.Channel, times [2]int64) string {
	return `1::BIGINT AS orders, coalesce((SELECT sum(l.quantity) FROM order_lines l WHERE l.tenant_id = $1 AND l.order_id = o.id), 0)::BIGINT
			AS items, o.total / 100000000 AS big, o.total % 100000000 AS small
		FROM orders o WHERE o.tenant_id = $1 AND o.status IN ` + statuses +
		" AND o.created_at >= " + w.Bind(times[0]) + " AND o.created_at < " + w.Bind(times[1]) + ofChannel(w, "o.channel_id = ", "::UUID", only)
}

// takings are the revenues of figures by currency, the account's first, even without orders.
func takings(list []figure, currency string) []Takings {
	out := []Takings{{Currency: currency}}
	at := map[string]int{currency: 0}
	for _, f := range list {
		if f.status == cancelled {
			continue
		}
		i, known := at[f.currency]
		if !known {
			i = len(out)
			at[f.currency], out = i, append(out, Takings{Currency: f.currency})
		}
		out[i].Orders, out[i].Revenue = out[i].Orders+f.orders, out[i].Revenue.Plus(f.total)
	}
	return out
}

const cancelled = "CANCELLED"
