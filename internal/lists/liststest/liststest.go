// Package liststest compares the lists of a noun with a program that looks at every row: the same rows, in the same order, and their
// exact number (interface §4.1). A noun's test says its rows, filters and sorts; a new filter is one line.
package liststest

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/view"
)

// Noun is what is listed: R is a row as a plain value, F the noun's filter of a list.
type Noun[R, F any] struct {
	Fill    func(a *Account, n int)                  // stores n rows, more or less
	Change  func(a *Account)                         // changes some rows, and adds and deletes some
	Views   []*view.View                             // what the lists are read from and may be behind
	Rows    func(tx *db.Tx) ([]R, error)             // reads every row that any list may show, in no order, and not by a list
	ID      func(r *R) string                        // what List returns of a row
	Filters func(rows []R, add Add[R, F])            // adds the filters; they may take values from the rows of a filled account
	Shows   func(f F, r *R) bool                     // whether lists show a row at all; nil: they show every one
	Sorts   []Sort[R, F]                             // the orders
	Page    func(f *F, p Page[R])                    // asks for a page
	List    func(*db.Tx, F) ([]string, int64, error) // reads it: the ids, in order, and the total
	Onward  bool                                     // lists have no total, and pages are asked for by cursor alone
}

// Add adds a filter: how a caller sets it, and which rows fit. Where every row fits, or none, its name begins with "every" or "no".
type Add[R, F any] func(name string, set func(f *F), fits func(r *R) bool)

// Sort is one order of a list.
type Sort[R, F any] struct {
	Name    string
	Set     func(f *F)
	Compare func(a, b *R) int // ascending; equal rows are compared by id
	OneWay  bool              // there are no descending lists
	ByPage  bool              // pages are asked for by their number, and by no cursor
}

// Page is a part of a list: Limit rows behind the first Offset rows, or behind After, the last row of the page before.
type Page[R any] struct {
	Descending    bool
	Limit, Offset int
	After         *R
}

// Account is an account of a test.
type Account struct {
	*testing.T
	Store  *db.DB
	Tenant id.Tenant
	Dice   *rand.Rand
}

// NewAccount is an empty account.
func NewAccount(t *testing.T, store *db.DB, seed uint64) *Account {
	return &Account{t, store, dbtest.Account(t, store), rand.New(rand.NewPCG(seed, 7))}
}

// Write runs a transaction that writes and must succeed, and Read one that reads.
func (a *Account) Write(run func(tx *db.Tx) error) { a.must(a.Store.Write(a.Context(), a.Tenant, run)) }
func (a *Account) Read(run func(tx *db.Tx) error)  { a.must(a.Store.Read(a.Context(), a.Tenant, run)) }

func (a *Account) must(err error) {
	if a.Helper(); err != nil {
		a.Fatal(err)
	}
}

// Follow brings views up to date.
func (a *Account) Follow(views []*view.View) {
	for _, v := range views {
		a.must(v.FollowTenant(a.Context(), a.Store, a.Tenant))
	}
}

// Compare compares the lists of an account of n rows: of all pairs of filters while the views are behind, by cursors while rows
// change between two pages, and of each filter when the views are up to date. With -short it leaves out the pairs.
func Compare[R, F any](t *testing.T, n int, noun Noun[R, F]) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		a, other, empty := NewAccount(t, store, 1), NewAccount(t, store, 2), NewAccount(t, store, 3)
		noun.Fill(a, n*2/3)
		noun.Fill(other, n/10)
		a.Follow(noun.Views)
		noun.Fill(a, n/3)
		noun.Change(a)
		dbtest.Analyse(t, store, a.Tenant)
		var filters []list[R, F]
		add := func(name string, set func(f *F), fits func(r *R) bool) {
			filters = append(filters, list[R, F]{noun: &noun, name: name, set: set, fits: fits})
		}
		add("every row", func(*F) {}, func(*R) bool { return true })
		a.Read(func(tx *db.Tx) error {
			rows, err := noun.Rows(tx)
			noun.Filters(rows, add)
			noun.suffice(t, filters, rows)
			return err
		})
		all := sorted(filters, true)
		noun.pages(empty, all, false)
		noun.pages(a, all, true)
		if !testing.Short() {
			noun.pages(a, sorted(pairs(filters), false), false)
		}
		noun.walk(a, all)
		noun.pages(a, all, false)
		a.Follow(noun.Views)
		noun.pages(a, all, false)
	})
}

