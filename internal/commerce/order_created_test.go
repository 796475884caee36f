package commerce_test

import (
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/orders"
)

// An order is created at a time as answers show it, so that lists order those that show one createdAt by their ids, and it has no other
// time of recording.
func TestOrdersAreCreatedAtShownTimes(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store, 1)
		for range 3 { // the clock has microseconds: that of one order may be a whole millisecond by chance
			o := s.create(t, s.draft("ada@example.com", map[int]int64{0: 1}))
			if o.CreatedAt != orders.Shown(o.CreatedAt) || o.History[0].At != o.CreatedAt || o.UpdatedAt != o.CreatedAt {
				t.Errorf("created at %d, recorded at %d, updated at %d", o.CreatedAt, o.History[0].At, o.UpdatedAt)
			}
		}
	})
}
