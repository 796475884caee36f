package customers

import (
	"fmt"
	"slices"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/dbtest"
)

// Deep pages have the customers that pages from the beginning have, wherever merged records are; too many of those are passed by their
// rows.
func TestDeepPages(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant := dbtest.Account(t, store)
		const all = 60
		var ids []id.Customer
		commit(t, store, tenant, func(tx *db.Tx) {
			for i := range all {
				c := newCustomer(fmt.Sprint(i, "@x.y"))
				ids = append(ids, c.ID)
				InsertUnreported(tx, c)
			}
		})
		slices.Sort(ids)
		slices.Reverse(ids)
		merged := map[id.Customer]bool{}
		commit(t, store, tenant, func(tx *db.Tx) {
			for _, i := range []int{0, 1, 7, 20, 21, 22, 23, 41, 58} {
				merged[ids[i]] = true
				tx.Queue("UPDATE customers SET merged_into = $3::UUID, status = 'secondary' WHERE tenant_id = $1 AND id = $2::UUID",
					tx.Tenant, ids[i], ids[30])
				tx.Tally(counted, "active", -1)
				tx.Tally(counted, string(Secondary), 1)
			}
		})
		listed := slices.DeleteFunc(slices.Clone(ids), func(c id.Customer) bool { return merged[c] })
		defer func(from, most int) { deepFrom, mostMerged = from, most }(deepFrom, mostMerged)
		deepFrom = 1
		commit(t, store, tenant, func(tx *db.Tx) {
			for _, mostMerged = range []int{len(merged), len(merged) - 1, len(merged) - 2} {
				for inactive, want := range map[bool][]id.Customer{true: ids, false: listed} {
					for offset := range all {
						pageIs(t, tx, Filter{IncludeInactive: inactive, Limit: 4, Offset: offset}, want)
					}
				}
			}
		})
	})
}

// pageIs compares a page with the same one of a whole list.
func pageIs(t *testing.T, tx *db.Tx, f Filter, all []id.Customer) {
	t.Helper()
	want := all[min(f.Offset, len(all)):min(f.Offset+f.Limit, len(all))]
	list, total, err := List(tx, f)
	var got []id.Customer
	for _, c := range list {
		got = append(got, c.ID)
	}
	if err != nil || total != int64(len(all)) || !slices.Equal(got, want) {
		t.Errorf("%+v, merged ones up to %d: %d of %d, %v, want %v; %v", f, mostMerged, len(got), total, got, want, err)
	}
}