// suffice checks that filters, sorts and pages set every field of the noun's filter, and that filters select some of the rows.
func (n *Noun[R, F]) suffice(t *testing.T, filters []list[R, F], rows []R) {
	set := map[string]bool{}
	sets := append([]func(f *F){}, func(f *F) { n.Page(f, Page[R]{true, 1, 1, &rows[0]}) }, func(f *F) { n.Page(f, Page[R]{}) })
	for _, sort := range n.Sorts {
		sets = append(sets, sort.Set)
	}
	for _, one := range filters {
		sets = append(sets, one.set)
		fit := len(one.expected(rows))
		if every, no := strings.HasPrefix(one.name, "every "), strings.HasPrefix(one.name, "no "); no != (fit == 0) || !every && fit == len(rows) {
			t.Errorf("%s: %d of %d rows fit", one.name, fit, len(rows))
		}
	}
	for _, do := range sets {
		var f F
		do(&f)
		for _, field := range reflect.VisibleFields(reflect.TypeFor[F]()) {
			set[field.Name] = set[field.Name] || field.Anonymous || !reflect.ValueOf(f).FieldByIndex(field.Index).IsZero()
		}
	}
	for field, is := range set {
		if !is && field != uncounted {
			t.Errorf("nothing sets %s: add a filter, and which rows fit", field)
		}
	}
}

// list is a list without its page. A filter is one without its sort.
type list[R, F any] struct {
	noun       *Noun[R, F]
	name       string
	set        func(f *F)
	fits       func(r *R) bool
	sort       Sort[R, F]
	descending bool
}

// pairs are all pairs of filters on different conditions.
func pairs[R, F any](filters []list[R, F]) (all []list[R, F]) {
	for i, one := range filters {
		for _, two := range filters[:i] {
			var f, again F
			one.set(&f)
			two.set(&f)
			two.set(&again)
			if one.set(&again); reflect.DeepEqual(f, again) { // otherwise the second replaces the first
				all = append(all, list[R, F]{noun: one.noun, name: one.name + ", " + two.name, set: func(f *F) { *f = again },
					fits: func(r *R) bool { return one.fits(r) && two.fits(r) }})
			}
		}
	}
	return all
}

// sorted are the lists of each filter with each sort, in both directions or in one of them in turn.
func sorted[R, F any](filters []list[R, F], both bool) (all []list[R, F]) {
	for i, l := range filters {
		for k, sort := range l.noun.Sorts {
			for _, l.descending = range []bool{false, true} {
				if l.descending && sort.OneWay || !both && !sort.OneWay && l.descending != ((i+k)%2 == 0) {
					continue
				}
				set := filters[i].set
				l.sort, l.set = sort, func(f *F) { set(f); sort.Set(f) }
				all = append(all, l)
			}
		}
	}
	return all
}

// compare compares two rows by their places in the list.
func (l *list[R, F]) compare(a, b *R) int {
	if l.descending {
		a, b = b, a
	}
	return cmp.Or(l.sort.Compare(a, b), cmp.Compare(l.noun.ID(a), l.noun.ID(b)))
}

// expected are the rows of the list, of all rows; those of a filter are not sorted.
func (l *list[R, F]) expected(rows []R) (want []R) {
	var f F
	l.set(&f)
	for _, r := range rows {
		if l.fits(&r) && (l.noun.Shows == nil || l.noun.Shows(f, &r)) {
			want = append(want, r)
		}
	}
	if l.sort.Compare != nil {
		slices.SortFunc(want, func(a, b R) int { return l.compare(&a, &b) })
	}
	return want
}

