package commerce_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
)

// What a publication has brought to the platform is not pushed again: neither stock nor price is set apart after it. A change is, and
// nothing else with it.
func TestWhatWasPublishedIsNotPushedAgain(t *testing.T) {
	syncedEngines(t, 3, func(t *testing.T, s *synced) {
		s.publish()
		s.work()
		p := s.platform
		if p.upserts != 1 || len(p.setStock)+len(p.setPrices) != 0 || len(p.prices) != 3 {
			t.Errorf("%d publications, then stock of %v and prices of %v", p.upserts, p.setStock, p.setPrices)
		}
		s.rename("SKU-1", 120000)
		s.work()
		if !slices.Equal(p.setPrices, []string(nil)) || p.upserts != 2 || p.prices["SKU-1"] != "12" {
			t.Errorf("content and price at once: %d publications, then prices of %v: %v", p.upserts, p.setPrices, p.prices)
		}
		s.must(s.write(t, func(tx *db.Tx) error {
			tx.Change("UPDATE products SET price = 130000, changed_at = "+db.Clock+" + $2::BIGINT WHERE tenant_id = $1 AND sku = 'SKU-1'",
				tx.Tenant, tx.Stamps(1))
			return nil
		}))
		s.work()
		if !slices.Equal(p.setPrices, []string{"SKU-1"}) || p.prices["SKU-1"] != "13" || len(p.setStock) != 0 {
			t.Errorf("a price: prices of %v, stock of %v: %v", p.setPrices, p.setStock, p.prices)
		}
	})
}

// rename gives a product a name that it never had, and a price.
func (s *synced) rename(sku string, price int64) {
	s.t.Helper()
	*s.clock = s.clock.Add(time.Second)
	s.must(s.write(s.t, func(tx *db.Tx) error {
		tx.Change("UPDATE products SET name = name || '!', price = $4, changed_at = "+db.Clock+" + $3::BIGINT WHERE tenant_id = $1 AND sku = $2",
			tx.Tenant, sku, tx.Stamps(1), price)
		_, err := s.do.SyncChannel(tx, s.channel.ID, commerce.SyncDraft{Type: jobs.ProductPush})
		return err
	}))
}

// Two products whose SKUs are the same to the platform do not take turns there: the one that came later is refused with the reason, however
// often it is published, and the first one is pushed again.
func TestSKUsThatAreTheSameToThePlatform(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		p := s.platform
		p.folds = true
		s.publish()
		s.work()
		s.must(s.write(t, func(tx *db.Tx) error {
			_, err := s.do.CreateProduct(tx, s.who, catalog.Draft{SKU: "sku-0", Name: patch.To("Another"), Price: patch.To(money.Amount(150000))})
			return err
		}))
		for range 2 {
			s.publish()
			s.work()
			if s.count("SELECT count(*) FROM publications WHERE tenant_id = $1 AND status = 'published'") != 1 || p.last != "SKU-0" {
				t.Errorf("%s was pushed last; %d are published, %d failed", p.last,
					s.count("SELECT count(*) FROM publications WHERE tenant_id = $1 AND status = 'published'"),
					s.count("SELECT count(*) FROM publications WHERE tenant_id = $1 AND status = 'failed'"))
			}
		}
	})
}

// A push knows whether the one before wrote a description, so that one which is gone here goes from the platform, and no other.
func TestDescriptionsThatWerePushed(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.publish()
		for _, text := range []string{"", "a mug", "another mug", "", "a third mug"} {
			s.must(s.write(t, func(tx *db.Tx) error {
				tx.Change("UPDATE products SET description = $2 WHERE tenant_id = $1", tx.Tenant, text)
				_, err := s.do.SyncChannel(tx, s.channel.ID, commerce.SyncDraft{Type: jobs.ProductPush})
				return err
			}))
			s.work()
		}
		var described []bool
		for _, known := range s.platform.pushedAs {
			described = append(described, known.Other[connector.DescribedID] != "")
		}
		if want := []bool{false, false, true, true, false}; !slices.Equal(described, want) {
			t.Errorf("described before: %v, want %v", described, want)
		}
	})
}

