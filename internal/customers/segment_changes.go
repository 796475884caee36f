package customers

import (
	"cmp"
	"math"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/search"
)

// NoteChange records, if the account has segments, that a customer may be in others of them than before. Everything in this package that
// changes what rules ask for does so itself, but for creations: the event log has new customers and new orders. Only an order that gets its
// customer later is left to its operation.
func NoteChange(w db.Writer, customer id.Customer) {
	// Behind the clock, so that none is missed while the lists of an account begin (see turn.start).
	w.Change("INSERT INTO segment_changes (tenant_id, stamp, customer_id) SELECT $1::BIGINT, "+db.Clock+
		" + $2::BIGINT, $3::UUID WHERE EXISTS (SELECT 1 FROM segment_lists_until u WHERE u.tenant_id = $1)",
		w.TenantID(), w.Stamps(1), customer)
}

// changes are the customers who may be in other segments than at a stamp.
type changes struct {
	ids   []id.Customer // newest first, each once
	until int64         // all up to this stamp are among them
	any   bool          // something was found, if only orders of nobody
	more  bool          // there may be later ones
}

// allChanges is no limit for changedSince.
const allChanges = math.MaxInt64

// changedSince reads who has changed since a stamp, up to the present or, of each kind of change, the first ones.
func changedSince(tx *db.Tx, stamp int64, limit int) (c changes, err error) {
	var noted struct {
		n    int
		last int64
	}
	now := tx.Prefetch(func(r db.Rows) error { return r.Scan(&c.until) }, "SELECT last FROM change_clocks WHERE tenant_id = $1", tx.Tenant)
	notes := tx.Prefetch(func(r db.Rows) error {
		var customer id.Customer
		err := r.Scan(&customer, &noted.last)
		c.ids, noted.n = append(c.ids, customer), noted.n+1
		return err
	}, "SELECT customer_id, stamp FROM segment_changes WHERE tenant_id = $1 AND stamp > $2 ORDER BY stamp LIMIT $3::BIGINT",
		tx.Tenant, stamp, limit)
	made, ordered := search.PrefetchLogged(tx, search.Customers, stamp, limit), search.PrefetchLogged(tx, search.Orders, stamp, limit)
	if err := db.WaitAll([]*db.PendingRead{now, notes}); err != nil {
		return c, err
	}
	reach := func(n int, last int64) {
		if n >= limit {
			c.until, c.more = min(c.until, last), true
		}
	}
	reach(noted.n, noted.last)
	created, err := made.Wait()
	if err != nil {
		return c, err
	}
	reach(len(created.IDs), created.Last)
	for _, text := range created.IDs {
		if customer, known := id.Parse[id.Customer](text); known {
			c.ids = append(c.ids, customer)
		}
	}
	received, err := ordered.Wait()
	if err == nil {
		reach(len(received.IDs), received.Last)
		c.any = noted.n+len(created.IDs)+len(received.IDs) > 0
		err = c.addBuyers(tx, received.IDs)
	}
	slices.SortFunc(c.ids, byNewest)
	c.ids = slices.Compact(c.ids)
	return c, err
}

// addBuyers adds the customers of some orders.
func (c *changes) addBuyers(tx *db.Tx, orders []string) error {
	orders = slices.DeleteFunc(orders, func(text string) bool { _, known := id.Parse[id.Order](text); return !known })
	return db.Chunks(orders, func(piece []string) error {
		return tx.Each(func(r db.Rows) error {
			var customer id.Customer
			err := r.Scan(&customer)
			c.ids = append(c.ids, customer)
			return err
		}, "SELECT customer_id FROM orders WHERE tenant_id = $1 AND customer_id IS NOT NULL AND id IN "+db.In(len(piece), 2),
			append([]any{tx.Tenant}, db.Args(piece)...)...)
	})
}

// byNewest compares customers by the order of lists.
func byNewest(a, b id.Customer) int { return cmp.Compare(b, a) }

// LastOrders returns when the newest order of each customer was created; those without orders are left out.
func LastOrders(tx *db.Tx, customers []id.Customer) (map[id.Customer]int64, error) {
	last := map[id.Customer]int64{}
	return last, db.Chunks(customers, func(piece []id.Customer) error {
		args := append([]any{tx.Tenant}, db.Padded(piece)...)
		return tx.Each(func(r db.Rows) error {
			var customer id.Customer
			var at int64
			err := r.Scan(&customer, &at)
			last[customer] = at
			return err
		}, "SELECT customer_id, max(created_at) FROM orders WHERE tenant_id = $1 AND customer_id IN "+db.In(len(args)-1,
			2)+" GROUP BY customer_id", args...)
	})
}

// candidates are customers with all that the rules of some segments ask for.
type candidates struct {
	list []Customer
	last map[id.Customer]int64 // when they ordered last, if a rule asks for it
}

// candidatesFor reads some customers for some segments; the list is the result of read.
func candidatesFor(tx *db.Tx, segments []*Segment, also bool, read func() ([]Customer, error)) (c candidates, err error) {
	var parts, ordered bool
	for _, s := range segments {
		parts = parts || len(s.Rules.TagsAny) > 0 || len(s.Rules.TagsAll) > 0 || s.Rules.Country != ""
		ordered = ordered || s.Rules.PrefetchOrders()
	}
	if c.list, err = read(); err == nil && (parts || also) {
		err = load(tx, c.list)
	}
	if err == nil && ordered {
		ids := make([]id.Customer, len(c.list))
		for i := range c.list {
			ids[i] = c.list[i].ID
		}
		c.last, err = LastOrders(tx, ids)
	}
	return c, err
}

// rowsOf reads the rows of customers, without tags and addresses, newest first.
func rowsOf(tx *db.Tx, ids []id.Customer) (list []Customer, err error) {
	return list, db.Chunks(ids, func(piece []id.Customer) error {
		args := db.Padded(piece)
		some, err := table.All(tx, "AND id IN "+db.In(len(args), 2)+" ORDER BY id DESC", args...)
		list = append(list, some...)
		return err
	})
}

// in are those of the candidates who meet rules, and what holds is true for, in their order.
func (c candidates) in(r *Rules, holds func(*Customer) bool) (list []id.Customer) {
	for i := range c.list {
		one := &c.list[i]
		if r.Match(one, c.last[one.ID]) && holds(one) {
			list = append(list, one.ID)
		}
	}
	return list
}
