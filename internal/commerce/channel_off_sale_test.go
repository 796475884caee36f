package commerce_test

import (
	"slices"
	"testing"
	"time"

	"entrepot/internal/channelsync"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// A product that its platform takes off sale has a failed publication with the reason, and is published again when it is back. A
// publication that failed for another reason stays so.
func TestWhatPlatformsTakeOffSale(t *testing.T) {
	syncedEngines(t, 2, func(t *testing.T, s *synced) {
		s.publish()
		s.work()
		states := func() (all string) {
			s.must(s.store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
				all = ""
				return tx.Each(func(r db.Rows) error {
					var sku, status, reason string
					err := r.Scan(&sku, &status, &reason)
					all += sku + " " + status + " " + reason + "; "
					return err
				}, `SELECT p.sku, u.status, coalesce(u.error, '') FROM publications u
					JOIN products p ON p.tenant_id = u.tenant_id AND p.id = u.product_id WHERE u.tenant_id = $1 ORDER BY p.sku`, tx.Tenant)
			}))
			return all
		}
		look := func(want string) {
			t.Helper()
			s.must(s.write(t, func(tx *db.Tx) error {
				channelsync.MarkCheck(tx, s.channel.ID, []string{"SKU-0", "SKU-1"})
				jobs.Insert(tx, jobs.Job{Type: jobs.StockPush, Channel: s.channel.ID})
				return nil
			}))
			s.work()
			if got := states(); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		const off = "SKU-0 failed SKU-0: the platform took it off sale: forbidden; SKU-1 published ; "
		look("SKU-0 published ; SKU-1 published ; ")
		s.platform.off = map[string]string{"SKU-0": "forbidden"}
		look(off)
		s.platform.off["SKU-0"] = "forbidden still"
		look(off)
		s.must(s.write(t, func(tx *db.Tx) error { // another write of stock between
			_, err := tx.Exec("UPDATE channel_items SET stock_due = TRUE, quantity = NULL WHERE tenant_id = $1", tx.Tenant)
			return err
		}))
		s.compare()
		s.work()
		s.platform.off = nil
		look("SKU-0 published ; SKU-1 published ; ")
		if n := s.count("SELECT coalesce(sum(failed), 0)::BIGINT FROM jobs WHERE tenant_id = $1"); n != 1 {
			t.Errorf("%d errors", n)
		}
		s.must(s.write(t, func(tx *db.Tx) error {
			_, err := tx.Exec("UPDATE publications SET status = 'failed', error = 'no picture' WHERE tenant_id = $1", tx.Tenant)
			return err
		}))
		s.platform.off = map[string]string{"SKU-0": "forbidden"}
		look("SKU-0 failed no picture; SKU-1 failed no picture; ")
		s.platform.off = nil
		look("SKU-0 failed no picture; SKU-1 failed no picture; ")
	})
}

// Products of a platform that takes some off sale are looked at once a day, though it notifies of nothing.
func TestProductsAreLookedAtDaily(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.platform.does.Watched = true
		s.publish()
		s.work()
		s.platform.off = map[string]string{"SKU-0": "forbidden"}
		failed := func(hours time.Duration) int64 {
			for end := s.clock.Add(hours * time.Hour); s.clock.Before(end); {
				*s.clock = s.clock.Add(30 * time.Minute)
				s.work()
			}
			return s.count("SELECT count(*) FROM publications WHERE tenant_id = $1 AND status = 'failed'")
		}
		if n := failed(20); n != 0 {
			t.Errorf("%d failed before the day was over", n)
		}
		if n := failed(6); n != 1 {
			t.Errorf("%d failed after it", n)
		}
	})
}

// Where each product takes a request to look at, a look at all of them is divided among runs, so that changes of stock do not wait for it.
func TestALongLookIsDivided(t *testing.T) {
	syncedEngines(t, 230, func(t *testing.T, s *synced) {
		p := s.platform
		p.looks, p.does.Watched = true, true
		s.publish()
		for range 3 {
			s.work()
		}
		s.compare() // each is set, and known from then on
		s.work()
		p.lookedAt, p.off = nil, map[string]string{"SKU-7": "ended", "SKU-229": "ended"}
		*s.clock = s.clock.Add(25 * time.Hour)
		for range 5 {
			s.work()
			*s.clock = s.clock.Add(time.Second)
		}
		var looks []int
		for _, n := range p.lookedAt {
			if n > 0 {
				looks = append(looks, n)
			}
		}
		if !slices.Equal(looks, []int{100, 100, 30}) {
			t.Errorf("looked at %v", looks)
		}
		if n := s.count("SELECT count(*) FROM publications WHERE tenant_id = $1 AND status = 'failed'"); n != 2 {
			t.Errorf("%d are off sale", n)
		}
	})
}

// Stock and prices do not wait for a look that fails at one of them; what it has not reached is looked at as soon as it can be.
func TestStockDoesNotWaitForALook(t *testing.T) {
	syncedEngines(t, 5, func(t *testing.T, s *synced) {
		p := s.platform
		p.looks, p.does.Watched = true, true
		s.publish()
		s.work()
		s.compare()
		s.work()
		p.off, p.unseen = map[string]string{"SKU-1": "ended", "SKU-4": "ended"}, "SKU-2"
		s.compare()
		s.work()
		for sku, n := range p.stock {
			if n == -7 {
				t.Errorf("the platform shows %d of %s", n, sku)
			}
		}
		failed := func() int64 {
			return s.count("SELECT count(*) FROM publications WHERE tenant_id = $1 AND status = 'failed'")
		}
		if n := failed(); n != 1 {
			t.Errorf("%d were seen off sale before the look failed", n)
		}
		p.unseen = ""
		*s.clock = s.clock.Add(time.Hour)
		s.work()
		if n := failed(); n != 2 {
			t.Errorf("%d are off sale", n)
		}
	})
}
