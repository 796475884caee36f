package customers

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// turn is one change of the lists of an account.
type turn struct {
	number, stamp int64          // as they were
	until         int64          // the new stamp
	start         bool           // the account gets lists, and nothing else happens
	end           bool           // or it has none any more
	begin         []segmentList  // new lists
	changed       []*listChange  // of lists that were there
	gone          []*segmentList // lists without rows
	more          bool           // another turn follows
}

// listChange is how a turn changes one list.
type listChange struct {
	was, list segmentList
	added     []id.Customer
	removed   []id.Customer
}

// planTurn finds what is to be done, with about size customers.
func planTurn(tx *db.Tx, size int) (*turn, error) {
	t := &turn{}
	segments, err := Segments(tx)
	if err != nil {
		return nil, err
	}
	var known bool
	if t.stamp, t.number, known, err = listsUntil(tx); err != nil {
		return nil, err
	}
	if !known {
		t.start, t.more = len(segments) > 0, true
		return t, nil
	}
	lists, err := segmentListTable.All(tx, "ORDER BY id")
	if err != nil {
		return nil, err
	}
	t.end = len(segments)+len(lists) == 0
	var followed []*followedList
	for _, l := range lists {
		c := &listChange{was: l, list: l}
		t.changed = append(t.changed, c)
		if at := slices.IndexFunc(segments, func(s Segment) bool { return l.isOf(&s) }); at >= 0 {
			followed = append(followed, &followedList{c, &segments[at]})
		} else {
			c.list.rules = "" // it does not follow any more, so it must not become that of a segment again
		}
	}
	t.beginLists(segments, lists)
	if err := t.applyChanges(tx, followed, size); err != nil {
		return nil, err
	}
	if err := t.lengthen(tx, followed, size); err != nil {
		return nil, err
	}
	return t, t.shorten(tx, size)
}

// followedList is the list of a segment that has it still.
type followedList struct {
	*listChange
	segment *Segment
}

func segmentsOf(followed []*followedList) []*Segment {
	list := make([]*Segment, len(followed))
	for i, l := range followed {
		list[i] = l.segment
	}
	return list
}

// beginLists begins the lists of segments that have none.
func (t *turn) beginLists(segments []Segment, lists []segmentList) {
	for i := range segments {
		s := &segments[i]
		if !slices.ContainsFunc(lists, func(l segmentList) bool { return l.isOf(s) }) {
			t.begin = append(t.begin, segmentList{ID: t.number + int64(len(t.begin)) + 1, segment: s.ID, rules: s.Rules.digest()})
			t.more = true
		}
	}
}

// applyChanges puts customers who have changed into the lists, or takes them out.
func (t *turn) applyChanges(tx *db.Tx, followed []*followedList, size int) error {
	since, err := changedSince(tx, t.stamp, size)
	if err != nil {
		return err
	}
	t.until, t.more = t.stamp, t.more || since.more
	if !since.any {
		return nil
	}
	t.until = since.until
	if len(followed) == 0 || len(since.ids) == 0 {
		return nil
	}
	c, err := candidatesFor(tx, segmentsOf(followed), false, func() ([]Customer, error) { return rowsOf(tx, since.ids) })
	for _, l := range followed {
		if err != nil {
			break
		}
		var was []id.Customer
		was, err = membersAmong(tx, l.was.ID, since.ids, anyMember)
		now := c.in(&l.segment.Rules, func(c *Customer) bool { return l.was.reached(c.ID) })
		l.added = without(now, was)
		l.removed = without(was, now)
	}
	return err
}

// without are the customers of one list, newest first, that are not in another one.
func without(list, other []id.Customer) (rest []id.Customer) {
	for _, c := range list {
		if _, found := slices.BinarySearchFunc(other, c, byNewest); !found {
			rest = append(rest, c)
		}
	}
	return rest
}

