package commerce_test

import (
	"slices"
	"testing"
	"time"

	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// While a platform allows no pull, orders that it notifies of are read by their names: those of the pull that it refused, and those that
// are notified while that pull rests. However many these are, the pull does not fail.
func TestNotifiedOrdersWhileAPullRests(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.platform.does.Time = connector.Timing{Tail: 3 * time.Minute, Every: 5 * time.Minute}
		s.platform.does.Batch.Orders = 1
		s.work()
		*s.clock = s.clock.Add(10 * time.Minute)
		s.platform.many, s.platform.given = 1, *s.clock // it was asked a moment ago, by another node or before a crash
		for i, order := range names("A", 8) {
			s.place(order)
			s.notify(order, order)
			if s.work(); s.count(ordersHere) != int64(i+1) {
				t.Fatalf("%d orders after %d notifications", s.count(ordersHere), i+1)
			}
			*s.clock = s.clock.Add(2 * time.Second)
		}
		if n := len(s.platform.named); n != 8 {
			t.Errorf("orders were read %d times: %v", n, s.platform.named)
		}
		*s.clock = s.clock.Add(3 * time.Minute)
		if s.work(); !slices.Equal(s.platform.pages, []string{"", ""}) || s.count(jobsWait) != 0 {
			t.Errorf("pages %q, %d jobs wait", s.platform.pages, s.count(jobsWait))
		}
		if n := s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND status = 'FAILED'"); n != 0 {
			t.Errorf("%d jobs failed", n)
		}
	})
}

// More orders than one run reads are read by the next runs at once, also when the platform allows no pull.
func TestManyNotifiedOrdersComeAtOnce(t *testing.T) {
	for _, rests := range []bool{false, true} {
		syncedEngines(t, 1, func(t *testing.T, s *synced) {
			s.platform.does.Time = connector.Timing{Tail: 3 * time.Minute, Every: 5 * time.Minute}
			s.platform.does.Batch = connector.Batch{Notified: 10}
			s.work()
			*s.clock = s.clock.Add(10 * time.Minute)
			if rests {
				s.platform.many, s.platform.given = 1, *s.clock
			}
			list := names("A", 35)
			s.place(list...)
			for _, order := range list {
				s.notify(order, order)
			}
			if s.work(); s.count(ordersHere) != 35 || len(s.platform.named) != 35 {
				t.Errorf("%d orders, %d calls (the pull rests: %v)", s.count(ordersHere), len(s.platform.named), rests)
			}
		})
	}
}

// Runs of a pull that crashes ended are not failed ones: the pull goes on, with the orders that notifications named.
func TestCrashesAreNoFailures(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.work()
		*s.clock = s.clock.Add(10 * time.Minute)
		s.place("A")
		s.notify("A", "a")
		*s.clock = s.clock.Add(time.Second)
		for range 6 {
			s.must(s.store.Write(t.Context(), db.Across, func(tx *db.Tx) error {
				_, ok, err := jobs.ClaimOnChannel(tx, time.Minute)
				if !ok {
					t.Error("the pull is not taken up again")
				}
				return err
			}))
			*s.clock = s.clock.Add(2 * time.Minute)
		}
		s.platform.fails = map[string]bool{"A": true}
		s.work()
		if n := s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND status = 'FAILED'"); n != 0 {
			t.Fatalf("%d jobs failed", n)
		}
		s.platform.fails = nil
		*s.clock = s.clock.Add(10 * time.Second)
		if s.work(); s.count(ordersHere) != 1 {
			t.Errorf("%d orders", s.count(ordersHere))
		}
	})
}

// An order that the platform fails to give keeps no others out, and is not asked for without end.
func TestANotifiedOrderThatFails(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.platform.does.Batch.Orders = 1
		s.work()
		*s.clock = s.clock.Add(10 * time.Minute)
		s.place("good")
		*s.clock = s.clock.Add(2 * time.Minute)
		s.platform.fails = map[string]bool{"bad": true}
		s.notify("bad", "b")
		if s.work(); s.count(ordersHere) != 1 {
			t.Errorf("%d orders", s.count(ordersHere))
		}
		for range 10 {
			*s.clock = s.clock.Add(time.Minute)
			s.work()
		}
		if n := len(s.platform.named); n != 5 {
			t.Errorf("asked for %d times", n)
		}
		if n := s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND status = 'FAILED'"); n != 1 {
			t.Errorf("%d jobs failed", n)
		}
	})
}

// A push of more than the platform takes at a time goes on when it takes more, and is no outage, however long that lasts.
func TestAPushGoesOnWhenThePlatformTakesMore(t *testing.T) {
	syncedEngines(t, 12, func(t *testing.T, s *synced) {
		p := s.platform
		p.does.Batch = connector.Batch{Products: 1, Stock: 1, Prices: 1}
		p.slow = true
		s.publish()
		for range 14 {
			s.work()
			*s.clock = s.clock.Add(3 * time.Minute)
		}
		if len(p.stock) != 12 {
			t.Errorf("%d products are on sale", len(p.stock))
		}
		s.must(s.write(t, func(tx *db.Tx) error {
			_, err := tx.Exec("UPDATE channel_items SET stock_due = TRUE, quantity = NULL WHERE tenant_id = $1", tx.Tenant)
			return err
		}))
		p.setStock = nil
		for range 14 {
			s.work()
			*s.clock = s.clock.Add(3 * time.Minute)
		}
		if len(p.setStock) != 12 {
			t.Errorf("stock was set %d times", len(p.setStock))
		}
		if n := s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND status = 'FAILED'"); n != 0 {
			t.Errorf("%d jobs failed", n)
		}
	})
}

// Orders that are notified in an outage come in soon after it, also if the platform's lists do not have them yet and pulls are rare:
// however many pulls there are until then.
func TestOrdersOfAnOutage(t *testing.T) {
	for _, pulls := range []int{0, 2} {
		syncedEngines(t, 1, func(t *testing.T, s *synced) {
			s.platform.does.Time = connector.Timing{Tail: 3 * time.Minute, Every: 5 * time.Minute}
			s.channel.Settings = `{"pullEvery":"7200"}`
			s.must(s.write(t, func(tx *db.Tx) error { s.channel.Save(tx); return nil }))
			s.work()
			s.platform.refusals = 1 << 20
			s.platform.refusal = connector.Failf(connector.Unauthorized, "the key is wrong")
			*s.clock = s.clock.Add(3 * time.Hour)
			s.work()
			*s.clock = s.clock.Add(10 * time.Minute)
			s.place("A")
			s.notify("A", "a")
			s.work()
			s.platform.refusals, s.platform.refusal = 0, nil
			_, err := s.do.CheckChannel(t.Context(), s.store, s.channel, "")
			s.must(err)
			s.work()
			for range pulls {
				*s.clock = s.clock.Add(time.Second)
				s.must(s.write(t, func(tx *db.Tx) error {
					_, err := s.do.SyncChannel(tx, s.channel.ID, commerce.SyncDraft{Type: jobs.OrderPull})
					return err
				}))
				s.work()
			}
			*s.clock = s.clock.Add(5*time.Minute + time.Second)
			if s.work(); s.count(ordersHere) != 1 {
				t.Errorf("%d orders five minutes after the outage and %d pulls", s.count(ordersHere), pulls)
			}
		})
	}
}
