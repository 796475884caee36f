package sales

import (
	"context"
	"maps"
	"slices"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/base/spans"
	"entrepot/internal/db"
	"entrepot/internal/view"
)

// View maintains the blocks. Every change of an order moves the account's change clock, which the view follows. The
// versions of the buckets say which blocks are to be built.
var View = &view.View{
	Name:    "sales",
	Says:    "The stored sums of what was sold by SKU are what the lines of orders add up to.",
	Feeds:   []view.Feed{{Table: "change_clocks", Stamp: "last"}},
	Every:   10 * time.Second,
	Worth:   1,
	Run:     run,
	Compare: compare,
}

// A block that is no longer valid is built again only after a part of its width; until then narrower blocks and lines
// are read instead. The part is a sixtieth: a minute for an hour and 12 hours for 30 days. In an account where nothing
// has changed for a while, such as after an import, it is a 1,440th: a minute for a day.
const (
	partAfterChange = 60
	partWhenQuiet   = 1440
	quietAfter      = 10 * time.Second
)

// together is how many blocks are built by one transaction.
const together = 24

// run builds the blocks that are due, the narrowest first, because wider ones are summed from these. whole is false
// if others will be due.
func run(ctx context.Context, store *db.DB, tenant id.Tenant) (whole bool, err error) {
	whole = true
	pace := store.NewPace()
	for level := range widths {
		var due []state
		err := store.ReadWide(ctx, tenant, func(tx *db.Tx) error {
			part, err := partOf(tx)
			if err != nil {
				return err
			}
			var waiting []state
			if level == hours {
				due, waiting, err = dueHours(tx, part)
			} else {
				due, waiting, err = dueBlocks(tx, part, level, 0, spans.Last)
			}
			whole = whole && len(waiting) == 0
			return err
		})
		if err != nil {
			return false, err
		}
		for piece := range slices.Chunk(due, together) {
			if err := build(ctx, store, tenant, level, piece); err != nil {
				return false, err
			}
			pace.Next(ctx)
		}
	}
	return whole, ctx.Err()
}

// partOf returns the part of its width for which an invalid block is not built again.
func partOf(tx *db.Tx) (int64, error) {
	var last int64
	err := tx.Row("SELECT last FROM change_clocks WHERE tenant_id = $1", []any{tx.Tenant}, &last)
	if last <= tx.Micros()-quietAfter.Microseconds() {
		return partWhenQuiet, err
	}
	return partAfterChange, err
}

// dueBlocks returns the buckets of a range with enough orders for a block and without a valid one. Buckets whose last
// block is too new to be built again are returned as waiting.
func dueBlocks(tx *db.Tx, part int64, level int, from, to int64) (due, waiting []state, err error) {
	list, err := states(tx, level, from, to)
	if err != nil {
		return nil, nil, err
	}
	type made struct{ version, at int64 }
	known := map[int64]made{}
	err = tx.Each(func(r db.Rows) error {
		var bucket int64
		var m made
		err := r.Scan(&bucket, &m.version, &m.at)
		known[bucket] = m
		return err
	}, "SELECT bucket, version, made_at FROM sales_blocks WHERE tenant_id = $1 AND width = $2 AND bucket >= $3 AND bucket < $4", tx.Tenant,
		widths[level], from, to)
	for _, s := range list {
		switch m, there := known[s.bucket]; {
		case s.orders < fewest || there && m.version == s.version:
		case there && tx.Micros()-m.at < widths[level]/part:
			waiting = append(waiting, s)
		default:
			due = append(due, s)
		}
	}
	return due, waiting, err
}

// dueHours is dueBlocks for the hours of days without a valid block; hours of other days are read by their days.
func dueHours(tx *db.Tx, part int64) (due, waiting []state, err error) {
	now, later, err := dueBlocks(tx, part, days, 0, spans.Last)
	for _, day := range slices.Concat(now, later) {
		if err != nil {
			break
		}
		var ours, others []state
		ours, others, err = dueBlocks(tx, part, hours, day.bucket, day.bucket+widths[days])
		due, waiting = append(due, ours...), append(waiting, others...)
	}
	return due, waiting, err
}

