package customers

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// VerifySegments compares the lists of segments with the rules, as SQL has them, but for customers who changed since: a page looks at these
// itself. look is called for each list, and wrong for what is not right, with what has the list made anew.
func VerifySegments(tx *db.Tx, look func(), wrong func(mend func(tx *db.Tx) error, format string, args ...any)) error {
	segments, err := Segments(tx)
	if err != nil {
		return err
	}
	lists, err := segmentListTable.All(tx, "ORDER BY id")
	if err != nil || len(lists) == 0 {
		return err
	}
	stamp, _, _, err := listsUntil(tx)
	if err != nil {
		return err
	}
	since, err := changedSince(tx, stamp, allChanges)
	for i := range lists {
		if err != nil {
			break
		}
		l := &lists[i]
		at := slices.IndexFunc(segments, func(s Segment) bool { return l.isOf(&s) })
		if at < 0 { // it goes
			continue
		}
		look()
		anew := func(tx *db.Tx) error {
			tx.Queue("UPDATE segment_lists SET rules = '' WHERE tenant_id = $1 AND id = $2", tx.Tenant, l.ID)
			return nil
		}
		var rows int64
		err = tx.Row("SELECT count(*) FROM segment_members WHERE tenant_id = $1 AND list_id = $2", []any{tx.Tenant, l.ID}, &rows)
		if err == nil && rows != l.members {
			wrong(anew, "a list of segment %s counts %d customers and has %d", l.segment, l.members, rows)
		}
		if err == nil {
			err = l.verify(tx, &segments[at].Rules, since.ids, func(c id.Customer) {
				wrong(anew, "segment %s does not list customer %s as its rules do", l.segment, c)
			})
		}
	}
	return err
}

// verify calls wrong for customers whom the list has and the rules do not, or the other way round, unless they are among changed.
func (l *segmentList) verify(tx *db.Tx, rules *Rules, changed []id.Customer, wrong func(id.Customer)) error {
	each := func(r db.Rows) error {
		var c id.Customer
		err := r.Scan(&c)
		if _, late := slices.BinarySearchFunc(changed, c, byNewest); !late && l.reached(c) {
			wrong(c)
		}
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
