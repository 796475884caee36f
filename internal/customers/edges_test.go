package customers

import (
	"slices"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// What was merged into a record that is merged itself belongs to the last one, and a list shows secondaries on request only, but the
// erased.
func TestMergesOfMerged(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		a, b, c, gone := newCustomer("a@x.y"), newCustomer("b@x.y"), newCustomer("c@x.y"), newCustomer("d@x.y")
		commit(t, store, tenant, func(tx *db.Tx) {
			for _, one := range []Customer{a, b, c, gone} {
				InsertUnreported(tx, one)
			}
			gone.Erase(tx, 1)
		})
		merge := func(into, from id.Customer) {
			commit(t, store, tenant, func(tx *db.Tx) {
				list, err := LockAll(tx, []id.Customer{into, from})
				if err != nil || len(list) != 2 {
					t.Fatalf("%d records, %v", len(list), err)
				}
				if list[0].ID != into {
					slices.Reverse(list)
				}
				before := list[0].Copy()
				list[0].Absorb(tx.Micros(), list[1:])
				SaveMerge(tx, before, &list[0], list[1:])
			})
		}
		merge(b.ID, a.ID)
		merge(c.ID, b.ID)
		if got := readCustomer(t, store, tenant, a.ID); got.MergedInto != c.ID {
			t.Errorf("the first was merged into %s, not %s", got.MergedInto, c.ID)
		}
		commit(t, store, tenant, func(tx *db.Tx) {
			tx.Queue("UPDATE customers SET merged_into = $3 WHERE tenant_id = $1 AND id = $2", tx.Tenant, a.ID, b.ID) // as older versions left it
		})
		commit(t, store, tenant, func(tx *db.Tx) {
			all, err := MergedInto(tx, c.ID)
			if slices.Sort(all); err != nil || !slices.Equal(all, slices.Sorted(slices.Values([]id.Customer{a.ID, b.ID}))) {
				t.Errorf("merged into it: %v, %v", all, err)
			}
			for inactive, want := range map[bool]int64{false: 2, true: 4} {
				if list, total, err := List(tx, Filter{IncludeInactive: inactive, Limit: 9}); err != nil || total != want || int64(len(list)) != want {
					t.Errorf("with secondaries %v: %d of %d, %v", inactive, len(list), total, err)
				}
			}
		})
	})
}

// An erased customer has neither tags nor addresses, and an order's country is not stored again for it; the default of
// one type leaves that of another unchanged.
func TestWhatStaysAsItIs(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		c := newCustomer("a@x.y")
		commit(t, store, tenant, func(tx *db.Tx) { Insert(tx, c); c.Erase(tx, 1) })
		commit(t, store, tenant, func(tx *db.Tx) {
			if err := MoveOrder(tx, c.ID, 5, `{"country":"FR"}`, `{"country":"DE"}`, nil); err != nil {
				t.Error(err)
			}
		})
		got := readCustomer(t, store, tenant, c.ID)
		if got.OrderCountry != (OrderCountry{}) || len(got.Tags)+len(got.Addresses) > 0 {
			t.Errorf("an erased customer has the country %+v, tags %v and addresses %+v", got.OrderCountry, got.Tags, got.Addresses)
		}
	})
	var c Customer
	first := *c.AddAddress(AddressChange{Type: patch.To(Shipping), IsDefault: patch.To(true)})
	c.AddAddress(AddressChange{Type: patch.To(Billing), IsDefault: patch.To(true)})
	if kept, err := c.Address(first.ID); err != nil || !kept.IsDefault {
		t.Errorf("the shipping address is no default any more: %+v, %v", kept, err)
	}
}