// build sums some buckets on a snapshot and stores their blocks with the versions that the buckets had before the
// snapshot. If orders have changed since, the block has an old version and is not valid.
func build(ctx context.Context, store *db.DB, tenant id.Tenant, level int, buckets []state) error {
	sums := make([]map[item]Sum, len(buckets))
	orderOf := map[string]id.Order{}
	err := store.ReadWide(ctx, tenant, func(tx *db.Tx) error {
		for i, b := range buckets {
			sums[i] = map[item]Sum{}
			c, err := collect(tx, b.bucket, b.bucket+widths[level], level-1, into(sums[i]))
			if err != nil {
				return err
			}
			maps.Copy(orderOf, c.orderOf)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return store.Write(ctx, tenant, func(tx *db.Tx) error {
		numbers, err := give(tx, orderOf)
		for i, b := range buckets {
			if err == nil {
				b.write(tx, level, sums[i], numbers)
			}
		}
		return err
	})
}

// write queues the block of a bucket, unless there is one of a later version.
func (s state) write(tx *db.Tx, level int, lines map[item]Sum, numbers map[string]int64) {
	sums := make(map[item]Sum, len(lines))
	add := into(sums)
	for i, sum := range lines {
		if i.number < 0 {
			i.number, i.sku = numbers[i.sku], ""
		}
		add(i, sum)
	}
	tx.Queue(`INSERT INTO sales_blocks (tenant_id, width, bucket, version, made_at, body) VALUES ($1,$2,$3,$4,$5,$6)
		ON CONFLICT (tenant_id, width, bucket) DO UPDATE SET version = excluded.version, made_at = excluded.made_at, body = excluded.body
			WHERE sales_blocks.version <= excluded.version`, tx.Tenant, widths[level], s.bucket, s.version, tx.Micros(), encode(sums))
}

// give numbers the SKUs without a number. Its lock admits one writer at a time in an account (decision 5).
func give(tx *db.Tx, orderOf map[string]id.Order) (map[string]int64, error) {
	numbers := make(map[string]int64, len(orderOf))
	if len(orderOf) == 0 {
		return numbers, nil
	}
	if err := tx.LockName("sold SKUs"); err != nil {
		return nil, err
	}
	skus := make([]string, 0, len(orderOf))
	for sku := range orderOf {
		skus = append(skus, sku)
	}
	slices.Sort(skus)
	err := db.Chunks(skus, func(piece []string) error { // another node may have numbered some meanwhile
		return tx.Each(func(r db.Rows) error {
			var sku string
			var number int64
			err := r.Scan(&sku, &number)
			numbers[sku] = number
			return err
		}, knownText.For(len(piece), func(n int) string {
			return "SELECT sku, number FROM sold_skus WHERE tenant_id = $1 AND sku IN " + db.In(n, 2)
		}), append([]any{tx.Tenant}, db.Args(piece)...)...)
	})
	var next int64
	if err == nil {
		err = tx.Row("SELECT coalesce(max(number) + 1, 0) FROM sold_skus WHERE tenant_id = $1", []any{tx.Tenant}, &next)
	}
	if err != nil {
		return nil, err
	}
	fresh := slices.DeleteFunc(skus, func(sku string) bool { _, known := numbers[sku]; return known })
	return numbers, db.Chunks(fresh, func(piece []string) error {
		args := []any{tx.Tenant}
		for _, sku := range piece {
			numbers[sku] = next
			args = append(args, sku, next, orderOf[sku])
			next++
		}
		tx.Queue(giveText.For(len(piece), func(n int) string {
			return "INSERT INTO sold_skus (tenant_id, sku, number, order_id) VALUES " + db.Repeat(n, 2, "($1,$,$,$)")
		}), args...)
		return nil
	})
}

var knownText, giveText db.Text
