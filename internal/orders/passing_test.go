package orders

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/dbtest"
)

// A page far along the totals passes orders in indexes alone, whether those that match are many or few.
func TestDeepPagesPassOrdersInAnIndex(t *testing.T) {
	few, step := fewRows, alongStep
	fewRows, alongStep = 40, 50
	defer func() { fewRows, alongStep = few, step }()
	store, read := dbtest.Reading(t)
	tenant := dbtest.Account(t, store)
	all := sample(t, store, tenant, 700)
	sendAll(t, store, tenant, "FR")
	for _, f := range []Filter{
		{RowFilter: RowFilter{Country: "FR"}, Offset: 200},
		{RowFilter: RowFilter{Country: "DE"}, Offset: 20, Ascending: true},
		{RowFilter: RowFilter{Country: "FR"}, CountedFilter: CountedFilter{Statuses: []Status{Delivered, Cancelled}}, Offset: 60},
		{CountedFilter: CountedFilter{Statuses: []Status{Delivered, Cancelled}}, Offset: 250},
		{CountedFilter: CountedFilter{Statuses: []Status{Delivered, Cancelled}}, Offset: 250, Ascending: true},
		{CountedFilter: CountedFilter{Channel: erp}, Offset: 200},
		{CountedFilter: CountedFilter{From: all[300].CreatedAt}, Offset: 100},
		{CountedFilter: CountedFilter{Statuses: Statuses}, Offset: 250},
	} {
		f.Sort, f.Limit = ByTotal, 20
		err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			read.Reset()
			list, total, err := List(tx, f, nil)
			if err != nil || len(list) != f.Limit || int64(f.Offset+f.Limit) >= total {
				t.Fatalf("%+v: %d of %d orders, %v", f, len(list), total, err)
			}
			along := 0
			for _, s := range read.List() {
				for line := range strings.Lines(s.Plan(t, tx)) {
					if strings.HasPrefix(line, "SEARCH o ") && !strings.Contains(line, "COVERING") && !strings.Contains(line, "AND id=?") {
						t.Errorf("%+v: %s\nin %s", f, line, s.SQL)
					}
					if strings.Contains(line, "COVERING INDEX orders_tenant_id_total ") {
						along++
					}
				}
			}
			if along == 0 {
				t.Errorf("%+v: not read along the totals", f)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Such a page has the orders that it should have, whether those that match or the others are fewer, from either end of the list.
func TestDeepPagesHaveWhatMatches(t *testing.T) {
	few, step := fewRows, alongStep
	fewRows, alongStep = 40, 50
	defer func() { fewRows, alongStep = few, step }()
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		all := sample(t, store, tenant, 700)
		err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			for left := range len(Statuses) {
				for _, ascending := range []bool{false, true} {
					f := Filter{CountedFilter: CountedFilter{Statuses: Statuses[left:]}, Sort: ByTotal, Limit: 20, Ascending: ascending}
					want := listed(all, f, func(o *Order) bool { return slices.Contains(f.Statuses, o.Status) })
					for f.Offset = 0; f.Offset < len(want); f.Offset += 60 {
						list, total, err := List(tx, f, nil)
						if err != nil || total != int64(len(want)) {
							t.Fatalf("%+v: %d, not %d, %v", f, total, len(want), err)
						}
						same(t, fmt.Sprintf("%+v", f), list, want[f.Offset:min(f.Offset+f.Limit, len(want))])
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
