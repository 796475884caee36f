package customers

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/lists"
	"entrepot/internal/search"
)

// listSegment is List for a segment, with or without a tag, that has a whole list; found is false if it has none.
func listSegment(tx *db.Tx, f Filter) (list []Customer, total int64, found bool, err error) {
	p, err := membersOf(tx, f)
	if err != nil || p == nil {
		return nil, 0, false, err
	}
	rows, err := p.count(tx)
	total = rows - int64(len(p.outdated)) + int64(len(p.current))
	if err != nil || int64(f.Offset) >= total || f.Limit == 0 {
		return []Customer{}, total, true, err
	}
	ids, err := p.read(tx)
	if err != nil {
		return nil, 0, true, err
	}
	list, err = newestFirst(tx, ids)
	return list, total, true, err
}

// memberPage is a page of a segment: the rows of its list, without customers who have changed since, and of these the
// ones who are in the segment now.
type memberPage struct {
	Filter
	list     *segmentList
	outdated []id.Customer // rows of the list whose customer has changed, newest first
	current  []id.Customer // customers who have changed and are in the segment, newest first
	byTag    bool          // see from
}

// membersOf reads who has changed in a segment, with or without a tag, that has a whole list; nil if it has none.
func membersOf(tx *db.Tx, f Filter) (*memberPage, error) {
	pages, err := membersOfEach(tx, []Segment{*f.Segment}, f)
	if err != nil {
		return nil, err
	}
	return pages[0], nil
}

// membersOfEach is membersOf for several segments with one filter.
func membersOfEach(tx *db.Tx, segments []Segment, f Filter) ([]*memberPage, error) {
	pages := make([]*memberPage, len(segments))
	lists, err := segmentListTable.All(tx, "AND whole = TRUE")
	if err != nil || !slices.ContainsFunc(segments, func(s Segment) bool { return listOf(lists, &s) != nil }) {
		return pages, err
	}
	until, err := SegmentLists.Until(tx)
	if err != nil {
		return nil, err
	}
	changed, err := changedCustomers(tx, until, allChanges)
	for i := range segments {
		l := listOf(lists, &segments[i])
		if l == nil || err != nil {
			continue
		}
		p := &memberPage{Filter: f, list: l}
		if p.current, err = p.meet(tx, segments[i].Rules, changed); err == nil {
			p.outdated, err = p.listed(tx, changed)
		}
		pages[i] = p
	}
	return pages, err
}

// meet are those of some customers who meet rules and have the tag of the filter, in their order.
func (p *memberPage) meet(tx *db.Tx, rules Rules, some []id.Customer) (found []id.Customer, err error) {
	return found, db.Chunks(some, func(piece []id.Customer) error {
		w := db.AndIn(db.NewWhere(tx, "c"), "c.id", piece)
		rules.holds(w)
		if p.Tag != "" {
			andHasTag(w, p.Tag)
		}
		return tx.Each(appendTo(&found), "SELECT c.id FROM customers c WHERE "+w.String()+" ORDER BY c.id DESC", w.Args()...)
	})
}

// listed are those of some customers who are in the list and have the tag of the filter, newest first of each piece.
func (p *memberPage) listed(tx *db.Tx, some []id.Customer) (found []id.Customer, err error) {
	return found, db.Chunks(some, func(piece []id.Customer) error {
		w := db.AndIn(db.NewWhere(tx, "m").And("m.list_id = ?", p.list.ID), "m.customer_id", piece)
		p.tagged(w)
		return tx.Each(appendTo(&found), "SELECT m.customer_id FROM segment_members m WHERE "+w.String()+" ORDER BY m.customer_id DESC",
			w.Args()...)
	})
}

// appendTo scans one customer of each row.
func appendTo(list *[]id.Customer) func(db.Rows) error {
	return func(r db.Rows) error {
		var c id.Customer
		err := r.Scan(&c)
		*list = append(*list, c)
		return err
	}
}

// among are those of some customers that the page's segment and tag have.
func (p *memberPage) among(tx *db.Tx, ids []search.ID) ([]id.Customer, error) {
	some := make([]id.Customer, len(ids))
	for i := range ids {
		some[i] = id.Customer(ids[i].String())
	}
	found, err := p.listed(tx, some)
	found = slices.DeleteFunc(found, func(c id.Customer) bool { return has(p.outdated, c) })
	for _, c := range some {
		if has(p.current, c) {
			found = append(found, c)
		}
	}
	return found, err
}

// has reports whether a customer is in a list, newest first.
func has(list []id.Customer, c id.Customer) bool {
	_, found := slices.BinarySearchFunc(list, c, byNewest)
	return found
}

// tagged adds the condition that members m have the tag of the filter.
func (p *memberPage) tagged(w *db.Where) {
	if p.Tag != "" {
		w.And("EXISTS (SELECT 1 FROM customer_tags t WHERE t.tenant_id = $1 AND t.tag = ? AND t.customer_id = m.customer_id)", p.Tag)
	}
}

// from returns the rows m of the list that the filter takes, read from it or, if the tag has fewer customers, from
// these.
func (p *memberPage) from(tx *db.Tx) (table string, w *db.Where) {
	w = db.NewWhere(tx, "m")
	if p.byTag {
		w.And("m.tag = ?", p.Tag)
		return "customer_tags m", w.And("EXISTS (SELECT 1 FROM segment_members l WHERE l.tenant_id = $1 AND l.list_id = ? AND "+
			"l.customer_id = m.customer_id)", p.list.ID)
	}
	w.And("m.list_id = ?", p.list.ID)
	p.tagged(w)
	return "segment_members m", w
}

// count returns how many rows of the list the filter takes.
func (p *memberPage) count(tx *db.Tx) (rows int64, err error) {
	if p.Tag == "" {
		return p.list.members, nil
	}
	have, err := countTagged(tx, p.Tag)
	if err != nil {
		return 0, err
	}
	p.byTag = have < p.list.members
	table, w := p.from(tx)
	return rows, tx.Row("SELECT count(*) FROM "+table+" WHERE "+w.String(), w.Args(), &rows)
}

// read reads the customers of the page.
func (p *memberPage) read(tx *db.Tx) (list []id.Customer, err error) {
	outdated, current, offset := p.outdated, p.current, p.Offset
	if p.After != "" {
		before := func(c id.Customer) bool { return c >= p.After }
		outdated, current, offset = slices.DeleteFunc(outdated, before), slices.DeleteFunc(current, before), 0
	}
	from := max(0, offset-len(current)) // this many of those who changed may come before
	table, w := p.from(tx)
	db.AndGiven(w, "m.customer_id < ?::UUID", p.After)
	err = tx.Each(appendTo(&list), "SELECT m.customer_id FROM "+table+" WHERE "+w.String()+" ORDER BY m.customer_id DESC LIMIT "+
		w.Bind(p.Limit+len(current)+len(outdated))+"::BIGINT OFFSET "+w.Bind(from)+"::BIGINT", w.Args()...)
	return lists.Merge(list, outdated, current, byNewest, from, offset, p.Limit), err
}

// CountIn counts the customers of some segments.
func CountIn(tx *db.Tx, segments []Segment) ([]int64, error) {
	counts := make([]int64, len(segments))
	pages, err := membersOfEach(tx, segments, Filter{})
	for i, p := range pages {
		if err != nil {
			break
		}
		if p == nil {
			_, counts[i], err = List(tx, Filter{Segment: &segments[i]})
		} else {
			counts[i] = p.list.members - int64(len(p.outdated)) + int64(len(p.current))
		}
	}
	return counts, err
}
