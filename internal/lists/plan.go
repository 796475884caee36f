package lists

import (
	"math/bits"
	"slices"
	"strconv"

	"entrepot/internal/db"
	"entrepot/internal/search"
)

// The cost of looking up one row by its id, as the number of index entries read in that time: of a neighbour of the row
// before, or of a distant row.
const (
	lookUpCost    = 4
	scatteredCost = 16
)

// FewRows is the number of rows up to which a search reads the rows one by one, not further indexes. Tests lower it.
var FewRows int64 = 1000

// plan is how a page is read: by an index, or not at all if its keys are known.
type plan struct {
	Query
	total    int64
	index    *Index
	reversed bool // the query reads the reversed list, in which the page is nearer to the beginning
	keys     []Key
}

// Keys reads the keys of a page, in order, and how many rows match in all.
func Keys(tx *db.Tx, q Query) ([]Key, int64, error) {
	p, err := newPlan(tx, q)
	if err == nil && p.index != nil {
		p.keys, err = p.read(tx)
	}
	if p.reversed {
		slices.Reverse(p.keys)
	}
	return p.keys, p.total, err
}

// Reader reads the rows of a noun.
type Reader[T any] struct {
	Query func(keys string) string                 // the query of the rows of a query of their sort values k and ids id
	Scan  func() func(db.Rows) (T, error)          // scans its rows
	ByKey func(tx *db.Tx, keys []Key) ([]T, error) // reads rows by their keys, in any order
	Key   func(*T) Key                             // a row's key in the list
}

// Read reads the rows of a page, in order, and how many rows match in all. Where one index has the page and maintained
// counts have the total, both are read at once.
func Read[T any](tx *db.Tx, q Query, r Reader[T]) (list []T, total int64, err error) {
	x := q.fixed()
	if x != nil {
		page, count := prefetch(tx, &q, x, r), (*db.Pending[int64])(nil)
		if !q.Uncounted {
			count = q.Total(tx)
		}
		if total, err = count.Wait(); err != nil || !q.Uncounted && int64(q.Offset) >= total {
			return []T{}, total, err
		}
		list, err = page.Wait()
	} else {
		p, err := newPlan(tx, q)
		if err != nil {
			return nil, 0, err
		}
		total = p.total
		if p.index != nil && p.index.Changed == nil {
			list, err = prefetch(tx, &p.Query, p.index, r).Wait()
		} else if p.index != nil {
			p.keys, err = p.read(tx)
		}
		if err == nil && len(p.keys) > 0 {
			list, err = r.ByKey(tx, p.keys)
		}
		if err != nil {
			return nil, 0, err
		}
	}
	slices.SortFunc(list, func(a, b T) int { return q.compare(r.Key(&a), r.Key(&b)) }) // an engine would sort whole rows
	return list, total, err
}

// shallow is the offset below which a page is read without checking whether there are as many rows.
const shallow = 1000

// fixed returns the index that has the page whatever the counts are, or nil: all rows of that index match, and come in
// the order of the list.
func (q *Query) fixed() *Index {
	if q.Search != "" || q.Total == nil || q.Offset >= shallow {
		return nil
	}
	for _, x := range q.Indexes {
		if x.Sort == q.Sort.Column && x.Changed == nil && q.allMeet(x) {
			return x
		}
	}
	return nil
}

// prefetch prefetches the rows of a page.
func prefetch[T any](tx *db.Tx, q *Query, x *Index, r Reader[T]) *db.Pending[[]T] {
	w, p, scan := db.NewWhere(tx, ""), &db.Pending[[]T]{Value: []T{}}, r.Scan()
	keys := db.OnPostgres("SELECT k, id FROM (") + q.page(w, x) + // PostgreSQL expects a tenth of all rows where LIMIT is an argument,
		db.OnPostgres(") AS few LIMIT "+strconv.Itoa(1<<bits.Len(uint(q.Limit)))) // and would join these with all rows of the noun
	return p.Await(tx.Prefetch(func(row db.Rows) error {
		record, err := scan(row)
		p.Value = append(p.Value, record)
		return err
	}, r.Query(keys), w.Args()...))
}

