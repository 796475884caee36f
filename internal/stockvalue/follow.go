package stockvalue

import (
	"context"
	"errors"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Bounds of the updates of the sums.
const (
	followAt  = 200 // changed levels or products from which an update is worth its cost
	leastStep = 256 // SKUs in one transaction
	mostStep  = 8192
)

// followAnyway is the number of changes from which the update does not wait for a pause. Tests lower it.
var followAnyway = 25_000

// Rest is how long an account's levels and products must be unchanged before the sums are updated, so that this does
// not happen in the middle of an import.
const Rest = 5 * time.Second

// countAgain is how long an account whose changes are too few for an update is not counted again: counting takes as long as it would
// to apply a part of them.
const countAgain = 30 * time.Second

// lockName is the lock of the writers of the sums: one at a time in an account. Its holder waits for no record
// (decision 5).
const lockName = "stock values"

// Follower updates the sums of every account. It is for one goroutine.
type Follower struct {
	again map[id.Tenant]time.Time // when the changes of an account may be counted again
}

// All updates the sums of every account with what has changed. It serves every tenant.
func (f *Follower) All(ctx context.Context, store *db.DB) error {
	var behind []id.Tenant
	err := store.Peek(ctx, db.Across, func(tx *db.Tx) (err error) {
		// The default 0 is inside the subquery: under row-level security, PostgreSQL uses no COALESCE as the bound of
		// an index.
		const since = " AND c.changed_at > (SELECT coalesce(max(u.stamp), 0) FROM stock_values_until u WHERE u.tenant_id = t.tenant_id)" +
			" ORDER BY c.changed_at LIMIT 1 OFFSET $1::BIGINT)"
		behind, err = db.List(tx, func(r db.Rows) (t id.Tenant, err error) { return t, r.Scan(&t) },
			"SELECT t.tenant_id FROM tenants t WHERE EXISTS (SELECT 1 FROM stock_levels c WHERE c.tenant_id = t.tenant_id"+since+
				" OR EXISTS (SELECT 1 FROM products c WHERE c.tenant_id = t.tenant_id"+since+" ORDER BY t.tenant_id", followAt-1)
		return err
	})
	now, again := store.Now(), map[id.Tenant]time.Time{}
	for _, tenant := range behind {
		if err != nil {
			break
		}
		var few bool
		counts := !now.Before(f.again[tenant])
		few, err = follow(ctx, store, tenant, Rest, counts)
		switch {
		case few && counts:
			again[tenant] = now.Add(countAgain)
		case few:
			again[tenant] = f.again[tenant]
		}
	}
	f.again = again
	return err
}

// Follow updates the sums of one account with all that has changed, if nothing changed for the time rest; 0 means at once.
func Follow(ctx context.Context, store *db.DB, tenant id.Tenant, rest time.Duration) error {
	_, err := follow(ctx, store, tenant, rest, true)
	return err
}

// follow is Follow; few reports whether there were changes in the time rest, too few for an update. Without counts they count as few.
func follow(ctx context.Context, store *db.DB, tenant id.Tenant, rest time.Duration, counts bool) (few bool, err error) {
	stride := store.NewBatchSize(leastStep, mostStep)
	for sure, more := 0, true; more; {
		var took time.Duration
		var left int
		err := store.Write(ctx, tenant, func(tx *db.Tx) (err error) {
			begun := store.Now()
			if more, left, err = followSome(tx, rest, stride.Size, sure, counts); err == nil {
				err = tx.Flush()
			}
			took = store.Now().Sub(begun)
			return err
		})
		if err != nil {
			if errors.Is(err, errFew) {
				return true, nil
			}
			return false, err
		}
		stride.Next(ctx, took)
		sure = left
	}
	return false, nil
}

// followSome applies the next changes in their order, those of about step SKUs, and reports whether there may be more. It does not ask
// whether it should wait while sure many changes are known to be enough for not waiting; left is that number after it. Errors: errFew.
func followSome(tx *db.Tx, rest time.Duration, step, sure int, counts bool) (more bool, left int, err error) {
	if err := tx.LockName(lockName); err != nil {
		return false, 0, err
	}
	until, _, err := followedUntil(tx)
	if err != nil {
		return false, 0, err
	}
	if rest > 0 && sure <= 0 { // with 0 the time does not matter: stamps may be ahead of the clock
		if sure, err = stillChanging(tx, until, tx.Micros()-rest.Microseconds(), counts); err != nil {
			return false, 0, err
		}
	}
	next, err := changedSince(tx, until, step, step)
	if err != nil || next.until == 0 {
		return false, 0, err
	}
	if err := move(tx, next.skus); err != nil {
		return false, 0, err
	}
	tx.Queue(`INSERT INTO stock_values_until (tenant_id, stamp) VALUES ($1, $2) ON CONFLICT (tenant_id) DO UPDATE SET stamp = excluded.stamp`,
		tx.Tenant, next.until)
	return next.more, sure - next.count, nil
}

// move queues that the levels of some SKUs add to the sums what they should add now. Its caller has the lock of the sums.
func move(tx *db.Tx, skus []string) error {
	moved := sums{}
	var written, gone []level
	err := eachLevel(tx, skus, func(l level) {
		switch {
		case l.counted == l.kept:
			return
		case l.onHand == 0:
			gone = append(gone, l)
		default:
			written = append(written, l)
		}
		moved.move(&l)
	})
	if err != nil {
		return err
	}
	saveLevels(tx, written, gone)
	saveSums(tx, moved)
	return nil
}

// stillChanging is errFew if a level or product has changed since a time and the changes are few enough to wait for a pause, and without
// counts, if one has. If they are not, plenty of them are there: counting these costs as much as applying some of them, so it is
// not done for each transaction.
func stillChanging(tx *db.Tx, until, since int64, counts bool) (plenty int, err error) {
	var newest, enough int64
	err = tx.Row(`SELECT coalesce(max(newest), 0) FROM (SELECT max(changed_at) AS newest FROM stock_levels WHERE tenant_id = $1
		UNION ALL SELECT max(changed_at) FROM products WHERE tenant_id = $1) AS newest_of_each`, []any{tx.Tenant}, &newest)
	if err != nil || newest <= since {
		return 0, err
	}
	if !counts {
		return 0, errFew
	}
	const behind = " WHERE tenant_id = $1 AND changed_at > $2 ORDER BY changed_at LIMIT 1 OFFSET $3::BIGINT)"
	err = tx.Row("SELECT CASE WHEN EXISTS (SELECT 1 FROM stock_levels"+behind+" OR EXISTS (SELECT 1 FROM products"+behind+
		" THEN 1 ELSE 0 END", []any{tx.Tenant, until, followAnyway}, &enough)
	if err == nil && enough == 0 {
		err = errFew
	}
	return followAnyway, err
}

// errFew means that the changes since the last update are too few for one.
var errFew = errors.New("stockvalue: too few changes")

// saveLevels queues what levels add to the sums now, in the order of their SKUs, which is the order of the table.
func saveLevels(tx *db.Tx, written, gone []level) {
	for piece := range db.Pieces(written) {
		args := append(make([]any, 0, 1+4*len(piece)), tx.Tenant)
		for i := range piece {
			args = append(args, piece[i].sku, piece[i].warehouse, piece[i].onHand, piece[i].price)
		}
		tx.Queue(writeText.For(len(piece), func(n int) string {
			return "INSERT INTO stock_level_values (tenant_id, sku, warehouse_code, on_hand, price) VALUES " + db.Repeat(n, 2, "($1,$,$,$,$)") +
				" ON CONFLICT (tenant_id, sku, warehouse_code) DO UPDATE SET on_hand = excluded.on_hand, price = excluded.price"
		}), args...)
	}
	for i := range gone {
		tx.Queue("DELETE FROM stock_level_values WHERE tenant_id = $1 AND sku = $2 AND warehouse_code = $3", tx.Tenant, gone[i].sku,
			gone[i].warehouse)
	}
}

var writeText db.Text

// saveSums queues the changes of the warehouses' sums.
func saveSums(tx *db.Tx, moved sums) {
	for warehouse, p := range moved {
		tx.Queue(`INSERT INTO stock_values (tenant_id, warehouse_code, ac, ad, bc, bd) VALUES ($1,$2,$3,$4,$5,$6)
			ON CONFLICT (tenant_id, warehouse_code) DO UPDATE SET ac = stock_values.ac + excluded.ac, ad = stock_values.ad + excluded.ad,
				bc = stock_values.bc + excluded.bc, bd = stock_values.bd + excluded.bd`, tx.Tenant, warehouse, p[0], p[1], p[2], p[3])
	}
}
