package orders

import (
	"slices"
	"strings"

	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/spans"
)

// The table order_figures counts orders, amounts and items by bucket of time (package spans), status, channel and
// currency. Its version grows whenever the sold quantity of any SKU changes. A sum of totals may need more than 63
// bits, so each total is summed in two parts: big·10^8 + small.

// addUp is the divisor that splits an amount into these two parts.
const addUp = 100_000_000

// figureRow is a change of the figures of one bucket.
type figureRow struct {
	figureKey
	figure  [4]int64 // orders, items, big, small
	version int64    // see package sales
}

type figureKey struct {
	width, bucket int64
	status        Status
	channel       id.Channel
	currency      string
}

// figure is what one order adds to the figures.
func (o *Order) figure() [4]int64 {
	total := int64(o.Total)
	return [4]int64{1, o.quantity(), total / addUp, total % addUp}
}

// moves appends the changes of the figures when an order is added (sign 1) or removed (-1).
func (o *Order) moves(into []figureRow, sign int64) []figureRow {
	figure := o.figure()
	for i := range figure {
		figure[i] *= sign
	}
	for _, width := range spans.Widths {
		into = append(into, figureRow{figureKey{width, spans.Down(o.CreatedAt, width), o.Status, o.Channel, o.Currency}, figure, 0})
	}
	return into
}

// tallied names the kept counts of orders, by countedAs.
const tallied = "orders"

// countedAs is the key of the kept count that an order is in: its status, and its channel behind a blank if it has one.
func countedAs(status Status, channel id.Channel) string {
	if channel == "" {
		return string(status)
	}
	return string(status) + " " + string(channel)
}

// tally adds an order to the kept counts (n 1) or takes it out of them (-1).
func (o *Order) tally(w db.GuardedWriter, n int64) {
	w.Tally(tallied, countedAs(o.Status, o.Channel), n)
}

// count updates the kept figures and counts from an order's old state to its new one; nil means that there is none (before creation).
func count(w db.GuardedWriter, before, after *Order) {
	if before == nil || before.Status != after.Status {
		after.tally(w, 1)
		if before != nil {
			before.tally(w, -1)
		}
	}
	rows := after.moves(make([]figureRow, 0, 2*len(spans.Widths)), 1)
	sold := !sameSold(before, after)
	switch {
	case before == nil:
	case before.Status != after.Status:
		rows = before.moves(rows, -1)
	default:
		was, is := before.figure(), after.figure()
		if was == is && !sold {
			return
		}
		for i := range rows {
			for k := range is {
				rows[i].figure[k] = is[k] - was[k]
			}
		}
	}
	if sold {
		for i := range rows {
			rows[i].version = 1
		}
	}
	moveFigures(w, rows)
}

// sameSold reports whether both states of an order have the same sold quantity of each SKU.
func sameSold(before, after *Order) bool {
	if before == nil || (before.Status == Cancelled) != (after.Status == Cancelled) {
		return false
	}
	return slices.EqualFunc(before.Lines, after.Lines, func(a, b Line) bool {
		return a.SKU == b.SKU && a.Quantity == b.Quantity && a.Total == b.Total
	})
}

// countAll adds new orders to the kept figures, one row for each bucket, and to the kept counts.
func countAll(tx db.GuardedWriter, list []Order) {
	sums := map[figureKey]int{}
	var rows, one []figureRow
	for i := range list {
		list[i].tally(tx, 1)
		one = list[i].moves(one[:0], 1)
		for _, r := range one {
			r.version = 1
			at, known := sums[r.figureKey]
			if !known {
				sums[r.figureKey] = len(rows)
				rows = append(rows, r)
				continue
			}
			for k := range r.figure {
				rows[at].figure[k] += r.figure[k]
			}
		}
	}
	db.Chunks(rows, func(piece []figureRow) error {
		moveFigures(tx, piece)
		return nil
	})
}

// moveFigures queues one statement for at most 256 rows.
func moveFigures(w db.GuardedWriter, rows []figureRow) {
	args := append(make([]any, 0, 1+10*len(rows)), w.TenantID())
	for i := range rows {
		r := &rows[i]
		args = append(args, r.width, string(r.status), r.bucket, string(r.channel), r.currency, r.figure[0], r.figure[1], r.figure[2],
			r.figure[3], r.version)
	}
	w.PutRowsStamped(db.Difference(), figureRows, args...)
}

var figureRows = &db.Form{Head: 1, Width: 10, Key: []int{0, 1, 2, 3, 4}, Sum: []int{5, 6, 7, 8, 9},
	Build: func(n int) string { return addFigures(db.Repeat(n, 2, "($1,$,$,$,$,$,$,$,$,$,$)")) },
	Mixed: func(n int) string { return addFigures(db.Repeat(n, 1, "($,$,$,$,$,$,$,$,$,$,$)")) }}