// newPlan counts the rows that match and finds the index by which the fewest entries are read for the page.
func newPlan(tx *db.Tx, q Query) (*plan, error) {
	p := &plan{Query: q}
	none, err := p.simplify(tx)
	if none || err != nil {
		return p, err
	}
	var found *search.Set
	if p.Search != "" {
		var done bool
		if found, done, err = p.find(tx); done || err != nil {
			return p, err
		}
	} else if p.total, err = p.count(tx); err != nil {
		return p, err
	}
	if p.total == 0 || p.After == nil && int64(p.Offset) >= p.total {
		return p, nil
	}
	if p.After == nil && int64(p.Offset) > p.total/2 {
		p.reverse()
	}
	cheapest := float64(0)
	for _, x := range p.Indexes {
		rows, err := x.rows(tx, p.Noun)
		if err != nil {
			return p, err
		}
		cost := p.cost(x, rows)
		if x.Passed != nil && x.Sort == p.Sort.Column {
			passed, err := x.Passed(tx, p.Descending)
			if err != nil {
				return p, err
			}
			each := p.entryCost(x, rows, false)
			cost = min(cost+float64(passed)*each, float64(rows)*each)
		}
		if p.index == nil || cost < cheapest {
			p.index, cheapest = x, cost
		}
	}
	if found != nil && float64(found.Len()*scatteredCost) < cheapest {
		p.index, p.Filters = nil, nil
		err = p.sift(tx, found)
	}
	return p, err
}

// simplify drops the filters that every row meets, by the counts of their indexes, and the indexes in an order of no
// use. none: no row meets one of the filters.
func (p *plan) simplify(tx *db.Tx) (none bool, err error) {
	if p.all, err = p.All(tx); p.all == 0 || err != nil {
		return true, err
	}
	p.Filters = slices.Clone(p.Filters)
	p.Indexes = slices.DeleteFunc(slices.Clone(p.Indexes), func(x *Index) bool { return len(x.Serves) == 0 && x.Sort != p.Sort.Column })
	for _, x := range p.Indexes {
		if len(x.Serves) != 1 {
			continue
		}
		n, err := x.rows(tx, p.Noun)
		if n == 0 || err != nil {
			return true, err
		}
		if n == p.all && !x.Most {
			p.Filters = slices.DeleteFunc(p.Filters, x.meets)
		}
	}
	return false, nil
}

// reverse changes the query to the same page of the reversed list.
func (p *plan) reverse() {
	end := min(p.total, int64(p.Offset+p.Limit))
	p.Limit, p.Offset = int(end)-p.Offset, int(p.total-end)
	p.Descending, p.reversed = !p.Descending, true
}

// cost returns the cost of reading the page by an index, in entries of an index.
func (p *plan) cost(x *Index, rows int64) float64 {
	read, inOrder := float64(rows), x.Sort == p.Sort.Column
	if inOrder { // the rows that match are evenly distributed
		read = min(read, float64(p.reach())*read/float64(p.total))
	}
	return read * p.entryCost(x, rows, !inOrder)
}

// entryCost returns the cost of one entry of an index of some rows, including the look-ups for it.
func (q *Query) entryCost(x *Index, rows int64, wantSort bool) float64 {
	row, looks := wantSort && !x.has(q.Sort.Column), 0
	for _, f := range q.Filters {
		switch {
		case x.meets(f):
		case len(f.Columns) == 0:
			looks++
		default:
			row = row || !x.has(f.Columns...)
		}
	}
	if row {
		looks++
	}
	each := scatteredCost
	if !x.Scattered && 2*rows > q.all { // most rows are looked up, one next to the other
		each = lookUpCost
	}
	return float64(1 + each*looks)
}

// allMeet reports whether all rows within the bounds of an index meet all filters.
func (q *Query) allMeet(x *Index) bool {
	return !slices.ContainsFunc(q.Filters, func(f Filter) bool { return !x.meets(f) })
}

