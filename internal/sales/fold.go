package sales

import (
	"context"
	"errors"
	"slices"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/base/spans"
	"entrepot/internal/db"
)

// lockName is the lock for giving numbers to SKUs: one writer at a time in an account (decision 5).
const lockName = "sold SKUs"

// patience is the part of its width for which an invalid block is left before it is made again: an hour's for a
// minute, that of 30 days for 12 hours. Meanwhile narrower blocks and lines are read instead.
const patience = 60

// rest is the pause between two buckets.
const rest = 20 * time.Millisecond

// Folder builds the blocks of all accounts.
type Folder struct {
	done map[id.Tenant]int64 // the change clock when nothing was left to do
}

// All builds the blocks that are due in every account that changed since the last call. It serves every tenant.
func (f *Folder) All(ctx context.Context, store *db.DB) error {
	if f.done == nil {
		f.done = map[id.Tenant]int64{}
	}
	clocks := map[id.Tenant]int64{}
	err := store.Peek(ctx, db.Across, func(tx *db.Tx) error {
		return tx.Each(func(r db.Rows) error {
			var tenant id.Tenant
			var last int64
			err := r.Scan(&tenant, &last)
			clocks[tenant] = last
			return err
		}, "SELECT tenant_id, last FROM change_clocks")
	})
	if err != nil {
		return err
	}
	for tenant, last := range clocks {
		if was, known := f.done[tenant]; known && was == last {
			continue
		}
		later, failed := Fold(ctx, store, tenant)
		if err = errors.Join(err, failed); failed == nil && !later {
			f.done[tenant] = last
		}
	}
	return err
}

// Fold builds the blocks of an account that are due; later reports that others will be.
func Fold(ctx context.Context, store *db.DB, tenant id.Tenant) (later bool, err error) {
	for _, level := range []int{days, months} {
		var due []int64
		var elsewhere bool
		err := store.ReadWide(ctx, tenant, func(tx *db.Tx) error {
			var waiting bool
			list, err := states(tx, level, 0, spans.Last)
			if err == nil {
				due, waiting, elsewhere, err = stale(tx, level, list, 0, spans.Last)
			}
			later = later || waiting
			return err
		})
		if err != nil {
			return later, err
		}
		for _, bucket := range due {
			ours, err := claim(ctx, store, tenant, level, bucket)
			if err == nil && ours {
				err = fold(ctx, store, tenant, level, bucket)
			}
			if err != nil {
				return later, err
			}
			elsewhere = elsewhere || !ours
			select {
			case <-ctx.Done():
				return later, ctx.Err()
			case <-time.After(rest):
			}
		}
		if elsewhere { // wider blocks are made of these
			return true, nil
		}
	}
	return later, nil
}

// claimFor is how long other nodes leave a bucket to the one that has begun to sum it.
const claimFor = 5 * time.Minute

// claimed is the version of a block that a node is making.
const claimed = -1

// claim reports whether a bucket that is due is for this node to sum: no other node has begun that. Its block is as invalid as it was.
func claim(ctx context.Context, store *db.DB, tenant id.Tenant, level int, bucket int64) (ours bool, err error) {
	err = store.Write(ctx, tenant, func(tx *db.Tx) error {
		before := tx.Micros() - widths[level]/patience
		n, err := tx.Exec(`INSERT INTO sales_blocks (tenant_id, width, bucket, version, made_at, body) VALUES ($1,$2,$3,$4,$5,$6)
			ON CONFLICT (tenant_id, width, bucket) DO UPDATE SET version = excluded.version, made_at = excluded.made_at
				WHERE sales_blocks.made_at <= $7`, tx.Tenant, widths[level], bucket, claimed, before+claimFor.Microseconds(), []byte{}, before)
		ours = n > 0
		return err
	})
	return ours, err
}

// stale are the buckets of a range, by their states, with enough orders for a block, without a valid one, and whose last
// block is old enough; waiting reports whether others are not old enough yet, elsewhere whether a node is making some of those.
func stale(tx *db.Tx, level int, list []state, from, to int64) (due []int64, waiting, elsewhere bool, err error) {
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
		case there && tx.Micros()-m.at < widths[level]/patience:
			waiting, elsewhere = true, elsewhere || m.version == claimed
		default:
			due = append(due, s.bucket)
		}
	}
	return due, waiting, elsewhere, err
}

