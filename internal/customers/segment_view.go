package customers

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/search"
	"entrepot/internal/view"
)

// SegmentLists is the view of who is in each segment: a row of segment_lists for a segment with certain rules, and a
// row of segment_members for each customer of a list. A segment that gets other rules gets another list. Tidy begins
// lists, lets them grow through all customers, and deletes those of no segment. Step applies to all lists what has
// changed since.
var SegmentLists = &view.View{
	Name: "segments",
	Says: "The list of a segment has the customers who meet its rules.",
	Feeds: []view.Feed{
		{Table: "segment_changes", Stamp: "stamp"},
		{Table: "events", Stamp: "stamp", Where: search.Customers.InLog()},
		{Table: "events", Stamp: "stamp", Where: search.Orders.InLog()},
	},
	Of: "(SELECT tenant_id FROM segments UNION SELECT tenant_id FROM segment_lists)",
	Due: `EXISTS (SELECT 1 FROM segments s WHERE s.tenant_id = t.tenant_id AND NOT EXISTS (SELECT 1 FROM segment_lists l
			WHERE l.tenant_id = s.tenant_id AND l.segment_id = s.id AND l.rules = s.rules_digest AND l.whole))
		OR EXISTS (SELECT 1 FROM segment_lists l WHERE l.tenant_id = t.tenant_id AND NOT EXISTS (SELECT 1 FROM segments s
			WHERE s.tenant_id = l.tenant_id AND s.id = l.segment_id AND s.rules_digest = l.rules))`,
	Every:   time.Second,
	Worth:   64,
	Least:   256,
	Most:    4096,
	Step:    stepSegments,
	Tidy:    tidySegments,
	Compare: compareSegments,
}

// NoteChange records, if the account has segments, that a customer may have moved into or out of some of them. Every
// change in this package that rules depend on calls NoteChange, except for creations: the event log has new customers
// and new orders. An operation calls it only for an order that gets its customer afterwards.
//
// The note comes after the change clock, and so does a new segment (Segment.Insert). So every change either has a
// note, or is committed before the segment, whose list then begins with it.
func NoteChange(w db.Writer, customer id.Customer) {
	w.Change("INSERT INTO segment_changes (tenant_id, stamp, customer_id) SELECT $1::BIGINT, "+db.Clock+
		" + $2::BIGINT, $3::UUID WHERE EXISTS (SELECT 1 FROM segments s WHERE s.tenant_id = $1)",
		w.TenantID(), w.Stamps(1), customer)
}

// changedCustomers returns the customers who may be in other segments than at a stamp, because of changes up to another
// stamp: newest first, each once.
func changedCustomers(tx *db.Tx, from, to int64) ([]id.Customer, error) {
	const between = " AND e.stamp > $2 AND e.stamp <= $3"
	ids, err := db.List(tx, func(r db.Rows) (c id.Customer, err error) { return c, r.Scan(&c) },
		"SELECT e.customer_id FROM segment_changes e WHERE e.tenant_id = $1"+between+
			" UNION SELECT e.resource_id::UUID FROM events e WHERE e.tenant_id = $1"+search.Customers.InLog()+between+
			" UNION SELECT o.customer_id FROM events e CROSS JOIN orders o WHERE e.tenant_id = $1"+search.Orders.InLog()+between+
			" AND o.tenant_id = $1 AND o.id = e.resource_id::UUID AND o.customer_id IS NOT NULL", tx.Tenant, from, to)
	slices.SortFunc(ids, byNewest)
	return ids, err
}

// allChanges is the upper bound for changedCustomers up to the present.
const allChanges = math.MaxInt64

// byNewest compares customers by the order of lists.
func byNewest(a, b id.Customer) int { return cmp.Compare(b, a) }

// segmentList is the list of a segment with certain rules.
type segmentList struct {
	ID      int64
	segment id.Segment
	rules   string      // a digest; "" for a list that is being deleted
	members int64       // rows of segment_members
	doneTo  id.Customer // the last customer that was checked, in the order in which the list grows; "" for none
	whole   bool        // all customers were checked
}

var segmentListTable = db.NewTable("segment_lists",
	db.Col("id", func(l *segmentList) any { return &l.ID }).Fixed(),
	db.Col("segment_id", func(l *segmentList) any { return &l.segment }).Fixed(),
	db.Col("rules", func(l *segmentList) any { return &l.rules }),
	db.Col("members", func(l *segmentList) any { return &l.members }),
	db.Col("done_to", func(l *segmentList) any { return &l.doneTo }).Null(),
	db.Col("whole", func(l *segmentList) any { return &l.whole }),
)

