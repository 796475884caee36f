package orders

import (
	"fmt"
	"strings"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/dbtest"
)

// Of a search that most orders match only the others are looked up; the page and the total are those of the list without a search, less
// these. Where an index has fewer ids than these others are worth, or the others are more, its ids are compared with what was found.
func TestASearchForWhatMostHave(t *testing.T) {
	few, look := fewRows, entriesPerLook
	fewRows, entriesPerLook = 40, 1
	defer func() { fewRows, entriesPerLook = few, look }()
	store, read := dbtest.Reading(t)
	tenant := dbtest.Account(t, store)
	all := sample(t, store, tenant, 700)
	const term = "1"
	without := map[string]bool{}
	for i := range all {
		if !strings.Contains(all[i].search(), term) {
			without[string(all[i].ID)] = true
		}
	}
	for _, c := range []struct {
		f   Filter
		but bool
	}{
		{Filter{CountedFilter: CountedFilter{Channel: erp}}, true},
		{Filter{RowFilter: RowFilter{MinTotal: amount(100)}}, true},
		{Filter{CountedFilter: CountedFilter{Channel: erp}, RowFilter: RowFilter{MinTotal: amount(30)}}, false},
		{Filter{CountedFilter: CountedFilter{Channel: shop}}, false},
		{Filter{RowFilter: RowFilter{MinTotal: amount(5)}}, false},
	} {
		for _, sort := range []Sort{ByCreatedAt, ByTotal, ByNumber} {
			f := c.f
			f.Search, f.Sort, f.Limit, f.Offset = term, sort, 20, 40
			want := listed(all, f, func(o *Order) bool {
				return !without[string(o.ID)] && (f.Channel == "" || o.Channel == f.Channel) && (f.MinTotal == nil || o.Total >= *f.MinTotal)
			})
			name := fmt.Sprintf("%+v", f)
			err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
				read.Reset()
				list, total, err := List(tx, f, nil)
				same(t, name, list, want[40:60])
				if total != int64(len(want)) {
					t.Errorf("%s: %d orders, not %d", name, total, len(want))
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			looked, compared, counted := 0, 0, 0
			for _, s := range read.List() {
				switch {
				case strings.Contains(s.SQL, "(SELECT 1 AS one FROM orders"):
					counted++
				case strings.HasPrefix(s.SQL, "SELECT o.id FROM"):
					compared++
				case strings.HasPrefix(s.SQL, "SELECT o.id, o."+sortColumns[sort]+" FROM orders o WHERE"):
					for _, arg := range s.Args {
						if text, is := arg.(string); is && len(text) == 36 && text != string(f.Channel) {
							looked++
							if !without[text] {
								t.Fatalf("%s: an order is looked up that has the term", name)
							}
						}
					}
				}
			}
			if c.but && counted > 1 {
				t.Errorf("%s: totals were counted %d times", name, counted)
			}
			if (looked > 0) != c.but || sort == ByCreatedAt && (compared > 0) == c.but {
				t.Errorf("%s: %d orders without the term were looked up, %d statements read ids", name, looked, compared)
			}
		}
	}
}

// Orders that are known to be within bounds of the total, and to have a status, are not looked at again where an index has their ids.
func TestWhatIsKnownToMatchIsNotLookedAt(t *testing.T) {
	few := fewRows
	fewRows = 40
	defer func() { fewRows = few }()
	store, read := dbtest.Reading(t)
	tenant := dbtest.Account(t, store)
	all := sample(t, store, tenant, 700)
	for _, sort := range []Sort{ByCreatedAt, ByTotal, ByNumber} {
		f := Filter{CountedFilter: CountedFilter{Statuses: Statuses[1:]}, RowFilter: RowFilter{Search: "lovelace", MinTotal: amount(20)},
			Sort: sort, Limit: 20}
		want := listed(all, f, func(o *Order) bool {
			return strings.Contains(o.search(), f.Search) && o.Status != Statuses[0] && o.Total >= *f.MinTotal
		})
		err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			read.Reset()
			list, total, err := List(tx, f, nil)
			same(t, string(sort), list, want[:20])
			if total != int64(len(want)) {
				t.Errorf("%s: %d orders, not %d", sort, total, len(want))
			}
			for _, s := range read.List() {
				for line := range strings.Lines(s.Plan(t, tx)) {
					if strings.HasPrefix(line, "SEARCH o ") && !strings.Contains(line, "COVERING") && !strings.Contains(line, "AND id=?") &&
						!strings.Contains(line, "orders_tenant_id_number") { // which has no ids
						t.Errorf("%s: %s\nin %s", sort, line, s.SQL)
					}
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
