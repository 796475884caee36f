package orders

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/dbtest"
)

// A search within a country that most orders have takes away those of other countries, whose ids are fewer, unless some have no country.
func TestASearchInAUsualCountry(t *testing.T) {
	few := fewRows
	fewRows = 40
	defer func() { fewRows = few }()
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		all := sample(t, store, tenant, 700)
		for _, everyone := range []bool{false, true} {
			home := func(o *Order) bool {
				return Country(o.ShippingAddress) == "FR" || everyone && Country(o.ShippingAddress) == ""
			}
			if everyone {
				sendAll(t, store, tenant, "FR")
			}
			for _, f := range []Filter{{Sort: ByCreatedAt}, {Sort: ByTotal, Ascending: true}, {Sort: ByNumber, Offset: 100}} {
				f.Search, f.Country, f.Limit = "a", "FR", 20 // which all have
				var want []Order
				for i := range all {
					if home(&all[i]) {
						want = append(want, all[i])
					}
				}
				slices.SortFunc(want, func(a, b Order) int {
					by := cmp.Or(cmp.Compare(f.value(&a), f.value(&b)), cmp.Compare(a.ID, b.ID))
					if !f.Ascending {
						by = -by
					}
					return by
				})
				err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
					list, total, err := List(tx, f, nil)
					same(t, string(f.Sort), list, want[f.Offset:f.Offset+f.Limit])
					if total != int64(len(want)) {
						t.Errorf("%d orders, not %d", total, len(want))
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// sendAll gives a country to all orders of sample that have none.
func sendAll(t *testing.T, store *db.DB, tenant id.Tenant, country string) {
	t.Helper()
	err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
		for sql, arg := range map[string]string{
			"UPDATE orders SET country = $2 WHERE tenant_id = $1 AND country IS NULL": country,
			`INSERT INTO tallies SELECT tenant_id, $2, '` + country + ` ' || status || coalesce(' ' || channel_id::TEXT, ''), count(*) FROM orders
				WHERE tenant_id = $1 AND (shipping_address IS NULL OR shipping_address = '{"country":"Germany"}')
				GROUP BY tenant_id, status, channel_id
				ON CONFLICT (tenant_id, name, key) DO UPDATE SET n = tallies.n + excluded.n`: ToCountry} {
			if _, err := tx.Exec(sql, tx.Tenant, arg); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The ids of the others are read from entries of the index of countries alone.
func TestOtherCountriesAreReadInAnIndex(t *testing.T) {
	store, read := dbtest.Reading(t)
	tenant := dbtest.Account(t, store)
	sample(t, store, tenant, 300)
	sendAll(t, store, tenant, "FR")
	few := fewRows
	fewRows = 40
	defer func() { fewRows = few }()
	err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
		read.Reset()
		f := Filter{Sort: ByCreatedAt, Limit: 20, RowFilter: RowFilter{Search: "lovelace", Country: "FR"}}
		_, _, err := List(tx, f, nil)
		others := 0
		for _, s := range read.List() {
			if !strings.Contains(s.SQL, "SELECT o.id") || !strings.Contains(s.SQL, "o.country") || strings.Contains(s.SQL, "AS k") {
				continue
			}
			for line := range strings.Lines(s.Plan(t, tx)) {
				if strings.HasPrefix(line, "SEARCH o USING COVERING INDEX orders_tenant_id_country (tenant_id=? AND country") {
					others++
					if !strings.Contains(line, "country<?") && !strings.Contains(line, "country>?") {
						t.Errorf("those of the country are read: %s", line)
					}
				}
			}
		}
		if others != 2 {
			t.Errorf("%d parts of the index are read", others)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
