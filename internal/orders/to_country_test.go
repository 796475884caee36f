package orders

import (
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// An order is counted in its country, with its status and channel, from its creation to its deletion, wherever its address is changed to.
func TestOrdersAreCountedByCountry(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant, other := dbtest.Account(t, store), dbtest.Account(t, store)
		sample(t, store, other, 30)
		all := sample(t, store, tenant, 40) // many at once
		write := func(what string, run func(tx *db.Tx)) {
			t.Helper()
			err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
				run(tx)
				return nil
			})
			if err != nil {
				t.Fatal(what, err)
			}
			err = store.Read(t.Context(), tenant, func(tx *db.Tx) error {
				counted := map[string]int64{}
				for i := range all {
					if country := Country(all[i].ShippingAddress); country != "" {
						counted[all[i].CountedIn(country)]++
					}
				}
				kept, err := db.Tallies[string](tx, ToCountry)
				for key, n := range kept {
					if n != counted[key] {
						t.Errorf("%s: %s is %d, not %d", what, key, n, counted[key])
					}
					delete(counted, key)
				}
				if len(counted) > 0 {
					t.Errorf("%s: not kept are %v", what, counted)
				}
				return err
			})
			if err != nil {
				t.Fatal(what, err)
			}
		}
		write("an import", func(*db.Tx) {})
		write("a creation", func(tx *db.Tx) {
			o := all[0]
			o.ID, o.Number, o.Lines, o.ShippingAddress = id.New[id.Order](), 1000, nil, `{"country":"it"}`
			Insert(tx, &o)
			all = append(all, o)
		})
		change := func(o *Order, to string, status Status) *Order {
			before := *o
			o.ShippingAddress, o.UpdatedAt = to, o.UpdatedAt+1
			if status != o.Status {
				o.History = append(o.History, Entry{ID: id.New[id.History](), Previous: o.Status, Status: status, Source: FromAPI})
			}
			o.Status = status
			return &before
		}
		for what, to := range map[string]string{"another address": `{"country":"US"}`, "one of no country": `{"city":"Nice"}`, "none": "",
			"one again": `{"country":"FR"}`} {
			write(what, func(tx *db.Tx) { SaveDetails(tx, change(&all[1], to, all[1].Status), &all[1]) })
		}
		write("another status", func(tx *db.Tx) { Save(tx, change(&all[1], all[1].ShippingAddress, Returned), &all[1]) })
		write("another address and status", func(tx *db.Tx) { Save(tx, change(&all[1], `{"country":"DE"}`, Cancelled), &all[1]) })
		write("another address, saved whole", func(tx *db.Tx) { Save(tx, change(&all[1], `{"country":"GB"}`, Cancelled), &all[1]) })
		write("deletions", func(tx *db.Tx) {
			if err := Remove(tx, all[:8]); err != nil {
				t.Fatal(err)
			}
			all = all[8:]
		})
		write("all of a channel", func(tx *db.Tx) {
			var gone []Order
			rest := all
			all = nil
			for _, o := range rest {
				if o.Channel == shop {
					gone = append(gone, o)
				} else {
					all = append(all, o)
				}
			}
			if err := Remove(tx, gone); err != nil || len(gone) == 0 {
				t.Fatal(len(gone), err)
			}
		})
		write("the channel", func(tx *db.Tx) { ForgetChannel(tx, shop) })
		err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			kept, err := db.Tallies[string](tx, ToCountry)
			for key := range kept {
				if strings.HasSuffix(key, string(shop)) {
					t.Errorf("%s is left of the channel", key)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// How many orders a list by country has is read from a few maintained counts, with statuses and a channel, too.
func TestOrdersOfACountryAreNotCounted(t *testing.T) {
	store, read := dbtest.Reading(t)
	tenant := dbtest.Account(t, store)
	all := sample(t, store, tenant, 300)
	for _, f := range []Filter{{}, {CountedFilter: CountedFilter{Statuses: []Status{Delivered, Pending}}},
		{CountedFilter: CountedFilter{Channel: erp}}, {CountedFilter: CountedFilter{Channel: erp, Statuses: []Status{Delivered}}}} {
		for _, f.Sort = range []Sort{ByCreatedAt, ByTotal, ByNumber} {
			f.Country, f.Limit = "DE", 20
			want := slices.DeleteFunc(slices.Clone(all), func(o Order) bool {
				return Country(o.ShippingAddress) != "DE" || f.Channel != "" && f.Channel != o.Channel ||
					len(f.Statuses) > 0 && !slices.Contains(f.Statuses, o.Status)
			})
			err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
				read.Reset()
				_, total, err := List(tx, f, nil)
				if total != int64(len(want)) || total == 0 {
					t.Errorf("%+v: %d orders, not %d", f, total, len(want))
				}
				for _, s := range read.List() {
					if strings.Contains(s.SQL, "count(") {
						t.Errorf("%+v: counted by %s", f, s.SQL)
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

// A country to which all orders go selects nothing: the list is that of all orders.
func TestTheCountryOfAllSelectsNothing(t *testing.T) {
	store, read := dbtest.Reading(t)
	tenant := dbtest.Account(t, store)
	for i := range 3 {
		err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
			o := Order{ID: id.New[id.Order](), Number: int64(i + 1), Status: Processing, Currency: "EUR", CreatedAt: 1_700_000_000_000_000,
				ShippingAddress: `{"country":"FR"}`, History: []Entry{{Status: Processing, Source: FromAPI}}}
			Insert(tx, &o)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for country, want := range map[string]int64{"FR": 3, "DE": 0} {
		err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			read.Reset()
			_, total, err := List(tx, Filter{CountedFilter: CountedFilter{From: 1}, RowFilter: RowFilter{Country: country}, Limit: 20,
				Sort: ByCreatedAt}, nil)
			for _, s := range read.List() {
				if strings.Contains(s.SQL, "o.country =") {
					t.Errorf("selected by %s", s.SQL)
				}
			}
			if total != want {
				t.Errorf("%s has %d, not %d", country, total, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// The country of an address is the same whether its text is looked through or parsed.
func FuzzCountry(f *testing.F) {
	for _, text := range []string{`{"country":"FR"}`, `{ "city" : "Nice" , "country" : "fr" }`, `{"city":"country","country":null}`,
		`{"country":5}`,
		`{"a":{"country":"FR"}}`, `{"country":{"code":"FR"}}`, `{"country":"F\u0052"}`, `{"a\"country":"DE"}`, `["country","FR"]`, `{}`,
		`{"country":" de ","zip":"1"}`, `{"a":"b","country":"DE","country ":"FR"}`, `"country"`, `{"name":"\"country\":\"FR\""}`,
		`{"country":["FR"]}`, `{"a":"{","country":"FR"}`, `{"Country":"FR"}`, `{"zip":"country"}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := jsonvalue.Parse([]byte(text))
		if err != nil {
			return // no address that is stored
		}
		if want, _ := CountryCode(v.Member("country").Text()); Country(text) != want {
			t.Errorf("%s is in %q, not %q", text, Country(text), want)
		}
	})
}