// count counts the rows that meet the filters.
func (q *Query) count(tx *db.Tx) (int64, error) {
	switch {
	case q.Total != nil:
		return q.Total(tx).Wait()
	case len(q.Filters) == 0:
		return q.All(tx)
	}
	var best *Index
	cheapest := float64(0)
	for _, x := range q.Indexes {
		if x.Changed != nil {
			continue
		}
		n, err := x.rows(tx, q.Noun)
		if n == 0 || err != nil {
			return 0, err
		}
		if !x.Most && q.allMeet(x) {
			return n, nil
		}
		if cost := float64(n) * q.entryCost(x, n, false); best == nil || cost < cheapest {
			best, cheapest = x, cost
		}
	}
	for i, f := range q.Filters {
		if f.Rest == nil {
			continue
		}
		n, err := f.Rest.rows(tx, q.Noun)
		if err != nil {
			return 0, err
		}
		others := *q
		others.Filters = slices.Delete(slices.Clone(q.Filters), i, i+1)
		others.Indexes = slices.DeleteFunc(slices.Clone(q.Indexes), func(x *Index) bool { return x.meets(f) })
		countable := len(others.Filters) == 0 || len(others.Indexes) > 0
		if countable && float64(n)*others.entryCost(f.Rest, n, false) < cheapest {
			return others.countBut(tx, f)
		}
	}
	return q.countBy(tx, best)
}

// countBut counts the rows that meet the filters and one more filter, but: all that meet the filters, less those that
// do not meet but. The indexes also have rows that do not meet but.
func (q *Query) countBut(tx *db.Tx, but Filter) (int64, error) {
	rest, err := q.countBy(tx, but.Rest)
	if err != nil {
		return 0, err
	}
	n, err := q.count(tx)
	return n - rest, err
}

// countBy counts the rows of an index that meet the filters.
func (q *Query) countBy(tx *db.Tx, x *Index) (n int64, err error) {
	if len(x.Bounds) == 0 {
		return 0, nil
	}
	w := db.NewWhere(tx, "")
	sql := q.counting(w, x)
	return n, tx.Row(sql, w.Args(), &n)
}

// find finds the rows of a search. done: the page is known. Otherwise find counts the rows that match and makes the
// search one of the filters. The rows found are nil if checking each row that meets the other filters is cheaper.
func (p *plan) find(tx *db.Tx) (found *search.Set, done bool, err error) {
	few := p.all
	for _, x := range p.Indexes {
		n, err := x.rows(tx, p.Noun)
		if err != nil {
			return nil, false, err
		}
		few = min(few, n)
	}
	if few <= FewRows && few*search.TextsPerLook <= p.all {
		return nil, false, p.checkEach(tx)
	}
	if found, err = search.FindSet(tx, p.Noun.Search, p.Search, nil); err != nil {
		return nil, false, err
	}
	if p.Owned != nil {
		done, err = p.findOwned(tx, found, few)
		return nil, done, err
	}
	left := p.Filters
	if found.Len() > FewRows {
		if found, left, err = p.narrow(tx, found); err != nil {
			return nil, false, err
		}
	}
	if len(left) > 0 {
		p.Filters = left
		return nil, true, p.sift(tx, found)
	}
	p.total, p.Filters = found.Len(), append(p.Filters, p.contains())
	return found, false, nil
}

// findOwned is find for the rows of the owners that a search has found; few rows meet one of the other filters.
func (p *plan) findOwned(tx *db.Tx, owners *search.Set, few int64) (done bool, err error) {
	all, err := p.Owned.All(tx)
	switch {
	case err != nil:
	case owners.Len() == all: // every row matches
		p.total, err = p.count(tx)
	case 2*owners.Len() > few: // looking up an owner's rows costs twice as much as looking up a row's owner
		err = p.checkEach(tx)
	default:
		return true, p.sift(tx, owners)
	}
	return false, err
}

// checkEach makes a search one of the filters, and counts the rows that match.
func (p *plan) checkEach(tx *db.Tx) (err error) {
	p.Filters, p.Total = append(p.Filters, p.contains()), nil
	p.total, err = p.count(tx)
	return err
}