func addFigures(rows string) string {
	return "INSERT INTO order_figures (tenant_id, span, status, bucket, channel, currency, orders, items, big, small, version) VALUES " +
		rows + `
		ON CONFLICT (tenant_id, span, status, bucket, channel, currency) DO UPDATE SET orders = order_figures.orders + excluded.orders,
			items = order_figures.items + excluded.items, big = order_figures.big + excluded.big, small = order_figures.small + excluded.small,
			version = order_figures.version + excluded.version`
}

// quantity is how many pieces were ordered.
func (o *Order) quantity() (n int64) {
	for i := range o.Lines {
		n += o.Lines[i].Quantity
	}
	return n
}

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
		sql.WriteString(" UNION ALL SELECT sum(orders)::BIGINT FROM order_figures WHERE " + where + " AND span = " + w.Bind(p.Width) +
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

// prefetchTallied asks how many orders of any time there are that a filter lets through.
func prefetchTallied(r db.Reader, f CountedFilter) *db.Pending[int64] {
	p := new(db.Pending[int64])
	return p.Await(eachTallied(r, func(status Status, channel id.Channel, n int64) {
		if slices.Contains(f.states(), status) && (f.Channel == "" || f.Channel == channel) {
			p.Value += n
		}
	}))
}

// eachTallied asks for the kept counts, which are a few for each channel.
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

// bounds are the filter's bounds of time, the second excluded.
func (f CountedFilter) bounds() (from, to int64) {
	from, to = max(f.From, 0), spans.Last
	if f.To != 0 && f.To < spans.Last {
		to = f.To + 1
	}
	return from, to
}

// states are the statuses that match the filter, listed one by one.
func (f CountedFilter) states() []Status {
	if len(f.Statuses) == 0 {
		return Statuses
	}
	return f.Statuses
}

// seek skips some of the orders that match a filter, by creation, with the kept figures: it returns the filter
// restricted to a bucket of 10 s and what follows, and how many orders of that bucket are still to be skipped.
func seek(tx *db.Tx, f CountedFilter, ascending bool, skip int64) (CountedFilter, int64, error) {
	from, to := f.bounds()
	for level := len(spans.Widths) - 1; level >= 0; level-- {
		width := spans.Widths[level]
		up, down := spans.Up(from, width), spans.Down(to, width)
		if up >= down {
			continue
		}
		first, last := [2]int64{down, to}, [2]int64{from, up} // the two ends that fill no whole bucket, in the order of the list
		if ascending {
			first, last = last, first
		}
		ahead := f
		if ahead.From, ahead.To = first[0], first[1]-1; first[0] < first[1] {
			n, err := prefetchTotal(tx, ahead).Wait()
			if err != nil {
				return f, 0, err
			}
			if skip < n {
				from, to = first[0], first[1]
				continue
			}
			skip -= n
		}
		var bucket int64
		var err error
		if bucket, skip, err = seekBucket(tx, f, ascending, skip, spans.Piece{Width: width, From: up, To: down}); err != nil {
			return f, 0, err
		}
		if from, to = bucket, bucket+width; bucket < 0 {
			from, to = last[0], last[1]
		}
	}
	if ascending {
		f.From = from
	} else {
		f.To = to - 1
	}
	return f, skip, nil
}

// seekBucket finds the bucket in which the order after some skipped ones lies, and how many of the skipped are in it;
// -1 if it is after all buckets.
func seekBucket(tx *db.Tx, f CountedFilter, ascending bool, skip int64, p spans.Piece) (bucket, rest int64, err error) {
	w := db.NewWhere(tx, "")
	db.AndIn(w, "status", f.states()).And("span = ? AND bucket >= ? AND bucket < ?", p.Width, p.From, p.To)
	if f.Channel != "" {
		w.And("channel = ?", string(f.Channel))
	}
	bucket = -1
	err = tx.Each(func(r db.Rows) error {
		var at, n int64
		err := r.Scan(&at, &n)
		switch {
		case bucket >= 0:
		case skip < n:
			bucket = at
		default:
			skip -= n
		}
		return err
	}, "SELECT bucket, sum(orders)::BIGINT FROM order_figures WHERE "+w.String()+" GROUP BY bucket ORDER BY bucket "+direction(ascending),
		w.Args()...)
	return bucket, skip, err
}

func direction(ascending bool) string {
	if ascending {
		return "ASC"
	}
	return "DESC"
}

func prefetchNumber(r db.Reader, sql string, args []any) *db.Pending[int64] {
	p := new(db.Pending[int64])
	return p.Await(r.Prefetch(func(row db.Rows) error { return row.Scan(&p.Value) }, sql, args...))
}
