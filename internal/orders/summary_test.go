package orders

import (
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// A table of orders shows of each what its lines add up to, as the order itself does.
func TestSummaries(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		sample(t, store, tenant, 60)
		o := Order{ID: id.New[id.Order](), Number: 61, Status: PartiallyShipped, Currency: "EUR", CreatedAt: 1_800_000_000_000_000,
			History: []Entry{{Status: Processing, Source: FromAPI}}, Lines: []Line{
				{ID: id.New[id.Line](), SKU: "B", Quantity: 7, Shipped: 3, Refunded: 2},
				{ID: id.New[id.Line](), SKU: "C", Name: "Cup", Quantity: 4, Shipped: 4}}}
		if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error { Insert(tx, &o); return nil }); err != nil {
			t.Fatal(err)
		}
		err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			f := Filter{Sort: ByCreatedAt, Limit: 50}
			list, total, err := ListSummaries(tx, f)
			if err != nil || total != 61 || len(list) != 50 {
				t.Fatalf("%d of %d, %v", len(list), total, err)
			}
			if list[0].Units != (Units{9, 7}) || list[0].FirstLine != "B" || list[0].ItemCount != 2 || len(list[0].Lines) != 0 {
				t.Errorf("%+v", list[0])
			}
			whole, _, err := List(tx, f, nil)
			for i := range whole {
				if whole[i].ID != list[i].ID || whole[i].Units() != list[i].Units {
					t.Errorf("%d: %+v, whole %+v", i, list[i].Units, whole[i].Units())
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// Who goes from neighbour to neighbour, forwards or backwards, meets the orders of the list in its order, and its ends.
func TestNeighboursFollowTheList(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		sample(t, store, tenant, 80)
		for _, f := range []Filter{
			{Sort: ByCreatedAt},
			{Sort: ByTotal, Ascending: true, CountedFilter: CountedFilter{Statuses: []Status{Pending, Processing}}},
			{Sort: ByNumber, RowFilter: RowFilter{Search: "lovelace"}},
			{Sort: ByCreatedAt, RowFilter: RowFilter{MinTotal: amount(10)}},
		} {
			err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
				f.Limit = 100
				list, _, err := List(tx, f, nil)
				if err != nil || len(list) < 5 {
					t.Fatal(len(list), err)
				}
				for i := range list {
					var want, got [2]id.Order
					if i > 0 {
						want[0] = list[i-1].ID
					}
					if i+1 < len(list) {
						want[1] = list[i+1].ID
					}
					if got[0], got[1], err = Neighbours(tx, f, &list[i]); err != nil || got != want {
						t.Errorf("%+v: beside the order %d of %d: %v, not %v; %v", f, i, len(list), got, want, err)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Every order of a filter comes by once, however many pages it takes, and the counts by status are those of the lists.
func TestAllPagesAndCounts(t *testing.T) {
	dbtest.Long(t, "1,300 orders are stored")
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		sample(t, store, tenant, 1300)
		err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			seen := map[id.Order]bool{}
			byStatus := map[Status]int64{}
			err := EachHead(tx, Filter{Sort: ByTotal}, func(list []Order) error {
				for i := range list {
					seen[list[i].ID] = true
					byStatus[list[i].Status]++
				}
				return nil
			})
			if err != nil || len(seen) != 1300 {
				t.Errorf("%d orders, %v", len(seen), err)
			}
			counts, err := StatusCounts(tx)
			for _, s := range Statuses {
				if counts[s] != byStatus[s] {
					t.Errorf("%s: %d, not %d", s, counts[s], byStatus[s])
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// The newest orders, the neighbours of one and all of them in turn are read without a count of how many there are.
func TestHeadsAreNotCounted(t *testing.T) {
	for engine, config := range map[string]db.Config{"sqlite": {Dir: dbtest.StoreDir(t), Unsafe: true},
		"postgres": {URL: dbtest.StoreURL(t)}} {
		t.Run(engine, func(t *testing.T) {
			read := 0
			config.Trace = func(sql string, _ []any) {
				read++
				if strings.Contains(sql, "count(*)") || strings.Contains(sql, "order_figures") {
					t.Error(sql)
				}
			}
			store := dbtest.Open(t, db.Config{URL: config.URL, Dir: config.Dir, Unsafe: config.Unsafe})
			tenant := dbtest.Account(t, store)
			sample(t, store, tenant, 60)
			store = dbtest.Open(t, config)
			err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
				newest := Filter{Sort: ByCreatedAt, Limit: 7}
				list, err := Heads(tx, newest)
				if err != nil || len(list) != 7 {
					t.Fatalf("%d orders, %v", len(list), err)
				}
				before, after, err := Neighbours(tx, newest, &list[3])
				if before != list[2].ID || after != list[4].ID || err != nil {
					t.Errorf("between %s and %s, %v", before, after, err)
				}
				all := 0
				err = EachHead(tx, Filter{Sort: ByCreatedAt, CountedFilter: CountedFilter{Statuses: Statuses}}, func(list []Order) error {
					all += len(list)
					return nil
				})
				if all != 60 || read < 4 {
					t.Errorf("%d orders, %d statements", all, read)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