// contains returns the condition of the search.
func (q *Query) contains() Filter {
	if q.Owned != nil {
		return q.Owned.Contains
	}
	return Filter{Name: "search", Columns: []string{q.Text}, Args: []any{db.Containing(search.Fold(q.Search))},
		Where: "{row}." + q.Text + ` LIKE ? ESCAPE '\'`, Elsewhere: "(SELECT x." + q.Text + " FROM " + tableOf(q.Rows) +
			` x WHERE x.tenant_id = $1 AND x.id = {id}) LIKE ? ESCAPE '\'`} // no EXISTS: PostgreSQL would find all such rows first
}

// narrow drops from very many rows those that do not meet the filters, where an index shows that for less than looking
// up each row. left are the filters not applied yet.
func (p *plan) narrow(tx *db.Tx, found *search.Set) (_ *search.Set, left []Filter, err error) {
	left = p.Filters
	for _, x := range p.Indexes {
		if !slices.ContainsFunc(left, x.meets) {
			continue
		}
		n, err := x.rows(tx, p.Noun)
		if err != nil {
			return nil, nil, err
		}
		read, narrowed := x, found.Keep
		met := slices.DeleteFunc(slices.Clone(left), func(f Filter) bool { return !x.meets(f) })
		if rest := met[0].Rest; rest != nil && len(met) == 1 {
			others, err := rest.rows(tx, p.Noun)
			if err != nil {
				return nil, nil, err
			}
			if others < n {
				read, narrowed, n = rest, found.Drop, others
			}
		}
		if n >= lookUpCost*found.Len() {
			continue
		}
		w, bounds := db.NewWhere(tx, ""), Query{Noun: p.Noun}
		sql := bounds.ids(w, read)
		if found, err = narrowed(tx, sql, w.Args()...); err != nil {
			return nil, nil, err
		}
		left = slices.DeleteFunc(slices.Clone(left), x.meets)
	}
	return found, left, nil
}

// sift looks up the rows that a search has found, and finds the page of those that meet the filters, and their number.
func (p *plan) sift(tx *db.Tx, rows *search.Set) error {
	p.total = 0
	err := p.lookUp(tx, rows.IDs(), func(k Key) {
		p.total++
		if p.After != nil && p.compare(*p.After, k) >= 0 {
			return
		}
		if p.keys = append(p.keys, k); len(p.keys) >= 2*p.reach()+1000 {
			p.cut()
		}
	})
	p.cut()
	p.keys = p.keys[min(p.reach()-p.Limit, len(p.keys)):]
	return err
}

// cut sorts the known rows and drops those after the end of the page.
func (p *plan) cut() {
	slices.SortFunc(p.keys, p.compare)
	p.keys = p.keys[:min(p.reach(), len(p.keys))]
}

// read reads the keys of the page by the index.
func (p *plan) read(tx *db.Tx) ([]Key, error) {
	x, changed := p.index, ""
	if x.Changed != nil {
		var err error
		if changed, err = x.Changed(tx); err != nil {
			return nil, err
		}
	}
	w := db.NewWhere(tx, "")
	if changed == "" {
		return p.list(tx, p.page(w, x), w.Args())
	}
	now := &Index{From: p.Rows, ID: p.ID, Bounds: []Bound{{Where: changed}}}
	fresh, err := p.list(tx, p.Query.keys(w, now), w.Args())
	if err != nil {
		return nil, err
	}
	same := *x
	same.From = p.Rows + " CROSS JOIN " + x.From
	same.Bounds = []Bound{{Where: aliasOf(p.Rows) + ".tenant_id = $1 AND " + x.ID + " = " + p.ID + " AND " + changed}}
	w = db.NewWhere(tx, "")
	stale, err := p.list(tx, p.Query.keys(w, &same), w.Args())
	if err != nil {
		return nil, err
	}
	slices.SortFunc(fresh, p.compare)
	slices.SortFunc(stale, p.compare)
	part := p.Query
	part.Offset = max(0, p.Offset-len(fresh)) // as many of the changed rows may come before the page
	part.Limit = p.Limit + len(fresh) + len(stale)
	w = db.NewWhere(tx, "")
	keys, err := part.list(tx, part.page(w, x), w.Args())
	return Merge(keys, stale, fresh, p.compare, part.Offset, p.Offset, p.Limit), err
}
