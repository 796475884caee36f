package commerce_test

import (
	"fmt"
	"slices"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/customers"
	"entrepot/internal/db"
)

// A merge locks the records that were merged into its secondaries with the others, in the order of their ids: a step that moves orders of
// an earlier merge locks one of these, and then what it was merged into.
func TestMergesLockWhatWasMergedBefore(t *testing.T) {
	onPostgres(t, func(s *synced) {
		var made []id.Customer
		for _, name := range []string{"ada", "bea", "cy"} {
			made = append(made, s.create(t, s.draft(name+"@post.example", map[int]int64{0: 1})).Customer)
		}
		merge := func(into id.Customer, from ...id.Customer) error {
			return s.write(t, func(tx *db.Tx) error {
				_, err := s.do.MergeCustomers(tx, s.who, into, from)
				return err
			})
		}
		s.must(merge(made[1], made[0]))
		lock := func(which id.Customer) func(*synced, *db.Tx) error {
			return func(_ *synced, tx *db.Tx) error { return customers.LockRows(tx, []id.Customer{which}) }
		}
		s.beside(lock(made[0]), lock(made[1]), func() error { return merge(made[2], made[1]) })
	})
}

// A merge of several records, each with what was merged into it before, locks all of them in the order of their ids, whichever they are
// merged into: while it waits for one it holds none with a later id, however many orders move with it.
func TestMergesOfSeveralLockByID(t *testing.T) {
	for name, atOnce := range map[string]int{"in one transaction": 0, "in steps": 1} {
		t.Run(name, func(t *testing.T) {
			onPostgres(t, func(s *synced) {
				s.do.AtOnce = atOnce
				for held := range 4 {
					made := map[string]id.Customer{}
					var byID []id.Customer
					for _, name := range []string{"second", "into first", "primary", "into second", "first"} { // ids grow
						email := fmt.Sprintf("%d-%d@post.example", held, len(byID))
						made[name] = s.create(t, s.draft(email, map[int]int64{0: 1})).Customer
						byID = append(byID, made[name])
					}
					if !slices.IsSorted(byID) {
						t.Fatalf("made out of order: %v", byID)
					}
					merge := func(into string, from ...string) error {
						ids := make([]id.Customer, len(from))
						for i, name := range from {
							ids[i] = made[name]
						}
						return s.write(t, func(tx *db.Tx) error {
							_, err := s.do.MergeCustomers(tx, s.who, made[into], ids)
							return err
						})
					}
					s.must(merge("first", "into first"))
					s.must(merge("second", "into second"))
					lock := func(which ...id.Customer) func(*synced, *db.Tx) error {
						return func(_ *synced, tx *db.Tx) error { return customers.LockRows(tx, which) }
					}
					s.beside(lock(byID[held]), lock(byID[held+1:]...), func() error { return merge("primary", "first", "second") })
				}
			})
		})
	}
}