// Products that fail for now, however many of them are first, are tried once in a run and keep none of the others off sale; the next run
// tries them again, and nothing else.
func TestProductsThatFailKeepNoneBehindThem(t *testing.T) {
	syncedEngines(t, 45, func(t *testing.T, s *synced) {
		p := s.platform
		p.broken = map[string]bool{}
		for i := range 23 {
			p.broken[fmt.Sprint("SKU-", i)] = true
		}
		s.publish()
		if s.work(); len(p.stock) != 22 || p.upserts != 5 { // 45 products by tens
			t.Errorf("%d products on sale, %d calls", len(p.stock), p.upserts)
		}
		for sku, n := range p.tried {
			if n != 1 {
				t.Errorf("%s was tried %d times", sku, n)
			}
		}
		p.broken = nil
		*s.clock = s.clock.Add(time.Minute)
		if s.work(); len(p.stock) != 45 || p.upserts != 5+3 {
			t.Errorf("%d products on sale in the end, %d calls", len(p.stock), p.upserts)
		}
	})
}

// A quantity that the platform refuses for now keeps none of the others back.
func TestQuantitiesThatFailKeepNoneBehindThem(t *testing.T) {
	syncedEngines(t, 30, func(t *testing.T, s *synced) {
		p := s.platform
		s.publish()
		s.work()
		p.does.Batch.Stock, p.does.Batch.Prices = 10, 10
		p.broken = map[string]bool{"SKU-0": true}
		for sku := range p.stock {
			p.stock[sku] = -7 // as a person on the platform may set it
		}
		s.must(s.write(t, func(tx *db.Tx) error {
			channelsync.Looked.All(tx, s.channel.ID)
			_, err := s.do.SyncChannel(tx, s.channel.ID, commerce.SyncDraft{Type: jobs.StockPush})
			return err
		}))
		s.work()
		left := 0
		for _, n := range p.stock {
			if n == -7 {
				left++
			}
		}
		if left != 1 || len(p.setStock) != 30 {
			t.Errorf("%d quantities are not set, after %d tries", left, len(p.setStock))
		}
		p.broken = nil
		*s.clock = s.clock.Add(time.Minute)
		if s.work(); p.stock["SKU-0"] == -7 {
			t.Error("it is never set")
		}
	})
}

// set changes a channel's settings and status as its user does.
func (s *synced) set(settings string, status channels.Status) {
	s.t.Helper()
	s.must(s.write(s.t, func(tx *db.Tx) error {
		c, err := channels.ByID(tx, s.channel.ID)
		if err != nil {
			return err
		}
		var before, all map[string]any
		if err := errors.Join(json.Unmarshal([]byte(c.Settings), &before), json.Unmarshal([]byte(settings), &all)); err != nil {
			return err
		}
		for name := range before {
			if _, stays := all[name]; !stays {
				all[name] = nil
			}
		}
		text, err := json.Marshal(all)
		if err != nil {
			return err
		}
		change := string(text)
		_, err = s.do.UpdateChannel(tx, s.who, s.channel.ID, commerce.Expected{}, commerce.ChannelDraft{Settings: &change, Status: &status})
		return err
	}))
}

// shown are the prices and the stock that the platform shows of a product.
func (s *synced) shownOf(sku string) string {
	return fmt.Sprint(s.platform.stock[sku], " at ", s.platform.prices[sku])
}

// compare queues that stock and prices are compared with the platform's, where a person has set each stock to -7.
func (s *synced) compare() {
	s.t.Helper()
	for sku := range s.platform.stock {
		s.platform.stock[sku] = -7
	}
	s.must(s.write(s.t, func(tx *db.Tx) error {
		_, err := s.do.SyncChannel(tx, s.channel.ID, commerce.SyncDraft{Type: jobs.StockPush})
		return err
	}))
}

