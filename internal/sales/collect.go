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

// stretch sums a range: by the blocks of a level, and by those of the next one what has none. Each level is one message
// to the store, and so are the lines.
func (c *collector) stretch(level int, from, to int64) (err error) {
	rest := []stretch{{from, to}}
	for ; level >= 0 && err == nil; level-- {
		rest, err = c.blocks(level, rest)
	}
	if err != nil {
		return err
	}
	return c.read(rest)
}

// stretch is a range of time, from one instant to before another.
type stretch struct{ from, to int64 }

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

// blocks uses the valid blocks of some ranges, and returns the parts without one, in their order.
func (c *collector) blocks(level int, ranges []stretch) (rest []stretch, err error) {
	whole := make([]*bucketed, len(ranges))
	var reads []*db.PendingRead
	for i, r := range ranges {
		up, down := spans.Up(r.from, widths[level]), spans.Down(r.to, widths[level])
		if up < down {
			whole[i] = &bucketed{versions: map[int64]int64{}, held: map[int64]bool{}, stretch: stretch{up, down}}
			reads = append(reads, c.prefetchBlocks(level, whole[i])...)
		}
	}
	if err := db.WaitAll(reads); err != nil {
		return nil, err
	}
	add := func(from, to int64) {
		if last := len(rest) - 1; last >= 0 && rest[last].to == from && from < to {
			rest[last].to = to
		} else if from < to {
			rest = append(rest, stretch{from, to})
		}
	}
	for i, r := range ranges {
		if whole[i] == nil {
			add(r.from, r.to)
			continue
		}
		add(r.from, whole[i].from)
		for _, gap := range whole[i].gaps(widths[level]) {
			add(gap.from, gap.to)
		}
		add(whole[i].to, r.to)
	}
	return rest, nil
}

// bucketed are the buckets of a range of whole ones: those with orders, and those of which a block was used.
type bucketed struct {
	stretch
	list     []state
	versions map[int64]int64
	held     map[int64]bool
}

// gaps are the parts with orders and without a block. What lies between has no orders, or a block.
func (b *bucketed) gaps(width int64) (list []stretch) {
	open := false
	for _, s := range b.list {
		switch {
		case b.held[s.bucket]:
			open = false
		case s.orders == 0:
		case open:
			list[len(list)-1].to = s.bucket + width
		default:
			list, open = append(list, stretch{s.bucket, s.bucket + width}), true
		}
	}
	return list
}

// prefetchBlocks reads the buckets of a range and uses the valid blocks.
func (c *collector) prefetchBlocks(level int, b *bucketed) []*db.PendingRead {
	current := prefetchStates(c.tx, level, b.from, b.to, func(s state) {
		b.list = append(b.list, s)
		b.versions[s.bucket] = s.version
	})
	kept := c.tx.Prefetch(func(r db.Rows) error {
		var bucket, version int64
		var body []byte
		if err := r.Scan(&bucket, &version, &body); err != nil || version != b.versions[bucket] {
			return err
		}
		b.held[bucket] = true
		if c.block != nil {
			return c.block(body)
		}
		return decode(body, c.sold)
	}, "SELECT bucket, version, body FROM sales_blocks WHERE tenant_id = $1 AND width = $2 AND bucket >= $3 AND bucket < $4", c.tx.Tenant,
		widths[level], b.from, b.to)
	return []*db.PendingRead{current, kept}
}

// read reads the lines of ranges, order by order: a planner with a choice would read every line of the account. Adding
// the lines up with GROUP BY would take SQLite longer than returning them.
func (c *collector) read(ranges []stretch) error {
	reads := make([]*db.PendingRead, len(ranges))
	for n, r := range ranges {
		reads[n] = c.tx.Prefetch(c.line, `SELECT o.currency, coalesce((SELECT s.number FROM sold_skus s WHERE s.tenant_id = $1 AND s.sku = l.sku), -1),
				l.sku, o.id, l.quantity, l.line_total
			FROM orders o CROSS JOIN order_lines l
			WHERE l.tenant_id = $1 AND l.order_id = o.id AND o.tenant_id = $1
				AND o.status IN `+notCancelled+` AND o.created_at >= $2 AND o.created_at < $3 AND l.sku <> ''`,
			c.tx.Tenant, r.from, r.to)
	}
	return db.WaitAll(reads)
}

// line passes on the sum of one line.
func (c *collector) line(r db.Rows) error {
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
}
