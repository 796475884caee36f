// Package liststest compares the lists of a noun with a program that looks at every row.
//
//	Noun     how an account is filled and changed, and what its lists filter and sort by
//	Compare  compares the pages of every filter, every pair of filters and every sort, on both engines
//
// A noun's test says no more than its rows, filters and sorts. A new filter is one line.
package liststest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// Noun is what is listed: R is a row as a plain value, F the noun's filter of a list.
type Noun[R, F any] struct {
	Fill    func(a *Account, n int)                  // stores n rows, more or less
	Change  func(a *Account)                         // changes some rows, and adds and deletes some
	Follow  func(a *Account) error                   // brings the views of the lists up to date; nil: there are none
	Rows    func(tx *db.Tx) ([]R, error)             // reads every row that any list may show, in no order, and not by a list
	ID      func(r *R) string                        // what List returns of a row
	Filters func(rows []R, add Add[R, F])            // adds the filters; they may take values from the rows of a filled account
	Shows   func(f F, r *R) bool                     // whether lists show a row at all; nil: they show every one
	Sorts   []Sort[R, F]                             // the orders
	Page    func(f *F, p Page[R])                    // asks for a page
	List    func(*db.Tx, F) ([]string, int64, error) // reads it: the ids, in order, and the total
}

// Add adds a filter: how a caller sets it, and which rows fit. Where every row fits, or none, its name begins with "every" or "no".
type Add[R, F any] func(name string, set func(f *F), fits func(r *R) bool)

type filter[R, F any] struct {
	name string
	set  func(f *F)
	fits func(r *R) bool
}

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

// Write and Read run a transaction, which must succeed.
func (a *Account) Write(run func(tx *db.Tx) error) {
	a.Helper()
	if err := a.Store.Write(a.Context(), a.Tenant, run); err != nil {
		a.Fatal(err)
	}
}

func (a *Account) Read(run func(tx *db.Tx) error) {
	a.Helper()
	if err := a.Store.Read(a.Context(), a.Tenant, run); err != nil {
		a.Fatal(err)
	}
}

// Compare compares the lists of an account of n rows: of all pairs of filters while the views are behind, by cursors while rows
// change between two pages, and of each filter when the views are up to date. With -short it leaves out the pairs.
func Compare[R, F any](t *testing.T, n int, noun Noun[R, F]) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		a, other, empty := NewAccount(t, store, 1), NewAccount(t, store, 2), NewAccount(t, store, 3)
		noun.Fill(a, n*2/3)
		noun.Fill(other, n/10)
		noun.follow(a)
		noun.Fill(a, n/3)
		noun.Change(a)
		dbtest.Analyse(t, store, a.Tenant)
		var filters []filter[R, F]
		a.Read(func(tx *db.Tx) error {
			rows, err := noun.Rows(tx)
			add := func(name string, set func(f *F), fits func(r *R) bool) {
				filters = append(filters, filter[R, F]{name, set, fits})
			}
			add("every row", func(*F) {}, func(*R) bool { return true })
			noun.Filters(rows, add)
			noun.suffice(t, filters, rows)
			return err
		})
		lists := noun.lists(filters, false)
		noun.pages(empty, lists, true)
		noun.pages(a, lists, true)
		if !testing.Short() {
			noun.pages(a, noun.lists(pairs(filters), true), false)
		}
		noun.walk(a, lists)
		noun.pages(a, lists, true)
		noun.follow(a)
		noun.pages(a, lists, true)
	})
}

func (n *Noun[R, F]) follow(a *Account) {
	if n.Follow == nil {
		return
	}
	if err := n.Follow(a); err != nil {
		a.Fatal(err)
	}
}

