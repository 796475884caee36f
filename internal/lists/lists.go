// Package lists reads the pages of every noun's list, each with the exact number of rows that match.
//
//	Noun    what is listed: its table, its column of ids and its text for searches
//	Sort    an order of the list; equal values are ordered by id
//	Filter  one condition of a caller
//	Index   an index of the noun: the filters that bound what is read of it, and the order in which its rows come
//	Query   a caller's filters, sort and page, with the indexes that may serve them
//	Page    chooses the cheapest index and reads the page (plan.go)
//
// A noun writes down its indexes, filters and sorts, once and in one file; this package decides by how many rows each index
// would read (decision 10). Neither engine can: SQLite has no statistics, and PostgreSQL plans a statement once for all
// accounts. So a statement leaves open to the planner only the conditions that bound the chosen index. Every other condition
// stands in an expression, in which no planner looks for an index.
package lists

import (
	"cmp"
	"slices"
	"strings"

	"entrepot/internal/db"
	"entrepot/internal/search"
)

// Noun is what is listed.
type Noun struct {
	Rows   string      // its table and alias: "products p"
	ID     string      // its column of ids: "p.id"
	Texts  bool        // ID is a column of texts that are different only in rows of one sort value
	Living string      // the condition on a row of the table to be in any list; "": every row is
	Search search.Kind // its index of searches
	Text   string      // the column with the folded text that a search looks through: "search"
}

// Sort is an order of a list.
type Sort struct {
	Column string // of the noun's row; "id" sorts by id alone
	Text   bool   // the values are texts, not numbers
	Unique bool   // no two rows have the same value: the id is not needed
}

// ByID sorts by id, which is the order of creation where ids are made when their records are.
var ByID = Sort{Column: "id", Unique: true}

// Filter is one condition that all rows of a list must meet.
type Filter struct {
	Name    string
	Columns []string // columns of the noun's row that Where names; none: it looks the id up in another table
	Where   string   // the condition: {row} is the alias of the row, {id} is its id, each ? takes the next of Args
	Args    []any

	Elsewhere string // the condition by the id alone, for indexes of other tables; "": Where, on the noun's row

	Rest *Index // all rows that do not meet the condition, where an index has them: reading these may be cheaper
}

// In returns the filter that a column has one of some values.
func In[V any](column string, values []V) Filter {
	name := "{row}." + column
	if column == "id" {
		name = "{id}" // which each index has under a name of its own
	}
	return Filter{Name: column, Columns: []string{column}, Where: name + " IN (?" + strings.Repeat(",?", len(values)-1) + ")",
		Args: db.Args(values)}
}

// Members returns the filter that a table of memberships has a row's id with a value in a column, and the index of
// these ids, in their order: from is the table and the alias m, id the column of the ids, size how many the value has.
func Members(from, id, column, cast string, value any, size int64) (Filter, *Index) {
	f := Filter{Name: column, Where: "EXISTS (SELECT 1 FROM " + tableOf(from) + " x WHERE x.tenant_id = $1 AND x." + id + " = {id} AND x." +
		column + " = ?" + cast + ")", Args: []any{value}}
	return f, &Index{From: from, ID: "m." + id, Bounds: []Bound{{"m." + column + " = ?" + cast, f.Args}}, Sort: "id", Size: Known(size)}
}

// Bound is a condition with its arguments: each ? takes the next one.
type Bound struct {
	Where string
	Args  []any
}

// Index is one way to the rows of a noun.
type Index struct {
	From   string   // the table that it belongs to, and an alias: the noun's own, or one with the noun's ids
	ID     string   // the column of the noun's ids
	Has    []string // columns of the noun's row that its entries have besides the id
	Serves []string // names of the filters that all rows within its bounds meet
	Bounds []Bound  // each bounds a run of entries in the order of Sort
	Sort   string   // the column by which the entries of each run are sorted, then by id; "": in no order of a list

	// Scattered says that neighbours in the index are far apart in the table, as they are by a name or an amount: looking up
	// a row costs several times as much.
	Scattered bool

	// Size counts the rows within the bounds; it is called once at most. nil: the entries are counted.
	Size func(*db.Tx) (int64, error)
	Most bool // there may be fewer rows than Size returns

	// Changed is the condition on the noun's row that it changed since the index was brought up to date, "" for none. Such
	// rows are read from the noun's own table. nil: the index is always up to date.
	Changed func(*db.Tx) (string, error)

	// Passed counts the rows that a list in the order of the index passes before the first one that may match: those of
	// later or earlier times. nil: none.
	Passed func(tx *db.Tx, descending bool) (int64, error)

	size  int64
	sized bool
}

// Known returns the Size of an index with a known number of rows, or the All of an account.
func Known(n int64) func(*db.Tx) (int64, error) {
	return func(*db.Tx) (int64, error) { return n, nil }
}

// Once returns a Size or All that counts once, for a query whose plan asks for it more than once.
func Once(count func(*db.Tx) (int64, error)) func(*db.Tx) (int64, error) {
	var n int64
	counted := false
	return func(tx *db.Tx) (_ int64, err error) {
		if !counted {
			n, err = count(tx)
			counted = err == nil
		}
		return n, err
	}
}

