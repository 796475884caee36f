package commerce_test

import (
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// An operation on several orders locks all of them before it writes the first: somebody who holds one of the others may wait for the
// account's clock, which a write takes.
func TestSeveralOrdersAreLockedBeforeTheFirstIsWritten(t *testing.T) {
	for name, change := range map[string]func(s *synced, tx *db.Tx, list []id.Order) (int, error){
		"tagged": func(s *synced, tx *db.Tx, list []id.Order) (int, error) {
			n, _, err := s.do.TagOrders(tx, s.who, list, commerce.OrderTagging{Add: []string{"gift"}})
			return n, err
		},
		"shipped": func(s *synced, tx *db.Tx, list []id.Order) (int, error) {
			var ship []commerce.OrderToShip
			for i, order := range list {
				ship = append(ship, commerce.OrderToShip{Index: i, ID: order})
			}
			done, failed, err := s.do.ShipOrders(tx, s.who, ship, nil)
			if len(failed) > 0 {
				s.t.Error(failed)
			}
			return len(done), err
		},
	} {
		t.Run(name, func(t *testing.T) {
			onPostgres(t, func(s *synced) {
				var list []id.Order
				for range 2 { // ids grow
					draft := s.draft("ada@post.example", map[int]int64{0: 1})
					draft.Status = orders.Processing
					list = append(list, s.create(t, draft).ID)
				}
				s.beside(
					func(_ *synced, tx *db.Tx) error { _, err := orders.Lock(tx, list[1]); return err },
					func(_ *synced, tx *db.Tx) error { return tx.LockClock() },
					func() error {
						return s.write(t, func(tx *db.Tx) error {
							n, err := change(s, tx, list)
							if err == nil && n != len(list) {
								t.Errorf("%d of %d", n, len(list))
							}
							return err
						})
					})
			})
		})
	}
}