// made is a block that is being built.
type made struct {
	state
	width int64
	sums  map[item]Sum
}

// fold builds the block of a bucket, and for a day those of its hours. Versions are read before the lines: if orders
// change in between, the block has an old version and is not valid.
func fold(ctx context.Context, store *db.DB, tenant id.Tenant, level int, bucket int64) error {
	var list []made
	orderOf := map[string]id.Order{}
	err := store.ReadWide(ctx, tenant, func(tx *db.Tx) (err error) {
		list, err = makeBlocks(tx, level, bucket, orderOf)
		return err
	})
	if err != nil || len(list) == 0 {
		return err
	}
	return store.Write(ctx, tenant, func(tx *db.Tx) error {
		numbers, err := give(tx, orderOf)
		if err != nil {
			return err
		}
		for i := range list {
			list[i].write(tx, numbers)
		}
		return nil
	})
}

// makeBlocks sums a bucket and, for a day, its hours.
func makeBlocks(tx *db.Tx, level int, bucket int64, orderOf map[string]id.Order) ([]made, error) {
	whole, err := states(tx, level, bucket, bucket+widths[level])
	if err != nil || len(whole) == 0 {
		return nil, err
	}
	block := made{whole[0], widths[level], map[item]Sum{}}
	if level == months {
		c, err := collect(tx, bucket, bucket+widths[level], days, into(block.sums))
		noteOrders(orderOf, c)
		return []made{block}, err
	}
	parts, err := states(tx, hours, bucket, bucket+widths[level])
	if err != nil {
		return nil, err
	}
	due, _, _, err := stale(tx, hours, parts, bucket, bucket+widths[level])
	if err != nil {
		return nil, err
	}
	list := []made{block}
	for _, part := range parts {
		hour := made{part, widths[hours], map[item]Sum{}}
		c, err := collect(tx, part.bucket, part.bucket+widths[hours], hours, into(hour.sums))
		if err != nil {
			return nil, err
		}
		noteOrders(orderOf, c)
		for i, s := range hour.sums {
			into(block.sums)(i, s)
		}
		if slices.Contains(due, part.bucket) {
			list = append(list, hour)
		}
	}
	return list, nil
}

func noteOrders(orderOf map[string]id.Order, c *collector) {
	for sku, order := range c.orderOf {
		orderOf[sku] = order
	}
}

// write queues the block, unless there is one of a later version.
func (m *made) write(tx *db.Tx, numbers map[string]int64) {
	sums := make(map[item]Sum, len(m.sums))
	add := into(sums)
	for i, s := range m.sums {
		if i.number < 0 {
			i.number, i.sku = numbers[i.sku], ""
		}
		add(i, s)
	}
	tx.Queue(`INSERT INTO sales_blocks (tenant_id, width, bucket, version, made_at, body) VALUES ($1,$2,$3,$4,$5,$6)
		ON CONFLICT (tenant_id, width, bucket) DO UPDATE SET version = excluded.version, made_at = excluded.made_at, body = excluded.body
			WHERE sales_blocks.version <= excluded.version`, tx.Tenant, m.width, m.bucket, m.version, tx.Micros(), encode(sums))
}

// give gives numbers to SKUs without one.
func give(tx *db.Tx, orderOf map[string]id.Order) (map[string]int64, error) {
	numbers := make(map[string]int64, len(orderOf))
	if len(orderOf) == 0 {
		return numbers, nil
	}
	if err := tx.LockName(lockName); err != nil {
		return nil, err
	}
	skus := make([]string, 0, len(orderOf))
	for sku := range orderOf {
		skus = append(skus, sku)
	}
	slices.Sort(skus)
	err := db.Chunks(skus, func(piece []string) error { // another node may have given some meanwhile
		args := []any{tx.Tenant}
		for _, sku := range piece {
			args = append(args, sku)
		}
		return tx.Each(func(r db.Rows) error {
			var sku string
			var number int64
			err := r.Scan(&sku, &number)
			numbers[sku] = number
			return err
		}, knownText.For(len(piece), func(n int) string {
			return "SELECT sku, number FROM sold_skus WHERE tenant_id = $1 AND sku IN " + db.In(n, 2)
		}), args...)
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