// Rules of stock and prices that change while a job runs are those by which it pushes from then on.
func TestRulesThatChangeWhileAJobRuns(t *testing.T) {
	syncedEngines(t, 30, func(t *testing.T, s *synced) {
		p := s.platform
		s.publish()
		s.work()
		was := p.prices["SKU-1"]
		s.compare()
		p.whilePull = func() { s.set(`{"stock": "off", "priceFactor": "2"}`, channels.Active) }
		s.work()
		if shown := s.shownOf("SKU-1"); len(p.setStock) != 0 || was != "10" || shown != "-7 at 20" {
			t.Errorf("stock of %v was pushed, %s is shown; the price was %s", p.setStock, shown, was)
		}
		p.setPrices = nil
		s.rename("SKU-1", 110000)
		s.compare()
		p.whilePull = func() { s.set(`{}`, channels.Inactive) }
		if s.work(); len(p.setStock)+len(p.setPrices) != 0 {
			t.Errorf("the channel is inactive, and stock of %v and prices of %v were pushed", p.setStock, p.setPrices)
		}
		if n := s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND status IN ('PENDING', 'PROCESSING')"); n != 0 {
			t.Errorf("%d jobs of the inactive channel are not ended", n)
		}
	})
}

// A channel that is deactivated while its orders are pulled or their statuses pushed is left alone from then on.
func TestAChannelIsDeactivatedWhileAJobRuns(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		p := s.platform
		p.does.Statuses = []orders.Status{orders.Shipped}
		s.place("a", "b")
		*s.clock = s.clock.Add(time.Hour)
		s.work()
		s.shipAll()
		p.whilePut = func() { s.set(`{}`, channels.Inactive) }
		s.work()
		if len(p.shown) != 1 {
			t.Errorf("pushed to the inactive channel: %v", p.shown)
		}
		s.set(`{}`, channels.Active)
		s.work()
		if len(p.shown) != 2 {
			t.Errorf("pushed in the end: %v", p.shown)
		}
		p.many, p.pages = 3, nil
		p.whilePull = func() { s.set(`{}`, channels.Inactive) }
		*s.clock = s.clock.Add(time.Hour)
		for range 5 {
			s.work()
			*s.clock = s.clock.Add(4 * time.Minute)
		}
		if len(p.pages) != 1 {
			t.Errorf("pages of the inactive channel: %q", p.pages)
		}
		if n := s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND status IN ('PENDING', 'PROCESSING')"); n != 0 {
			t.Errorf("%d jobs of the inactive channel are not ended", n)
		}
	})
}

// Rules of stock and prices that change are pushed: what they change, and nothing else.
func TestChangedRulesArePushed(t *testing.T) {
	syncedEngines(t, 3, func(t *testing.T, s *synced) {
		p := s.platform
		s.must(s.write(t, func(tx *db.Tx) error {
			levels := commerce.StockUpdate{}
			for i := range 3 {
				levels.Drafts = append(levels.Drafts, commerce.StockDraft{Index: i, SKU: fmt.Sprint("SKU-", i), Quantity: 5})
			}
			plan, err := s.do.PlanInventory(tx, s.who, levels)
			if err == nil {
				_, err = plan.Apply(tx, s.who)
			}
			return err
		}))
		s.publish()
		s.work()
		const units = 5
		for _, step := range []struct {
			settings       string
			stock, prices  int
			units          int64
			price          string
			changedOnShelf bool // the platform's stock was changed there
		}{
			{`{"priceFactor": "1.5"}`, 0, 3, units, "15", false},
			{`{"priceFactor": "1.5", "stockBuffer": 1}`, 3, 0, units - 1, "15", false},
			{`{"priceFactor": "1.5", "stockBuffer": 1, "pullEvery": 60}`, 0, 0, -7, "15", true},
			{`{"stock": "off", "stockBuffer": 1}`, 0, 3, -7, "10", true},
			{`{"stockBuffer": 1}`, 3, 0, units - 1, "10", true},
			{`{"warehouses": ["none"], "stockBuffer": 1}`, 3, 0, 0, "10", false},
		} {
			p.setStock, p.setPrices = nil, nil
			for sku := range p.stock {
				if step.changedOnShelf {
					p.stock[sku] = -7
				}
			}
			*s.clock = s.clock.Add(time.Second)
			s.set(step.settings, channels.Active)
			s.work()
			if len(p.setStock) != step.stock || len(p.setPrices) != step.prices || s.shownOf("SKU-1") != fmt.Sprint(step.units, " at ", step.price) {
				t.Errorf("%s: stock of %v, prices of %v, %s is shown", step.settings, p.setStock, p.setPrices, s.shownOf("SKU-1"))
			}
		}
	})
}