// digest identifies rules: other rules have another digest. Lists have it in place of the rules, because a tag may be a
// person's name.
func (r Rules) digest() string {
	sum := sha256.Sum256([]byte(r.text()))
	return hex.EncodeToString(sum[:16])
}

// listOf returns the list of a segment with its present rules; nil for none.
func listOf(lists []segmentList, s *Segment) *segmentList {
	at := slices.IndexFunc(lists, func(l segmentList) bool { return l.segment == s.ID && l.rules == s.Rules.digest() })
	if at < 0 {
		return nil
	}
	return &lists[at]
}

// segmentsAndLists reads the account's segments and lists.
func segmentsAndLists(tx *db.Tx) ([]Segment, []segmentList, error) {
	segments, err := Segments(tx)
	if err != nil {
		return nil, nil, err
	}
	lists, err := segmentListTable.All(tx, "ORDER BY id")
	return segments, lists, err
}

// stepSegments adds the customers who have changed to the lists, or removes them.
func stepSegments(tx *db.Tx, from, to int64) error {
	segments, lists, err := segmentsAndLists(tx)
	if err != nil {
		return err
	}
	var changed []id.Customer
	if len(lists) > 0 {
		changed, err = changedCustomers(tx, from, to)
	}
	for i := range segments {
		if l := listOf(lists, &segments[i]); l != nil && err == nil {
			err = l.apply(tx, segments[i].Rules, changed)
		}
	}
	tx.Queue("DELETE FROM segment_changes WHERE tenant_id = $1 AND stamp <= $2", tx.Tenant, to)
	return err
}

// apply brings a list up to date with some customers, as far as the list has grown.
func (l *segmentList) apply(tx *db.Tx, rules Rules, changed []id.Customer) error {
	for piece := range db.Pieces(changed) {
		w := db.AndIn(db.NewWhere(tx, "c"), "c.id", piece)
		if !l.whole {
			w.And("c.id <= ?::UUID", db.Null(l.doneTo)) // no customer is, if the list has not begun to grow
		}
		if err := l.enter(tx, rules, w); err != nil {
			return err
		}
		w = db.NewWhere(tx, "c").And("c.id = segment_members.customer_id")
		rules.holds(w)
		leaves := "NOT EXISTS (SELECT 1 FROM customers c WHERE " + w.String() + ")"
		gone, err := tx.Exec("DELETE FROM segment_members WHERE tenant_id = $1 AND list_id = "+w.Bind(l.ID)+" AND customer_id IN "+
			db.BindAll(w, piece)+" AND "+leaves, w.Args()...)
		if err != nil {
			return err
		}
		l.members -= gone
	}
	l.save(tx)
	return nil
}

// enter adds to the list those of the customers c that a condition selects who meet its rules.
func (l *segmentList) enter(tx *db.Tx, rules Rules, w *db.Where) error {
	rules.holds(w)
	come, err := tx.Exec("INSERT INTO segment_members (tenant_id, list_id, customer_id) SELECT c.tenant_id, "+w.Bind(l.ID)+
		"::BIGINT, c.id FROM customers c WHERE "+w.String()+" ON CONFLICT (tenant_id, list_id, customer_id) DO NOTHING", w.Args()...)
	l.members += come
	return err
}

func (l *segmentList) save(tx *db.Tx) { segmentListTable.Update(tx, l, "id = $2", l.ID).Rows(1, nil) }

// tidySegments does the next thing for the lists: it deletes rows of a list of no segment, begins the lists of
// segments without one, or lets a list grow by some customers.
func tidySegments(tx *db.Tx, size int, _ bool) (more bool, err error) {
	segments, lists, err := segmentsAndLists(tx)
	if err != nil {
		return false, err
	}
	wanted := map[int64]*Segment{}
	var begun []segmentList
	next := int64(1)
	if len(lists) > 0 {
		next = lists[len(lists)-1].ID + 1
	}
	for i := range segments {
		s := &segments[i]
		if l := listOf(lists, s); l != nil {
			wanted[l.ID] = s
		} else {
			begun = append(begun, segmentList{ID: next + int64(len(begun)), segment: s.ID, rules: s.Rules.digest()})
		}
	}
	for i := range lists {
		if wanted[lists[i].ID] == nil {
			return true, lists[i].shrink(tx, size)
		}
	}
	if len(begun) > 0 {
		segmentListTable.Insert(tx, begun...)
		return true, nil
	}
	for i := range lists {
		if l := &lists[i]; !l.whole {
			return true, l.grow(tx, wanted[l.ID].Rules, size)
		}
	}
	if len(segments) == 0 {
		tx.Queue("DELETE FROM segment_changes WHERE tenant_id = $1", tx.Tenant)
	}
	return false, nil
}

