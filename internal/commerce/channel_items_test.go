package commerce_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"entrepot/internal/channels"
	"entrepot/internal/db/dbtest"
)

// fullShop is more products than a transaction of these tests changes items.
const fullShop = 40

// diesAt changes a channel, and ends what this begins for its items in steps that die before the transaction with the number n. It reports
// whether they came to their end before.
func (s *synced) diesAt(n int64, change func()) (whole bool) {
	s.t.Helper()
	change()
	if s.left() != 1 {
		s.t.Fatal("the items are changed in one transaction")
	}
	err := s.do.FinishItems(dbtest.Dying(s.t.Context(), n), s.store, s.who.Tenant, s.channel.ID)
	if err != nil && !errors.Is(err, context.Canceled) {
		s.t.Fatal(err)
	}
	if err != nil && s.left() != 1 {
		s.t.Fatal("nobody would go on")
	}
	return err == nil
}

// left is how many operations are jobs.
func (s *synced) left() int64 {
	return s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND subject IS NOT NULL")
}

// everyStep tries what may follow when the steps died before each of their transactions: a process goes on with them, or a job comes first.
func everyStep(t *testing.T, try func(t *testing.T, s *synced, n int64, job bool) (whole bool)) {
	for _, job := range []bool{false, true} {
		syncedEngines(t, fullShop, func(t *testing.T, s *synced) {
			s.do.AtOnce = 1
			s.platform.does.Batch.Products = fullShop
			s.publish()
			s.work()
			cut := 0
			for n := int64(0); !try(t, s, n, job); n++ {
				if cut++; n == 100 {
					t.Fatal("it never ended")
				}
			}
			if cut < 3 {
				t.Errorf("it died %d times", cut)
			}
		})
	}
}

// The ids of many items are forgotten in steps when their channel names another shop. When they die, no job uses an id of the old shop.
func TestItemsAreForgottenInSteps(t *testing.T) {
	everyStep(t, func(t *testing.T, s *synced, n int64, job bool) (whole bool) {
		if known := s.count("SELECT count(*) FROM channel_items WHERE tenant_id = $1 AND external_product <> ''"); known != fullShop {
			t.Fatalf("%d of %d products are on the platform", known, fullShop)
		}
		whole = s.diesAt(n, func() { s.set(fmt.Sprintf(`{"baseUrl": "https://shop-%d-%v.example"}`, n, job), channels.Active) })
		if !job {
			s.must(resume(t.Context(), s.store, s.do))
			for _, wrong := range []string{"external_product <> ''", "NOT content_due", "marks = 0"} {
				if kept := s.count("SELECT count(*) FROM channel_items WHERE tenant_id = $1 AND " + wrong); kept != 0 || s.left() != 0 {
					t.Fatalf("%d: %s of %d items, %d operations", n, wrong, kept, s.left())
				}
			}
		}
		s.platform.pushedAs = nil
		for range 2 { // the first job forgets, and what is to be pushed then is seen with the next pull
			*s.clock = s.clock.Add(10 * time.Minute)
			s.work()
		}
		if as := s.platform.pushedAs; len(as) < fullShop {
			t.Fatalf("%d: %d pushes", n, len(as))
		}
		for _, as := range s.platform.pushedAs[:fullShop] {
			if as.Product != "" {
				t.Fatalf("%d: pushed to the other shop as %s", n, as.Product)
			}
		}
		return whole
	})
}

// Other rules for the prices of a channel with many items reach all of them, whether the steps that mark them die or not.
func TestItemsAreDueInSteps(t *testing.T) {
	factor := 0
	everyStep(t, func(t *testing.T, s *synced, n int64, job bool) (whole bool) {
		factor++
		whole = s.diesAt(n, func() { s.set(fmt.Sprintf(`{"priceFactor": 1.%02d}`, factor), channels.Active) })
		if !job {
			s.must(resume(t.Context(), s.store, s.do))
			if due := s.count("SELECT count(*) FROM channel_items WHERE tenant_id = $1 AND stock_due"); due != fullShop || s.left() != 0 {
				t.Fatalf("%d: %d items are due, %d operations", n, due, s.left())
			}
		}
		s.platform.setPrices = nil
		*s.clock = s.clock.Add(10 * time.Minute)
		s.work()
		if len(s.platform.setPrices) != fullShop || s.left() != 0 {
			t.Fatalf("%d: the prices of %d products were set, %d operations", n, len(s.platform.setPrices), s.left())
		}
		return whole
	})
}

// Many items are looked at once a day: the scheduler only says so, and the job marks them before it looks. A second change while the first
// one's steps are on their way begins at the first item again.
func TestManyItemsAreLookedAtDaily(t *testing.T) {
	syncedEngines(t, fullShop, func(t *testing.T, s *synced) {
		s.do.AtOnce = 1
		s.platform.does.Watched = true
		s.publish()
		s.work()
		*s.clock = s.clock.Add(25 * time.Hour)
		for sku := range s.platform.stock {
			s.platform.stock[sku] = -7
		}
		_, err := s.do.ScheduleChannels(t.Context(), s.store)
		s.must(err)
		if begun := s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND type = 'items_looked_at'"); begun != 1 {
			t.Fatalf("%d operations", begun)
		}
		s.work()
		for sku, shown := range s.platform.stock {
			if strings.HasPrefix(sku, "SKU-") && shown == -7 {
				t.Errorf("%s was not looked at", sku)
			}
		}
		if s.left() != 0 {
			t.Errorf("%d operations", s.left())
		}
		for n := int64(1); ; n++ {
			before := s.count("SELECT sum(marks) FROM channel_items WHERE tenant_id = $1")
			if s.diesAt(n, func() { s.set(fmt.Sprintf(`{"priceFactor": 1.%02d}`, n), channels.Active) }) {
				t.Fatal("it died never in the middle")
			}
			if s.count("SELECT sum(marks) FROM channel_items WHERE tenant_id = $1") > before {
				break
			}
		}
		s.set(`{"priceFactor": 3}`, channels.Active)
		if place := s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND subject IS NOT NULL AND cursor <> ''"); place != 0 {
			t.Error("the second change goes on where the first one was")
		}
		s.platform.setPrices = nil
		s.work()
		if len(s.platform.setPrices) != fullShop {
			t.Errorf("the prices of %d products were set", len(s.platform.setPrices))
		}
	})
}
