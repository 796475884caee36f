package customers

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/search"
)

// listSegment is List for a segment, with or without a tag, whose members the store keeps; found is false if it does not.
func listSegment(tx *db.Tx, f Filter) (list []Customer, total int64, found bool, err error) {
	p, err := membersOf(tx, f)
	if err != nil || p == nil {
		return nil, 0, false, err
	}
	rows, err := p.count(tx)
	total = rows - int64(len(p.stale)) + int64(len(p.late))
	if err != nil || int64(f.Offset) >= total || f.Limit == 0 {
		return []Customer{}, total, true, err
	}
	ids, err := p.read(tx, rows)
	if err != nil {
		return nil, 0, true, err
	}
	list, err = newestFirst(tx, ids)
	return list, total, true, err
}

// memberPage is a page of a segment: its list without those who have changed since, and of these the ones who are in it now.
type memberPage struct {
	Filter
	list        *segmentList
	stale, late []id.Customer // newest first
	byTag       bool          // see from
}

// membersOf reads who has changed in a segment, with or without a tag, whose members the store keeps; nil if it does not.
func membersOf(tx *db.Tx, f Filter) (*memberPage, error) {
	k, err := keptOf(tx, []*Segment{f.Segment}, f.Tag != "")
	if err != nil || k.lists[0] == nil {
		return nil, err
	}
	p := &memberPage{Filter: f, list: k.lists[0]}
	p.late = k.in(&f.Segment.Rules, func(c *Customer) bool { return f.Tag == "" || slices.Contains(c.Tags, f.Tag) })
	p.stale, err = membersAmong(tx, p.list.ID, k.changed, p.tagged)
	return p, err
}

// among are those of some customers that the page's segment and tag have.
func (p *memberPage) among(tx *db.Tx, ids []search.ID) ([]id.Customer, error) {
	some := make([]id.Customer, len(ids))
	for i := range ids {
		some[i] = id.Customer(ids[i].String())
	}
	found, err := membersAmong(tx, p.list.ID, some, p.tagged)
	found = without(found, p.stale)
	for _, c := range some {
		if _, late := slices.BinarySearchFunc(p.late, c, byNewest); late {
			found = append(found, c)
		}
	}
	return found, err
}

// tagged adds the condition that members m have the tag of the filter.
func (p *memberPage) tagged(w *db.Where) {
	if p.Tag != "" {
		w.And("EXISTS (SELECT 1 FROM customer_tags t WHERE t.tenant_id = $1 AND t.tag = ? AND t.customer_id = m.customer_id)", p.Tag)
	}
}

// from are the rows m of the list that the filter takes, read from it or, if the tag has fewer customers, from these.
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

// count is how many rows of the list the filter takes.
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

// read reads the customers of the page, from the end of the list that is nearer.
func (p *memberPage) read(tx *db.Tx, rows int64) ([]id.Customer, error) {
	stale, late, offset := p.stale, p.late, p.Offset
	if p.After != "" {
		behind := func(c id.Customer) bool { return c >= p.After }
		stale, late, offset = slices.DeleteFunc(stale, behind), slices.DeleteFunc(late, behind), 0
	}
	from := max(0, offset-len(late)) // this many of those who changed may come before
	n := int64(p.Limit + len(late) + len(stale))
	table, w := p.from(tx)
	db.AndGiven(w, "m.customer_id < ?::UUID", p.After)
	order, skip := " DESC", int64(from)
	oldest := int64(from) > rows/2
	if oldest {
		n = min(n, max(0, rows-skip))
		order, skip = "", rows-skip-n
	}
	list, err := db.List(tx, func(r db.Rows) (c id.Customer, err error) { return c, r.Scan(&c) },
		"SELECT m.customer_id FROM "+table+" WHERE "+w.String()+" ORDER BY m.customer_id"+order+
			" LIMIT "+w.Bind(n)+"::BIGINT OFFSET "+w.Bind(skip)+"::BIGINT", w.Args()...)
	if oldest {
		slices.Reverse(list)
	}
	return db.MergePage(list, stale, late, byNewest, from, offset, p.Limit), err
}
