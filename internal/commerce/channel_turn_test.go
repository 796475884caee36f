package commerce_test

import (
	"testing"
	"time"
)

// A push of many products lets the channel's other jobs have their turn: an order that was placed meanwhile is here before the push has
// ended, and the push goes on with what is left.
func TestLongPushesGiveWay(t *testing.T) {
	syncedEngines(t, 95, func(t *testing.T, s *synced) {
		p := s.platform
		s.publish()
		var hereAfter int // calls of the push until the order was here
		var slow func()
		slow = func() {
			*s.clock = s.clock.Add(20 * time.Second)
			if p.upserts == 2 {
				s.place("BOUGHT")
				s.notify("BOUGHT", "d1")
			}
			if hereAfter == 0 && s.count("SELECT count(*) FROM orders WHERE tenant_id = $1") == 1 {
				hereAfter = p.upserts
			}
			p.whilePut = slow
		}
		p.whilePut = slow
		s.work()
		if hereAfter == 0 || hereAfter > 5 {
			t.Errorf("the order was here at call %d of %d", hereAfter, p.upserts)
		}
		if len(p.stock) != 95 || p.upserts != 10 {
			t.Errorf("%d products in %d calls", len(p.stock), p.upserts)
		}
		for sku, n := range p.tried {
			if n != 1 {
				t.Errorf("%s was put on sale %d times", sku, n)
			}
		}
	})
}
