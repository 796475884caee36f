package orders

import (
	"context"
	"maps"
	"slices"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/search"
)

// Bounds of columns. Tests lower the first three.
var (
	columnsFrom  = int64(20_000)    // orders of an account from which columns are used
	columnsWorth = int64(5_000)     // orders at which a list would look, from which they are made
	columnsLate  = 5_000            // orders that are new or have changed, from which on columns are not used
	columnsMost  = int64(2_000_000) // orders in the memory of a node
	columnsAgain = time.Minute      // between two times that all orders of an account are read for them
	columnsHold  = time.Hour        // so long they are used after they were made, and kept after a list wanted them
)

// followLate is how many times as many may have changed for columns to be brought up to date rather than read again.
const followLate = 8

// FollowColumns makes the columns that lists have wanted since they were made, and forgets those that none wants any more. It serves every
// tenant.
func FollowColumns(ctx context.Context, store *db.DB) (err error) {
	now, kept := store.Now(), 0
	eachHeld(store, func(tenant id.Tenant, own *held) bool {
		if now.Sub(time.UnixMicro(own.wanted.Load())) > columnsHold {
			store.Memo().Delete(heldOf(tenant))
			return true
		}
		kept += own.size()
		return true
	})
	eachHeld(store, func(tenant id.Tenant, own *held) bool {
		if own.wanted.Load() < own.made.Load() {
			return true
		}
		before := own.size()
		err = own.follow(ctx, store, tenant, int(columnsMost)-kept+before)
		kept += own.size() - before
		return err == nil
	})
	return err
}

func eachHeld(store *db.DB, each func(tenant id.Tenant, own *held) bool) {
	store.Memo().Range(func(key, kept any) bool {
		tenant, is := key.(heldOf)
		return !is || each(id.Tenant(tenant), kept.(*held))
	})
}

// size is how many orders are in memory.
func (own *held) size() int {
	if at := own.now.Load(); at != nil {
		return len(at.ids)
	}
	return 0
}

// follow brings the columns of an account up to date, or makes them, if it has not more orders than most.
func (own *held) follow(ctx context.Context, store *db.DB, tenant id.Tenant, most int) error {
	began := store.Now()
	err := store.ReadWide(ctx, tenant, func(tx *db.Tx) error {
		if at := own.now.Load(); at != nil && began.Sub(time.UnixMicro(at.micros)) <= columnsHold {
			now, err := at.current(tx, followLate*columnsLate)
			if now != nil {
				own.now.Store(now.merged(tx.Micros()))
			}
			if now != nil || err != nil || began.Sub(time.UnixMicro(own.read.Load())) < columnsAgain {
				return err
			}
		}
		own.now.Store(nil) // not both in memory
		own.read.Store(began.UnixMicro())
		all, err := prefetchTotal(tx, CountedFilter{}).Wait()
		if err != nil || all < columnsFrom || all > int64(most) {
			return err
		}
		at, err := readColumns(tx, int(all))
		if err == nil {
			own.now.Store(at)
		}
		return err
	})
	if err == nil {
		own.made.Store(began.UnixMicro())
	}
	return err
}

// readColumns reads all orders, some many.
func readColumns(tx *db.Tx, many int) (*columns, error) {
	c := newColumns(many)
	c.micros = tx.Micros()
	if err := tx.Row("SELECT coalesce(max(last), 0) FROM change_clocks WHERE tenant_id = $1", []any{tx.Tenant}, &c.until); err != nil {
		return nil, err
	}
	var lines lineReader
	return c, tx.Each(func(r db.Rows) error {
		line, err := lines.read(r)
		c.add(line)
		return err
	}, selectLines+"o.tenant_id = $1 ORDER BY o.id", tx.Tenant)
}

// merged are columns with the orders as they are now.
func (c *current) merged(micros int64) *columns {
	if len(c.moved) == 0 {
		same := *c.columns
		same.until, same.micros = c.clock, micros
		return &same
	}
	next := newColumns(len(c.ids) + len(c.late))
	next.until, next.micros = c.clock, micros
	next.names, next.counts, next.known = slices.Clone(c.names), slices.Clone(c.counts), maps.Clone(c.known)
	stale, places, begin := c.stale, search.SetOf(c.ids), 0
	before := func(end int) { // those that are as they were, without the stale ones
		for begin < end {
			piece := end
			if len(stale) > 0 {
				piece = min(end, stale[0])
			}
			next.copy(c.columns, begin, piece)
			if begin = piece; begin < end {
				next.counts[c.states[begin]]--
				begin, stale = begin+1, stale[1:]
			}
		}
	}
	for _, line := range c.late {
		at, _ := places.Find(line.id)
		before(at)
		next.add(line)
	}
	before(len(c.ids))
	return next
}

// copy adds the orders from one place of other columns to before another, which are counted already.
func (c *columns) copy(of *columns, from, to int) {
	c.ids, c.totals, c.created = append(c.ids, of.ids[from:to]...), append(c.totals, of.totals[from:to]...),
		append(c.created, of.created[from:to]...)
	c.numbers, c.states = append(c.numbers, of.numbers[from:to]...), append(c.states, of.states[from:to]...)
}
