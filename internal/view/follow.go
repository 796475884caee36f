package view

import (
	"cmp"
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Follow updates the view of every account with enough changes or work for Tidy. It serves every tenant. An error in
// one account does not keep the others from their update.
func (v *View) Follow(ctx context.Context, store *db.DB) error {
	var behind []id.Tenant
	err := store.Peek(ctx, db.Across, func(tx *db.Tx) (err error) {
		sql, args := v.behind()
		behind, err = db.List(tx, func(r db.Rows) (t id.Tenant, err error) { return t, r.Scan(&t) }, sql, args...)
		return err
	})
	for _, tenant := range behind {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		err = errors.Join(err, v.followQuietly(ctx, store, tenant))
	}
	return err
}

// behind selects the accounts with work. Only a view with feeds has an argument: PostgreSQL takes none that is not used.
func (v *View) behind() (sql string, args []any) {
	var work []string
	for _, f := range v.Feeds {
		later := "e." + f.Stamp + " > " + v.UntilOf("t.tenant_id")
		work = append(work, "EXISTS ("+f.entries("t.tenant_id", later, "LIMIT 1 OFFSET $1::BIGINT")+")")
		args = []any{max(0, v.Worth-1)}
	}
	if v.Due != "" {
		work = append(work, v.Due)
	}
	return "SELECT t.tenant_id FROM " + cmp.Or(v.Of, "tenants") + " t WHERE " + strings.Join(work, " OR ") + " ORDER BY t.tenant_id", args
}

// followQuietly updates the view of one account, unless its feeds have just changed and the changes are few enough to
// wait for a pause. While very many changes arrive, it applies as many as it has counted and then counts again.
func (v *View) followQuietly(ctx context.Context, store *db.DB, tenant id.Tenant) error {
	for {
		goal, quiet := int64(math.MaxInt64), true
		if v.Pause > 0 {
			err := store.Peek(ctx, tenant, func(tx *db.Tx) (err error) {
				if quiet, err = v.quiet(tx); err == nil && !quiet {
					goal, err = v.enough(tx)
				}
				return err
			})
			if err != nil || !quiet && goal == 0 {
				return err
			}
		}
		if err := v.followTo(ctx, store, tenant, goal, false); err != nil || quiet {
			return err
		}
	}
}

// quiet reports whether no feed has changed during the pause.
func (v *View) quiet(tx *db.Tx) (bool, error) {
	branches := make([]string, len(v.Feeds))
	for i, f := range v.Feeds {
		branches[i] = "SELECT max(e." + f.Stamp + ") AS newest FROM " + f.Table + " e WHERE e.tenant_id = $1" + f.Where
	}
	var newest int64
	err := tx.Row("SELECT coalesce(max(newest), 0) FROM ("+strings.Join(branches, " UNION ALL ")+") AS newest_of_each",
		[]any{tx.Tenant}, &newest)
	return newest <= tx.Micros()-v.Pause.Microseconds(), err
}

// enough returns the stamp of the change after Anyway others in one of the feeds, or 0 if no feed has so many.
func (v *View) enough(tx *db.Tx) (goal int64, err error) {
	branches := make([]string, len(v.Feeds))
	for i, f := range v.Feeds {
		later := "e." + f.Stamp + " > " + v.UntilOf("$1")
		branches[i] = "SELECT stamp FROM (" + f.entries("$1", later, "LIMIT 1 OFFSET $2::BIGINT") + ") AS enough"
	}
	return goal, tx.Row("SELECT coalesce(max(stamp), 0) FROM ("+strings.Join(branches, " UNION ALL ")+") AS enough_of_each",
		[]any{tx.Tenant, v.Anyway}, &goal)
}

// FollowTenant brings the view of one account up to date at once with everything that was committed before the call,
// whatever that costs.
func (v *View) FollowTenant(ctx context.Context, store *db.DB, tenant id.Tenant) error {
	return v.followTo(ctx, store, tenant, math.MaxInt64, true)
}

// Include updates the view of one account up to a stamp, if a feed has changes before the stamp that the view lacks;
// afterwards the feed may delete them. Include goes no further than the stamp, since an update may not be worth its
// cost yet.
func (v *View) Include(ctx context.Context, store *db.DB, tenant id.Tenant, stamp int64) error {
	var next int64
	err := store.Read(ctx, tenant, func(tx *db.Tx) error {
		from, err := v.Until(tx)
		if err == nil {
			next, _, err = v.Reach(tx, from, 1)
		}
		if next == from { // nothing has changed
			next = stamp
		}
		return err
	})
	if err != nil || next >= stamp {
		return err
	}
	return v.followTo(ctx, store, tenant, stamp, false)
}

// followTo applies changes until the position has reached a goal or none are left, and then tidies.
func (v *View) followTo(ctx context.Context, store *db.DB, tenant id.Tenant, goal int64, all bool) error {
	if v.Run != nil {
		return v.runTo(ctx, store, tenant)
	}
	batch := store.NewBatchSize(v.Least, v.Most)
	for more := true; more; {
		var took time.Duration
		err := store.Write(ctx, tenant, func(tx *db.Tx) (err error) {
			begun := store.Now()
			if more, err = v.batch(tx, batch.Size, goal, all); err == nil {
				err = tx.Flush()
			}
			took = store.Now().Sub(begun)
			return err
		})
		if err != nil {
			return err
		}
		if more {
			batch.Next(ctx, took)
		}
	}
	return nil
}

// Batch is one transaction of FollowTenant: it applies at most size changes of each feed, and reports whether another
// one should follow.
func (v *View) Batch(tx *db.Tx, size int) (more bool, err error) {
	return v.batch(tx, size, math.MaxInt64, true)
}

// batch applies the next changes, and tidies if they are the last ones. It reports whether another batch should follow.
func (v *View) batch(tx *db.Tx, size int, goal int64, all bool) (more bool, err error) {
	if err := v.Lock(tx); err != nil {
		return false, err
	}
	from, err := v.Until(tx)
	if err != nil || from >= goal {
		return false, err
	}
	to, more, err := v.Reach(tx, from, size)
	if err == nil && to > from {
		err = v.Step(tx, from, to)
		v.save(tx, to)
	}
	if err != nil || more || v.Tidy == nil {
		return more, err
	}
	return v.Tidy(tx, size, all)
}

// runTo calls Run, and stores the position if the view then has every change from before the call.
func (v *View) runTo(ctx context.Context, store *db.DB, tenant id.Tenant) error {
	var from, to int64
	err := store.Peek(ctx, tenant, func(tx *db.Tx) (err error) {
		if from, err = v.Until(tx); err == nil {
			to, _, err = v.Reach(tx, from, math.MaxInt64)
		}
		return err
	})
	if err != nil {
		return err
	}
	whole, err := v.Run(ctx, store, tenant)
	if err != nil || !whole || to == from {
		return err
	}
	return store.Write(ctx, tenant, func(tx *db.Tx) error {
		v.save(tx, to)
		return nil
	})
}

// save queues the position, unless another process has stored a later one.
func (v *View) save(tx *db.Tx, to int64) {
	tx.Queue("INSERT INTO views_until (tenant_id, view, stamp) VALUES ($1, $2, $3) ON CONFLICT (tenant_id, view) DO UPDATE "+
		"SET stamp = excluded.stamp WHERE views_until.stamp < excluded.stamp", tx.Tenant, v.Name, to)
}