// grow makes the list check the next customers.
func (l *segmentList) grow(tx *db.Tx, rules Rules, size int) error {
	w := db.AndGiven(db.NewWhere(tx, "c"), "c.id > ?::UUID", l.doneTo)
	var end id.Customer
	err := tx.Each(func(r db.Rows) error { return r.Scan(&end) }, "SELECT c.id FROM customers c WHERE "+w.String()+
		" ORDER BY c.id LIMIT 1 OFFSET "+w.Bind(size-1)+"::BIGINT", w.Args()...)
	if err != nil {
		return err
	}
	w = db.AndGiven(db.NewWhere(tx, "c"), "c.id > ?::UUID", l.doneTo)
	db.AndGiven(w, "c.id <= ?::UUID", end)
	err = l.enter(tx, rules, w)
	l.doneTo, l.whole = end, end == ""
	l.save(tx)
	return err
}

// shrink deletes some rows of the list, and with the last rows the list. Until the list is deleted, no
// segment may use it again.
func (l *segmentList) shrink(tx *db.Tx, size int) error {
	gone, err := tx.Exec(`DELETE FROM segment_members WHERE tenant_id = $1 AND list_id = $2 AND customer_id IN (SELECT m.customer_id
		FROM segment_members m WHERE m.tenant_id = $1 AND m.list_id = $2 ORDER BY m.customer_id LIMIT $3::BIGINT)`, tx.Tenant, l.ID, size)
	if gone < int64(size) {
		tx.Queue("DELETE FROM segment_lists WHERE tenant_id = $1 AND id = $2", tx.Tenant, l.ID).Rows(1, nil)
		return err
	}
	l.rules, l.members = "", l.members-gone
	l.save(tx)
	return err
}

// compareSegments compares the lists with the rules, as SQL has them, except for customers who changed since a stamp. A
// list that differs is built again.
func compareSegments(tx *db.Tx, until int64, found view.Findings) error {
	segments, lists, err := segmentsAndLists(tx)
	if err != nil || len(lists) == 0 {
		return err
	}
	changed, err := changedCustomers(tx, until, allChanges)
	for i := range segments {
		l := listOf(lists, &segments[i])
		if l == nil || err != nil {
			continue
		}
		anew := func(tx *db.Tx, _ int64) error {
			tx.Queue("UPDATE segment_lists SET rules = '' WHERE tenant_id = $1 AND id = $2", tx.Tenant, l.ID)
			return nil
		}
		found.Checked()
		var rows int64
		err = tx.Row("SELECT count(*) FROM segment_members WHERE tenant_id = $1 AND list_id = $2", []any{tx.Tenant, l.ID}, &rows)
		if err == nil && rows != l.members {
			found.Wrong(anew, "a list of segment %s counts %d customers and has %d", l.segment, l.members, rows)
		}
		if err == nil {
			err = l.compare(tx, segments[i].Rules, func(c id.Customer) {
				_, hasChanged := slices.BinarySearchFunc(changed, c, byNewest)
				if !hasChanged && (l.whole || c <= l.doneTo) {
					found.Wrong(anew, "segment %s does not list customer %s as its rules do", l.segment, c)
				}
			})
		}
	}
	return err
}

// compare calls differs for customers whom only the list or only the rules include.
func (l *segmentList) compare(tx *db.Tx, rules Rules, differs func(id.Customer)) error {
	each := func(r db.Rows) error {
		var c id.Customer
		err := r.Scan(&c)
		differs(c)
		return err
	}
	w := db.NewWhere(tx, "c")
	rules.where(w)
	w.And("NOT EXISTS (SELECT 1 FROM segment_members m WHERE m.tenant_id = $1 AND m.list_id = ? AND m.customer_id = c.id)", l.ID)
	if err := tx.Each(each, "SELECT c.id FROM customers c WHERE "+w.String(), w.Args()...); err != nil {
		return err
	}
	w = db.NewWhere(tx, "c").And("c.id = m.customer_id")
	rules.where(w)
	return tx.Each(each, "SELECT m.customer_id FROM segment_members m WHERE m.tenant_id = $1 AND m.list_id = "+w.Bind(l.ID)+
		" AND NOT EXISTS (SELECT 1 FROM customers c WHERE "+w.String()+")", w.Args()...)
}
