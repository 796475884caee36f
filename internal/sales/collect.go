package sales

import (
	"entrepot/internal/base/id"
	"entrepot/internal/base/spans"
	"entrepot/internal/db"
)

// The statuses, in the order of the index: figures and orders are looked up by status and time.
const (
	every        = "('CANCELLED','DELIVERED','PARTIALLY_SHIPPED','PENDING','PROCESSING','RETURNED','SHIPPED')"
	notCancelled = "('DELIVERED','PARTIALLY_SHIPPED','PENDING','PROCESSING','RETURNED','SHIPPED')"
)

// collector sums a range of time.
type collector struct {
	tx      *db.Tx
	sold    sold
	block   func(body []byte) error // takes whole blocks in place of sold; nil for none
	orderOf map[string]id.Order     // an order of each SKU without a number
	lines   int64                   // read from orders one by one
}

// collect calls sold with the sums of a range of time, from one instant to before another. Several calls may be for one
// item. widest is the widest level of blocks to use, -1 for none.
func collect(tx *db.Tx, from, to int64, widest int, sold sold) (*collector, error) {
	c := &collector{tx: tx, sold: sold, orderOf: map[string]id.Order{}}
	return c, c.stretch(widest, max(from, 0), to)
}

func (c *collector) stretch(level int, from, to int64) error {
	switch {
	case from >= to:
		return nil
	case level < 0:
		return c.read(from, to)
	}
	up, down := spans.Up(from, widths[level]), spans.Down(to, widths[level])
	if up >= down {
		return c.stretch(level-1, from, to)
	}
	if err := c.stretch(level-1, from, up); err != nil {
		return err
	}
	gaps, err := c.blocks(level, up, down)
	for _, gap := range gaps {
		if err == nil {
			err = c.stretch(level-1, gap[0], gap[1])
		}
	}
	if err != nil {
		return err
	}
	return c.stretch(level-1, down, to)
}

// state is the version and the number of orders of a bucket.
type state struct{ bucket, version, orders int64 }

// states reads the buckets of a range with any orders, in their order.
func states(tx *db.Tx, level int, from, to int64) (list []state, err error) {
	err = prefetchStates(tx, level, from, to, func(s state) { list = append(list, s) }).Wait()
	return list, err
}

func prefetchStates(tx *db.Tx, level int, from, to int64, each func(state)) *db.PendingRead {
	return tx.Prefetch(func(r db.Rows) error {
		var s state
		err := r.Scan(&s.bucket, &s.version, &s.orders)
		each(s)
		return err
	}, `SELECT bucket / $3::BIGINT * $3::BIGINT AS b, sum(version)::BIGINT,
			sum(CASE WHEN status = 'CANCELLED' THEN 0 ELSE orders END)::BIGINT
		FROM order_figures WHERE tenant_id = $1 AND span = $2 AND status IN `+every+` AND bucket >= $4 AND bucket < $5
		GROUP BY 1 ORDER BY 1`, tx.Tenant, versionsOf[level], widths[level], from, to)
}

// blocks uses the valid blocks of a range of whole buckets, and returns the parts without one.
func (c *collector) blocks(level int, from, to int64) (gaps [][2]int64, err error) {
	var list []state
	versions, held := map[int64]int64{}, map[int64]bool{}
	current := prefetchStates(c.tx, level, from, to, func(s state) {
		list = append(list, s)
		versions[s.bucket] = s.version
	})
	kept := c.tx.Prefetch(func(r db.Rows) error {
		var bucket, version int64
		var body []byte
		if err := r.Scan(&bucket, &version, &body); err != nil || version != versions[bucket] {
			return err
		}
		held[bucket] = true
		if c.block != nil {
			return c.block(body)
		}
		return decode(body, c.sold)
	}, "SELECT bucket, version, body FROM sales_blocks WHERE tenant_id = $1 AND width = $2 AND bucket >= $3 AND bucket < $4", c.tx.Tenant,
		widths[level], from, to)
	if err := db.WaitAll([]*db.PendingRead{current, kept}); err != nil {
		return nil, err
	}
	for _, s := range list {
		switch last := len(gaps) - 1; {
		case held[s.bucket] || s.orders == 0:
		case last >= 0 && gaps[last][1] == s.bucket:
			gaps[last][1] += widths[level]
		default:
			gaps = append(gaps, [2]int64{s.bucket, s.bucket + widths[level]})
		}
	}
	return gaps, nil
}

// read reads the lines of a range, order by order: a planner with a choice would read every line of the account. Adding
// the lines up with GROUP BY would take SQLite longer than returning them.
func (c *collector) read(from, to int64) error {
	return c.tx.Each(func(r db.Rows) error {
		var i item
		var order id.Order
		var quantity, amount int64
		err := r.Scan(&i.currency, &i.number, &i.sku, &order, &quantity, &amount)
		if i.number >= 0 {
			i.sku = ""
		} else {
			c.orderOf[i.sku] = order
		}
		c.lines++
		c.sold(i, Sum{quantity, amount / addUp, amount % addUp})
		return err
	}, `SELECT o.currency, coalesce((SELECT s.number FROM sold_skus s WHERE s.tenant_id = $1 AND s.sku = l.sku), -1), l.sku, o.id,
			l.quantity, l.line_total
		FROM orders o CROSS JOIN order_lines l
		WHERE l.tenant_id = $1 AND l.order_id = o.id AND o.tenant_id = $1
			AND o.status IN `+notCancelled+` AND o.created_at >= $2 AND o.created_at < $3 AND l.sku <> ''`,
		c.tx.Tenant, from, to)
}