// meets reports whether all rows within the bounds of the index meet a filter.
func (x *Index) meets(f Filter) bool { return slices.Contains(x.Serves, f.Name) }

// has reports whether the entries of the index have some columns.
func (x *Index) has(columns ...string) bool {
	return !slices.ContainsFunc(columns, func(c string) bool { return c != "id" && !slices.Contains(x.Has, c) })
}

// rows returns how many rows the index has within its bounds.
func (x *Index) rows(tx *db.Tx, noun *Noun) (n int64, err error) {
	if x.sized {
		return x.size, nil
	}
	if x.Size != nil {
		n, err = x.Size(tx)
	} else {
		n, err = (&Query{Noun: noun}).countBy(tx, x)
	}
	x.size, x.sized = n, err == nil
	return n, err
}

// Key is a row's id and its value of the list's sort.
type Key struct {
	ID     string
	Number int64  // the value, unless Sort.Text
	Text   string // the value, if Sort.Text
}

// Compare compares two keys as an ascending list does.
func (k Key) Compare(other Key) int {
	return cmp.Or(cmp.Compare(k.Text, other.Text), cmp.Compare(k.Number, other.Number), cmp.Compare(k.ID, other.ID))
}

// IDs returns the ids of some keys.
func IDs[T ~string](keys []Key) []T {
	ids := make([]T, len(keys))
	for i := range keys {
		ids[i] = T(keys[i].ID)
	}
	return ids
}

// Query is a list that a caller asks for, and the page of it.
type Query struct {
	*Noun
	All     func(*db.Tx) (int64, error) // counts the rows of the account
	Filters []Filter                    // a row must meet all of them
	Indexes []*Index                    // the ways to the rows: one of the indexes must have all rows that meet the filters
	Search  string                      // a term that a row's text must contain, in any case; "": none
	Owned   *Owned                      // the text is that of the row's owner; nil: its own

	Sort       Sort
	Descending bool
	After      *Key // the last row of the page before, in place of Offset
	Offset     int
	Limit      int

	// Total prefetches how many rows meet the filters, if maintained counts have the number; nil: an index is counted.
	Total func(*db.Tx) *db.Pending[int64]
	// Uncounted says that the caller does not need the total: it is counted only if the page cannot be read without it.
	Uncounted bool

	all int64 // rows of the account, once they are counted
}

// Owned says that a search finds records of another kind, to which the rows belong. Some rows may match by themselves.
type Owned struct {
	All      func(*db.Tx) (int64, error) // counts the owners
	Contains Filter                      // the row's owner contains the term, or the row matches by itself
	Rows     func(owners []any) Bound    // the rows of some owners but those that match by themselves; without owners: these
}

// Add adds a filter and the index of the rows that meet it; nil: there is no such index. An index without bounds is
// bounded by the filter.
func (q *Query) Add(f Filter, x *Index) {
	q.Filters = append(q.Filters, f)
	if x == nil {
		return
	}
	if x.Bounds == nil {
		x.Bounds = []Bound{{strings.NewReplacer("{row}", aliasOf(x.From), "{id}", x.ID).Replace(f.Where), f.Args}}
	}
	x.Serves = []string{f.Name}
	q.Indexes = append(q.Indexes, x)
}

// Others returns the Size of the index of all rows that x does not have.
func (q *Query) Others(x *Index) func(*db.Tx) (int64, error) {
	return func(tx *db.Tx) (int64, error) {
		all, err := q.All(tx)
		if err != nil {
			return 0, err
		}
		n, err := x.rows(tx, q.Noun)
		return all - n, err
	}
}

// compare compares two rows by their positions in the list.
func (q *Query) compare(a, b Key) int {
	if q.Descending {
		a, b = b, a
	}
	return a.Compare(b)
}

// reach returns the number of rows up to the end of the page.
func (q *Query) reach() int {
	if q.After != nil {
		return q.Limit
	}
	return q.Offset + q.Limit
}

// Merge returns a page of an index that is a little outdated, merged with later changes. All three lists are in the
// order of the page. list is a part of the index, after from of its rows, and at least as long as the page and the
// other two lists together. stale has the rows of the index that no longer count, and fresh, which is complete, has the
// rows that count instead. So from may be at most offset less the length of fresh.
func Merge[T any](list, stale, fresh []T, compare func(a, b T) int, from, offset, limit int) []T {
	page := make([]T, 0, limit)
	if from > 0 && len(list) == 0 { // the page is after the end
		return page
	}
	at := from // position of the next row
	if from > 0 {
		gone, _ := slices.BinarySearchFunc(stale, list[0], compare)
		before, _ := slices.BinarySearchFunc(fresh, list[0], compare)
		at, stale, fresh = from-gone+before, stale[gone:], fresh[before:]
	}
	for len(page) < limit && len(list)+len(fresh) > 0 {
		next := &list
		switch {
		case len(list) > 0 && len(stale) > 0 && compare(list[0], stale[0]) == 0:
			list, stale = list[1:], stale[1:]
			continue
		case len(list) == 0 || len(fresh) > 0 && compare(fresh[0], list[0]) < 0:
			next = &fresh
		}
		if at >= offset {
			page = append(page, (*next)[0])
		}
		*next = (*next)[1:]
		at++
	}
	return page
}
