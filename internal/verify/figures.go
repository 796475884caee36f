package verify

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/base/spans"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// figureKey identifies a maintained figure of orders.
type figureKey struct {
	width, bucket             int64
	status, channel, currency string
}

// figure is the number of orders, of items, and both parts of their totals (package orders).
type figure [4]int64

// figures are those of one day: the sums of the orders, and what is kept.
type figures map[figureKey]*[2]figure

func (f figures) add(k figureKey, side int, of figure) {
	sums := f[k]
	if sums == nil {
		sums = new([2]figure)
		f[k] = sums
	}
	for i, n := range of {
		sums[side][i] += n
	}
}

// less returns the difference to another figure.
func (f figure) less(other figure) figure {
	for i := range f {
		f[i] -= other[i]
	}
	return f
}

// correction adds a difference to what is kept.
func (k figureKey) correction(by figure) orders.Correction {
	return orders.Correction{Width: k.width, Bucket: k.bucket, Status: orders.Status(k.status), Channel: id.Channel(k.channel),
		Currency: k.currency, Orders: by[0], Items: by[1], Big: by[2], Small: by[3]}
}

// The sides of figures.
const (
	stored = iota
	kept
)

// orderFigures computes every maintained figure of orders again, day by day, so that only one day's are in memory at once.
func orderFigures(c *account) error {
	var days []int64
	for _, from := range []string{"created_at / $2::BIGINT * $2::BIGINT FROM orders", "bucket / $2::BIGINT * $2::BIGINT FROM order_figures"} {
		more, err := db.List(c.Tx, func(r db.Rows) (day int64, err error) { return day, r.Scan(&day) },
			"SELECT DISTINCT "+from+" WHERE tenant_id = $1", c.Tenant, spans.Widths[spans.Days])
		if err != nil {
			return err
		}
		days = append(days, more...)
	}
	slices.Sort(days)
	for _, day := range slices.Compact(days) {
		found, err := figuresOfDay(c, day)
		if err != nil {
			return err
		}
		for k, sums := range found {
			c.look()
			if sums[stored] != sums[kept] {
				c.derived(func(tx *db.Tx) error {
					orders.Correct(tx, k.correction(sums[stored].less(sums[kept])))
					return nil
				}, "orders %s from %d on for %d µs, channel %q, in %s: orders, pieces and amounts are %d, kept as %d",
					k.status, k.bucket, k.width, k.channel, k.currency, sums[stored], sums[kept])
			}
		}
	}
	return nil
}

// figuresOfDay reads the orders and the maintained figures of one day, both by status and time.
func figuresOfDay(c *account, day int64) (figures, error) {
	found, end := figures{}, day+spans.Widths[spans.Days]
	w := db.NewWhere(c.Tx, "o")
	db.AndIn(w, "o.status", orders.Statuses).And("o.created_at >= ? AND o.created_at < ?", day, end)
	err := c.Each(func(r db.Rows) error {
		var k figureKey
		var of figure
		var at, total int64
		err := r.Scan(&k.status, db.Opt(&k.channel), &k.currency, &at, &total, &of[1])
		of[0], of[2], of[3] = 1, total/100_000_000, total%100_000_000
		for _, k.width = range spans.Widths {
			k.bucket = spans.Down(at, k.width)
			found.add(k, stored, of)
		}
		k.width, k.bucket, k.channel = spans.DaysOfAll, day, ""
		found.add(k, stored, of)
		return err
	}, `SELECT o.status, o.channel_id, o.currency, o.created_at, o.total,
			(SELECT coalesce(sum(l.quantity), 0)::BIGINT FROM order_lines l WHERE l.tenant_id = $1 AND l.order_id = o.id)
		FROM orders o WHERE `+w.String(), w.Args()...)
	if err != nil {
		return nil, err
	}
	w = db.NewWhere(c.Tx, "")
	widths := append(slices.Clone(spans.Widths), spans.DaysOfAll)
	db.AndIn(db.AndIn(w, "span", widths), "status", orders.Statuses).And("bucket >= ? AND bucket < ?", day, end)
	return found, c.Each(func(r db.Rows) error {
		var k figureKey
		var of figure
		err := r.Scan(&k.width, &k.status, &k.bucket, &k.channel, &k.currency, &of[0], &of[1], &of[2], &of[3])
		found.add(k, kept, of)
		return err
	}, "SELECT span, status, bucket, channel, currency, orders, items, big, small FROM order_figures WHERE "+w.String(), w.Args()...)
}