// lengthen looks at the next customers for the first list that is not whole, and all others that have come as far.
func (t *turn) lengthen(tx *db.Tx, followed []*followedList, size int) error {
	followed = slices.DeleteFunc(slices.Clone(followed), func(l *followedList) bool { return l.was.whole })
	if len(followed) == 0 {
		return nil
	}
	t.more = true
	from := followed[0].was.doneTo
	followed = slices.DeleteFunc(followed, func(l *followedList) bool { return l.was.doneTo != from })
	next, err := candidatesFor(tx, segmentsOf(followed), false, func() ([]Customer, error) {
		w := db.AndGiven(db.NewWhere(tx, ""), "id > ?::UUID", from)
		return table.Rows(tx, w, "id", size, 0)
	})
	if err != nil {
		return err
	}
	for _, l := range followed {
		l.added = append(l.added, next.in(&l.segment.Rules, anyCustomer)...)
		if l.list.whole = len(next.list) < size; l.list.whole {
			l.list.doneTo = ""
		} else {
			l.list.doneTo = next.list[size-1].ID
		}
	}
	return nil
}

// shorten removes rows of the first list that no segment has any more, or the list, if it has no rows.
func (t *turn) shorten(tx *db.Tx, size int) error {
	for _, c := range t.changed {
		if c.list.rules != "" {
			continue
		}
		t.more = true
		var err error
		c.removed, err = db.List(tx, func(r db.Rows) (c id.Customer, err error) { return c, r.Scan(&c) },
			"SELECT customer_id FROM segment_members WHERE tenant_id = $1 AND list_id = $2 ORDER BY customer_id LIMIT $3::BIGINT",
			tx.Tenant, c.list.ID, size)
		if len(c.removed) == 0 {
			t.gone = append(t.gone, &c.was)
		}
		return err
	}
	return nil
}

// any reports whether the turn changes anything.
func (t *turn) any() bool {
	return t.start || t.end || len(t.begin)+len(t.gone) > 0 || t.until > t.stamp || slices.ContainsFunc(t.changed, (*listChange).any)
}

func (c *listChange) any() bool { return c.was != c.list || len(c.added)+len(c.removed) > 0 }

// store queues the writes of the turn. Until the first one says so, what was read may have changed.
func (t *turn) store(tx *db.Tx) {
	// Behind the clock: whoever commits later finds this row, and what was committed before is seen by looking at the customers. No number
	// of a turn, or of a list, comes twice.
	if t.start {
		tx.Change("INSERT INTO segment_lists_until (tenant_id, stamp, turn) VALUES ($1, "+db.Clock+", "+db.Clock+
			") ON CONFLICT (tenant_id) DO NOTHING", tx.Tenant)
		return
	}
	if t.end {
		tx.Change("DELETE FROM segment_lists_until WHERE tenant_id = $1 AND turn = $2", tx.Tenant, t.number).Rows(1, errOtherTurn)
		tx.Change("DELETE FROM segment_changes WHERE tenant_id = $1", tx.Tenant)
		return
	}
	tx.Queue("UPDATE segment_lists_until SET stamp = $3, turn = $4 WHERE tenant_id = $1 AND turn = $2", tx.Tenant, t.number, t.until,
		t.number+int64(max(1, len(t.begin)))).Rows(1, errOtherTurn)
	tx.Queue("DELETE FROM segment_changes WHERE tenant_id = $1 AND stamp <= $2", tx.Tenant, t.until)
	segmentListTable.Insert(tx, t.begin...)
	for _, c := range t.changed {
		if c.any() {
			c.store(tx)
		}
	}
	for _, l := range t.gone {
		tx.Queue("DELETE FROM segment_lists WHERE tenant_id = $1 AND id = $2", tx.Tenant, l.ID).Rows(1, nil)
	}
}

func (c *listChange) store(tx *db.Tx) {
	rows := make([]memberRow, len(c.added))
	for i, customer := range c.added {
		rows[i] = memberRow{c.list.ID, customer}
	}
	memberTable.Insert(tx, rows...)
	for piece := range db.Pieces(c.removed) {
		w := db.AndIn(db.NewWhere(tx, "").And("list_id = ?", c.list.ID), "customer_id", piece)
		tx.Queue("DELETE FROM segment_members WHERE "+w.String(), w.Args()...)
	}
	c.list.members = c.was.members + int64(len(c.added)-len(c.removed))
	segmentListTable.Update(tx, &c.list, "id = $2", c.list.ID).Rows(1, nil)
}