// shipAll ships all orders.
func (s *synced) shipAll() {
	s.t.Helper()
	s.must(s.write(s.t, func(tx *db.Tx) error {
		list, err := db.List(tx, func(r db.Rows) (o id.Order, err error) { return o, r.Scan(&o) },
			"SELECT id FROM orders WHERE tenant_id = $1", tx.Tenant)
		for _, o := range list {
			if err == nil {
				_, err = s.do.MoveOrder(tx, s.who, o, commerce.Expected{}, commerce.Move{To: orders.Shipped, Source: orders.FromAPI})
			}
		}
		return err
	}))
}

// Orders that are about to be pushed are read together. One that has changed since is refused, read again and pushed.
func TestAnOrderThatChangedAfterItWasReadAhead(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		p := s.platform
		p.does.Statuses, p.stale = []orders.Status{orders.Shipped}, map[string]bool{"b": true}
		s.place("a", "b")
		*s.clock = s.clock.Add(2 * time.Minute)
		s.work()
		s.shipAll()
		s.work()
		if len(p.ahead) != 2 || len(p.ahead[0]) != 2 || !slices.Equal(p.ahead[1], []string{"b"}) {
			t.Errorf("read ahead: %v", p.ahead)
		}
		if p.shown["a"] != orders.Shipped || p.shown["b"] != orders.Shipped {
			t.Errorf("shown: %v", p.shown)
		}
	})
}

// A platform without a status for parts of an order hears that the order is in work, if that was decided here and a part was shipped
// before it heard of it.
func TestAPartIsShippedBeforeThePlatformKnowsOfIt(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.platform.does.Statuses = []orders.Status{orders.Processing, orders.Shipped}
		s.place("waited", "paid")
		s.platform.orders[0].Theirs, s.platform.orders[0].Status = "on-hold", orders.Pending
		for i := range s.platform.orders {
			s.platform.orders[i].Lines[0].Quantity = 2
		}
		*s.clock = s.clock.Add(2 * time.Minute)
		s.work()
		s.must(s.write(t, func(tx *db.Tx) error {
			list, err := db.List(tx, func(r db.Rows) (o id.Order, err error) { return o, r.Scan(&o) },
				"SELECT id FROM orders WHERE tenant_id = $1", tx.Tenant)
			for _, o := range list {
				if err != nil {
					break
				}
				now, err := orders.Lock(tx, o)
				if err == nil && now.Status == orders.Pending {
					now, err = s.do.MoveOrder(tx, s.who, o, commerce.Expected{}, commerce.Move{To: orders.Processing, Source: orders.FromAPI})
				}
				if err == nil {
					_, _, err = s.do.ShipOrder(tx, s.who, o, commerce.Expected{},
						orders.ShipmentDraft{Lines: []orders.DraftLine{{Line: now.Lines[0].ID, Quantity: 1}}})
				}
				if err != nil {
					return err
				}
			}
			return err
		}))
		s.work()
		if got := s.platform.shown; len(got) != 1 || got["waited"] != orders.Processing {
			t.Errorf("%v", got)
		}
	})
}

// A platform that fails now and then, and takes orders in between, is not left alone for longer each time.
func TestAPlatformThatFailsNowAndThen(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		p := s.platform
		p.does.Statuses, p.flaky = []orders.Status{orders.Shipped}, 3
		s.place(names("o", 30)...)
		*s.clock = s.clock.Add(2 * time.Minute)
		s.work()
		s.must(s.write(t, func(tx *db.Tx) error {
			list, err := db.List(tx, func(r db.Rows) (o id.Order, err error) { return o, r.Scan(&o) },
				"SELECT id FROM orders WHERE tenant_id = $1", tx.Tenant)
			for _, o := range list {
				if err == nil {
					_, err = s.do.MoveOrder(tx, s.who, o, commerce.Expected{}, commerce.Move{To: orders.Shipped, Source: orders.FromAPI})
				}
			}
			return err
		}))
		begun := *s.clock
		for s.work(); len(p.shown) < 30 && s.clock.Sub(begun) < time.Hour; s.work() {
			*s.clock = s.clock.Add(time.Second)
		}
		if took := s.clock.Sub(begun); len(p.shown) < 30 || took > time.Minute {
			t.Errorf("%d orders were pushed in %v, with %d tries", len(p.shown), took, p.pushes)
		}
	})
}