// suffice checks that every field of the noun's filter is set by a filter, a sort or a page, and that each filter selects
// some of the rows and not all.
func (n *Noun[R, F]) suffice(t *testing.T, filters []filter[R, F], rows []R) {
	set := map[string]bool{}
	note := func(do func(f *F)) {
		var f F
		do(&f)
		v := reflect.ValueOf(f)
		for _, field := range reflect.VisibleFields(v.Type()) {
			if !field.Anonymous {
				set[field.Name] = set[field.Name] || !v.FieldByIndex(field.Index).IsZero()
			}
		}
	}
	for _, one := range filters {
		note(one.set)
		fit := len(slices.DeleteFunc(slices.Clone(rows), func(r R) bool { return !one.fits(&r) }))
		if every, no := strings.HasPrefix(one.name, "every "), strings.HasPrefix(one.name, "no "); every != (fit == len(rows)) || no != (fit == 0) {
			t.Errorf("%s: %d of %d rows fit", one.name, fit, len(rows))
		}
	}
	for _, sort := range n.Sorts {
		note(sort.Set)
	}
	for _, descending := range []bool{false, true} {
		note(func(f *F) { n.Page(f, Page[R]{descending, 1, 1, &rows[0]}) })
	}
	for field, is := range set {
		if !is {
			t.Errorf("nothing sets %s: add a filter, and which rows fit", field)
		}
	}
}

// pairs are all pairs of filters on different conditions.
func pairs[R, F any](filters []filter[R, F]) (all []filter[R, F]) {
	for i, one := range filters {
		for _, two := range filters[:i] {
			var f, again F
			one.set(&f)
			two.set(&f)
			two.set(&again)
			if one.set(&again); reflect.DeepEqual(f, again) { // otherwise the second replaces the first
				all = append(all, filter[R, F]{one.name + ", " + two.name, func(f *F) { *f = again },
					func(r *R) bool { return one.fits(r) && two.fits(r) }})
			}
		}
	}
	return all
}

// list is a list without its page.
type list[R, F any] struct {
	filter[R, F]
	sort       Sort[R, F]
	descending bool
	noun       *Noun[R, F]
}

// lists are the lists of each filter with each sort, in both directions or in one of them in turn.
func (n *Noun[R, F]) lists(filters []filter[R, F], oneDirection bool) (all []list[R, F]) {
	for i, one := range filters {
		for k, sort := range n.Sorts {
			for _, descending := range []bool{false, true} {
				if sort.OneWay && descending || !sort.OneWay && oneDirection && descending != ((i+k)%2 == 0) {
					continue
				}
				l := list[R, F]{one, sort, descending, n}
				l.name = fmt.Sprintf("%s by %s, descending %v", one.name, sort.Name, descending)
				l.set = func(f *F) { one.set(f); sort.Set(f) }
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

// expected are the rows of the list, of all rows.
func (l *list[R, F]) expected(rows []R) (want []R) {
	var f F
	l.set(&f)
	for _, r := range rows {
		if l.fits(&r) && (l.noun.Shows == nil || l.noun.Shows(f, &r)) {
			want = append(want, r)
		}
	}
	slices.SortFunc(want, func(a, b R) int { return l.compare(&a, &b) })
	return want
}

// holds reads a page and compares it.
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
	if err != nil || n != int64(total) || !slices.Equal(got, ids) {
		t.Fatalf("%s, %d rows from %d, after %+v: %v of %d, not %v of %d; %v", l.name, p.Limit, p.Offset, p.After, got, n, ids, total, err)
	}
}

// pages compares pages of the lists: by number the first, the last and one behind the end, and by cursor one in the middle;
// all says that it is some more of each.
func (n *Noun[R, F]) pages(a *Account, lists []list[R, F], all bool) {
	a.Helper()
	a.Read(func(tx *db.Tx) error {
		rows, err := n.Rows(tx)
		for _, l := range lists {
			want := l.expected(rows)
			end := len(want)
			limit, middle := end/7+1, end/2
			numbers, cursors := []int{0, max(0, end-limit), end}, []int{middle}
			if all {
				numbers, cursors = append(numbers, limit, middle, end+limit), append(cursors, 1, limit, end-1, end)
			}
			slices.Sort(numbers)
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
				if l.sort.ByPage {
					continue
				}
				want := l.expected(rows)
				total, limit := len(want), len(want)/5+1
				if last[i] != nil {
					want = slices.DeleteFunc(want, func(r R) bool { return l.compare(&r, last[i]) <= 0 })
				}
				want = want[:min(limit, len(want))]
				l.holds(a.T, tx, Page[R]{Limit: limit, After: last[i]}, want, total)
				if len(want) > 0 {
					last[i] = &want[len(want)-1]
				}
			}
			return err
		})
		n.Change(a)
	}
}