// holds reads a page, and compares it and the total.
func (l *list[R, F]) holds(t *testing.T, tx *db.Tx, p Page[R], want []R, total int) {
	t.Helper()
	var f F
	l.set(&f)
	p.Descending = l.descending
	l.noun.Page(&f, p)
	got, n, err := l.noun.List(tx, f)
	var ids []string
	for _, r := range want {
		ids = append(ids, l.noun.ID(&r))
	}
	if err != nil || n != int64(total) && !l.noun.Onward || !slices.Equal(got, ids) {
		t.Fatalf("%s by %s, %d rows after %+v: %v of %d, not %v of %d; %v", l.name, l.sort.Name, p.Limit, p, got, n, ids, total, err)
	}
}

// uncounted is the field of a filter by which a caller needs no total.
const uncounted = "Uncounted"

// holdsUncounted compares the rows of a page of a list whose total nobody needs, if the noun has such lists.
func (l *list[R, F]) holdsUncounted(t *testing.T, tx *db.Tx, p Page[R], want []R) {
	t.Helper()
	var f F
	field := reflect.ValueOf(&f).Elem().FieldByName(uncounted)
	if !field.IsValid() {
		return
	}
	l.set(&f)
	p.Descending = l.descending
	l.noun.Page(&f, p)
	field.SetBool(true)
	got, _, err := l.noun.List(tx, f)
	var ids []string
	for _, r := range want {
		ids = append(ids, l.noun.ID(&r))
	}
	if err != nil || !slices.Equal(got, ids) {
		t.Fatalf("%s by %s without a total, %d rows after %+v: %v, not %v; %v", l.name, l.sort.Name, p.Limit, p, got, ids, err)
	}
}

// pages compares pages of the lists: by number the first, the last and one behind the end, and by cursor one in the middle; more
// says that it is some more of each.
func (n *Noun[R, F]) pages(a *Account, lists []list[R, F], more bool) {
	a.Helper()
	a.Read(func(tx *db.Tx) error {
		rows, err := n.Rows(tx)
		for _, l := range lists {
			want := l.expected(rows)
			end := len(want)
			limit, middle := end/7+1, end/2
			numbers, cursors := []int{0, max(0, end-limit), end}, []int{middle}
			if more {
				numbers, cursors = append(numbers, limit, middle, end+limit), append(cursors, 1, limit, end-1, end)
			}
			if slices.Sort(numbers); n.Onward {
				numbers = numbers[:1]
			}
			for _, at := range slices.Compact(numbers) {
				l.holds(a.T, tx, Page[R]{Limit: limit, Offset: at}, want[min(at, end):min(at+limit, end)], end)
			}
			for _, at := range cursors {
				if at > 0 && at <= end && !l.sort.ByPage {
					l.holds(a.T, tx, Page[R]{Limit: limit, After: &want[at-1]}, want[at:min(at+limit, end)], end)
				}
			}
		}
		return err
	})
}

// walk follows the lists by cursor while rows change: each page has the rows as they are by now.
func (n *Noun[R, F]) walk(a *Account, lists []list[R, F]) {
	a.Helper()
	last := make([]*R, len(lists))
	for range 4 {
		a.Read(func(tx *db.Tx) error {
			rows, err := n.Rows(tx)
			for i, l := range lists {
				want := l.expected(rows)
				total, limit := len(want), len(want)/5+1
				want = slices.DeleteFunc(want, func(r R) bool { return last[i] != nil && l.compare(&r, last[i]) <= 0 })
				if want = want[:min(limit, len(want))]; l.sort.ByPage {
					continue
				}
				page := Page[R]{Limit: limit, After: last[i]}
				l.holds(a.T, tx, page, want, total)
				if l.holdsUncounted(a.T, tx, page, want); len(want) > 0 {
					last[i] = &want[len(want)-1]
				}
			}
			return err
		})
		n.Change(a)
	}
}
