package orders

import (
	"strings"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/dbtest"
)

// Orders of a status or channel whose totals are within bounds are counted without a look at any of them, if both are many. Totals that
// nearly all orders have are counted by those that are beyond.
func TestBoundedTotalsAreCountedInIndexes(t *testing.T) {
	reach := firstReach
	firstReach = 30
	defer func() { firstReach = reach }()
	store, read := dbtest.Reading(t)
	tenant := dbtest.Account(t, store)
	all := sample(t, store, tenant, 700) // totals from 0 to 233
	for _, of := range []CountedFilter{{}, {Statuses: Statuses[1:]}, {Statuses: Statuses[3:6]}, {Channel: erp},
		{From: all[100].CreatedAt, To: all[600].CreatedAt}} {
		for _, bounds := range []RowFilter{{MinTotal: amount(10)}, {MinTotal: amount(120)}, {MaxTotal: amount(200)},
			{MinTotal: amount(4), MaxTotal: amount(222)}} {
			f := Filter{CountedFilter: of, RowFilter: bounds, Sort: ByCreatedAt, Limit: 20}
			want := listed(all, f, func(o *Order) bool {
				return strings.Contains(" "+strings.Join(texts(f.states()), " ")+" ", " "+string(o.Status)+" ") &&
					(of.Channel == "" || o.Channel == of.Channel) && o.CreatedAt >= of.From && (of.To == 0 || o.CreatedAt <= of.To) &&
					(bounds.MinTotal == nil || o.Total >= *bounds.MinTotal) && (bounds.MaxTotal == nil || o.Total <= *bounds.MaxTotal)
			})
			err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
				read.Reset()
				list, total, err := List(tx, f, nil)
				if err != nil || total != int64(len(want)) {
					t.Errorf("%+v: %d orders, not %d, %v", f, total, len(want), err)
				}
				same(t, "a page", list, want[:20])
				for _, s := range read.List() {
					if strings.Contains(s.SQL, "AS k") { // the page
						continue
					}
					for line := range strings.Lines(s.Plan(t, tx)) {
						if strings.HasPrefix(line, "SEARCH o ") && !strings.Contains(line, "COVERING") {
							t.Errorf("%+v: %s\nin %s", f, line, s.SQL)
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
}

func texts(states []Status) (list []string) {
	for _, s := range states {
		list = append(list, string(s))
	}
	return list
}

// The page of such a list is read along what passes the fewest orders.
func TestTheWayWithinTotals(t *testing.T) {
	for _, c := range []struct {
		f                       Filter
		n, counted, within, all int64
		want                    access
	}{
		{Filter{Sort: ByTotal, Limit: 20}, 400_000, 500_000, 900_000, 1_000_000, byTotal},
		{Filter{Sort: ByTotal, Limit: 20}, 20, 100, 900_000, 1_000_000, byStatus},
		{Filter{Sort: ByCreatedAt, Limit: 20}, 400_000, 900_000, 500_000, 1_000_000, byStatus},
		{Filter{Sort: ByCreatedAt, Limit: 20}, 50, 900_000, 60, 1_000_000, byTotal},
		{Filter{Sort: ByNumber, Limit: 20}, 400_000, 900_000, 500_000, 1_000_000, bySort},
		{Filter{Sort: ByNumber, Limit: 20, CountedFilter: CountedFilter{To: 5}}, 400_000, 450_000, 500_000, 1_000_000, byStatus},
		{Filter{Sort: ByNumber, Limit: 20, CountedFilter: CountedFilter{From: 5}}, 400_000, 900_000, 500_000, 1_000_000, byTotal},
		{Filter{Sort: ByCreatedAt, Limit: 20, Offset: 300_000}, 400_000, 900_000, 500_000, 1_000_000, byTotal},
		{Filter{Sort: ByTotal, Limit: 20, Offset: 300_000}, 400_000, 450_000, 900_000, 1_000_000, byStatus},
	} {
		if got := c.f.wayWithin(c.n, c.counted, c.within, c.all); got != c.want {
			t.Errorf("%+v: %d, not %d", c, got, c.want)
		}
	}
}
