package orders

import (
	"strconv"
	"strings"

	"entrepot/internal/db"
)

// spans are the widths of the buckets in which orders are counted, in microseconds: 8 s, 18 min and 38 h. A list's total
// is the sum of the fewest buckets that fill its range of time, and a count of the rows at the two ragged ends.
var spans = []int64{1 << 23, 1 << 30, 1 << 37}

// Count moves an order from one status's counts to another's; "" is none (before creation, after deletion).
func Count(tx *db.Tx, o *Order, from, to Status) {
	var rows int
	args := []any{tx.Tenant}
	for _, step := range []struct {
		status Status
		delta  int64
	}{{from, -1}, {to, 1}} {
		if step.status == "" {
			continue
		}
		for _, span := range spans {
			args = append(args, span, string(step.status), o.CreatedAt/span*span, string(o.Channel), step.delta)
			rows++
		}
	}
	tx.Change(countTexts.For(rows, func(n int) string {
		return `INSERT INTO order_counts (tenant_id, span, status, bucket, channel, orders) VALUES ` + db.Repeat(n, 2, "($1,$,$,$,$,$)") + `
			ON CONFLICT (tenant_id, span, status, bucket, channel) DO UPDATE SET orders = order_counts.orders + excluded.orders`
	}), args...)
}

var countTexts db.Text

// piece is a part of a range of time that buckets of one width fill exactly.
type piece struct{ span, from, to int64 }

// fill cuts [from, to) into the fewest pieces of buckets, and gives the ragged ends that no bucket fills.
func fill(from, to int64) (pieces []piece, ragged [][2]int64) {
	left, right := from, to
	for i, span := range spans {
		up, down := (left+span-1)/span*span, right/span*span
		if up >= down {
			if left < right {
				if i == 0 {
					return nil, [][2]int64{{left, right}}
				}
				pieces = append(pieces, piece{spans[i-1], left, right})
			}
			return pieces, ragged
		}
		if i == 0 {
			ragged = append(ragged, [2]int64{left, up}, [2]int64{down, right})
		} else {
			pieces = append(pieces, piece{spans[i-1], left, up}, piece{spans[i-1], down, right})
		}
		left, right = up, down
	}
	return append(pieces, piece{spans[len(spans)-1], left, right}), ragged
}

// prefetchTotal asks how many orders there are that a filter lets through.
func prefetchTotal(tx *db.Tx, f CountedFilter) func() (int64, error) {
	const last = 1 << 55 // far beyond any order, and a multiple of every span
	states, channel, from, to := f.Statuses, f.Channel, max(f.From, 0), int64(last)
	if f.To != 0 && f.To < last {
		to = f.To + 1
	}
	if from >= to {
		return func() (int64, error) { return 0, nil }
	}
	if len(states) == 0 {
		states = Statuses
	}
	pieces, ragged := fill(from, to)
	var sql strings.Builder
	args := []any{tx.Tenant}
	bind := func(v any) string {
		args = append(args, v)
		return "$" + strconv.Itoa(len(args))
	}
	in := make([]string, len(states))
	for i, s := range states {
		in[i] = bind(string(s)) + "::TEXT"
	}
	list := strings.Join(in, ",")
	of := func(column string) string { // bound where it is used: PostgreSQL refuses a parameter that no condition names
		if channel == "" {
			return ""
		}
		return " AND " + column + bind(string(channel))
	}
	sql.WriteString("SELECT coalesce(sum(n), 0)::BIGINT FROM (SELECT 0 AS n")
	for _, p := range pieces {
		if p.from < p.to {
			sql.WriteString(" UNION ALL SELECT sum(orders)::BIGINT FROM order_counts WHERE tenant_id = $1 AND span = " + bind(p.span) + " AND status IN (" + list + ") AND bucket >= " + bind(p.from) + " AND bucket < " + bind(p.to) + of("channel = "))
		}
	}
	for _, r := range ragged {
		if r[0] < r[1] {
			sql.WriteString(" UNION ALL SELECT count(*) FROM orders WHERE tenant_id = $1 AND status IN (" + list + ") AND created_at >= " + bind(r[0]) + " AND created_at < " + bind(r[1]) + of("channel_id = "))
		}
	}
	sql.WriteString(") AS counted")
	return prefetchNumber(tx, sql.String(), args)
}

func prefetchNumber(tx *db.Tx, sql string, args []any) func() (int64, error) {
	var n int64
	asked := tx.Prefetch(func(r db.Rows) error { return r.Scan(&n) }, sql, args...)
	return func() (int64, error) {
		err := asked.Wait()
		return n, err
	}
}
