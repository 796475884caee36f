package commerce_test

import (
	"errors"
	"fmt"
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

// A push that is reading stock, or taking a product off sale, while its channel is pointed at another shop stores no ids of the first one
// after these were forgotten: what the next runs set is found there by its SKU.
func TestAnotherShopBeforeAWrite(t *testing.T) {
	for _, during := range []string{"stock is read", "a product is taken off"} {
		t.Run(during, func(t *testing.T) {
			syncedEngines(t, 2, func(t *testing.T, s *synced) {
				p := s.platform
				point := func() { s.set(`{"baseUrl": "https://other.example"}`, channels.Active) }
				s.publish()
				s.work()
				known := len(p.pushedAs)
				if during == "stock is read" {
					p.whileRead = point
					s.compare()
				} else {
					p.whileOff = point
					s.rename("SKU-1", 110000)
					s.publish()
					s.unpublish("SKU-0")
				}
				s.work()
				*s.clock = s.clock.Add(10 * time.Second)
				s.work()
				there := 0
				for _, ids := range p.pushedAs[known:] {
					if ids.Product == "" {
						there++
					} else if there > 0 {
						t.Errorf("the other shop is written to by the ids of the first: %v", p.pushedAs[known:])
					}
				}
				if there == 0 || p.pushedAs[len(p.pushedAs)-1].Product != "" {
					t.Errorf("pushed by %v", p.pushedAs[known:])
				}
			})
		})
	}
}

// unpublish has a product taken off the channel.
func (s *synced) unpublish(sku string) {
	s.t.Helper()
	s.must(s.write(s.t, func(tx *db.Tx) error {
		c, err := channels.ByID(tx, s.channel.ID)
		if err != nil {
			return err
		}
		return s.do.UnpublishProduct(tx, c, s.product(tx, sku))
	}))
}

// product is the id of the product with a SKU.
func (s *synced) product(tx *db.Tx, sku string) (found id.Product) {
	s.t.Helper()
	s.must(tx.Row("SELECT id FROM products WHERE tenant_id = $1 AND sku = $2 AND deleted_at IS NULL", []any{tx.Tenant, sku}, &found))
	return found
}

// A product that is changed or deleted while it is put on sale for the first time is pushed again, or taken off.
func TestAProductChangesDuringItsFirstPush(t *testing.T) {
	for _, how := range []string{"changed", "deleted"} {
		t.Run(how, func(t *testing.T) {
			syncedEngines(t, 2, func(t *testing.T, s *synced) {
				p := s.platform
				p.does.Products = true
				s.set(`{"unpublish": "delete"}`, channels.Active)
				s.publish()
				p.whilePut = func() {
					*s.clock = s.clock.Add(time.Second)
					s.must(s.write(t, func(tx *db.Tx) error {
						if how == "deleted" {
							return s.do.DeleteProduct(tx, s.who, s.product(tx, "SKU-1"), commerce.Expected{})
						}
						tx.Change("UPDATE products SET name = name || '!', changed_at = "+db.Clock+" + $2::BIGINT WHERE tenant_id = $1 AND sku = 'SKU-1'",
							tx.Tenant, tx.Stamps(1))
						return nil
					}))
					_, err := s.do.ScheduleChannels(t.Context(), s.store) // finds the change, and nothing on the platform that it is about
					s.must(err)
				}
				s.work()
				switch how {
				case "changed":
					if p.tried["SKU-1"] != 2 || p.tried["SKU-0"] != 1 {
						t.Errorf("pushed so often: %v", p.tried)
					}
				case "deleted":
					if fmt.Sprint(p.removed) != "[SKU-1]" {
						t.Errorf("taken off: %v", p.removed)
					}
				}
			})
		})
	}
}

// Settings that decide what a pull makes of orders, or when the next one is, hold when they change while a pull reads its last page.
func TestSettingsOfPullsChangeDuringTheLastPage(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		p := s.platform
		s.set(`{"pullEvery": 86400}`, channels.Active)
		s.place("a")
		*s.clock = s.clock.Add(5 * time.Minute)
		p.whilePull = func() { s.set(`{"pullEvery": 60, "statusMap": {"paid": "PENDING"}}`, channels.Active) }
		s.work()
		*s.clock = s.clock.Add(time.Minute)
		pulls := p.pulls
		if s.work(); p.pulls == pulls {
			t.Error("the next pull comes by the time that holds no more")
		}
		s.place("b")
		*s.clock = s.clock.Add(5 * time.Minute)
		p.whilePull = func() { s.set(`{"pullEvery": 60, "statusMap": {"paid": "SHIPPED"}}`, channels.Active) }
		s.work()
		*s.clock = s.clock.Add(5 * time.Minute)
		s.work()
		if n := s.count("SELECT count(*) FROM orders WHERE tenant_id = $1 AND status <> 'SHIPPED'"); n != 0 {
			t.Errorf("%d orders have the status that the platform's word meant before", n)
		}
	})
}

// What changes while a channel is left alone after a failure is pushed once that time is over, also when a pull is due before.
func TestChangesWhileAChannelIsHeld(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		p := s.platform
		s.set(`{"pullEvery": 86400}`, channels.Active)
		s.publish()
		s.work()
		s.must(s.write(t, func(tx *db.Tx) error {
			state, err := channelsync.Lock(tx, s.channel.ID)
			state.HeldUntil, state.PullAt = tx.Now().Add(time.Minute).UnixMicro(), tx.Micros()
			state.Save(tx)
			return err
		}))
		s.price("SKU-0", 130000)
		_, err := s.do.ScheduleChannels(t.Context(), s.store)
		s.must(err)
		s.work()
		*s.clock = s.clock.Add(2 * time.Minute)
		if s.work(); p.prices["SKU-0"] != "13" {
			t.Errorf("the platform shows %v", p.prices)
		}
	})
}

// price gives a product a price.
func (s *synced) price(sku string, price int64) {
	s.t.Helper()
	*s.clock = s.clock.Add(time.Second)
	s.must(s.write(s.t, func(tx *db.Tx) error {
		tx.Change("UPDATE products SET price = $4, changed_at = "+db.Clock+" + $3::BIGINT WHERE tenant_id = $1 AND sku = $2",
			tx.Tenant, sku, tx.Stamps(1), price)
		return nil
	}))
}

// A node that stands still in the middle of a push, for so long that another node does the work, overtakes that one when it goes on: what
// it wrote is written again.
func TestANodeThatStoodStillOvertakesAnother(t *testing.T) {
	for _, kind := range []jobs.Type{jobs.StockPush, jobs.ProductPush} {
		t.Run(string(kind), func(t *testing.T) {
			syncedEngines(t, 1, func(t *testing.T, s *synced) {
				p := s.platform
				s.publish()
				s.work()
				s.rename("SKU-0", 120000)
				if kind == jobs.StockPush {
					s.work()
					s.price("SKU-0", 125000)
				}
				stood := func() {
					*s.clock = s.clock.Add(5 * time.Minute) // its lease ends
					s.rename("SKU-0", 130000)
					s.work()
				}
				if p.whileSet = stood; kind == jobs.ProductPush {
					p.whileSet, p.whilePut = nil, stood
				}
				if err := s.do.RunChannelJob(t.Context(), s.store, s.claim(kind), time.Minute); !errors.Is(err, jobs.ErrLost) {
					t.Errorf("the node that stood still ends with %v", err)
				}
				s.work()
				var name string
				s.must(s.store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
					return tx.Row("SELECT name FROM products WHERE tenant_id = $1", []any{tx.Tenant}, &name)
				}))
				if p.prices["SKU-0"] != "13" || p.titles["SKU-0"] != name {
					t.Errorf("the platform shows %q at %s", p.titles["SKU-0"], p.prices["SKU-0"])
				}
			})
		})
	}
}

// claim schedules what is due and runs it, up to a job of a type, which it claims.
func (s *synced) claim(kind jobs.Type) jobs.Job {
	s.t.Helper()
	*s.clock = s.clock.Add(time.Second)
	_, err := s.do.ScheduleChannels(s.t.Context(), s.store)
	s.must(err)
	for {
		var job jobs.Job
		var ok bool
		s.must(s.store.Write(s.t.Context(), db.Across, func(tx *db.Tx) (err error) {
			job, ok, err = jobs.ClaimOnChannel(tx, time.Minute)
			return err
		}))
		if !ok {
			s.t.Fatalf("no %s is due", kind)
		}
		if job.Type == kind {
			return job
		}
		s.must(s.do.RunChannelJob(s.t.Context(), s.store, job, time.Minute))
	}
}

// A channel that is activated again while its webhooks are being removed gets them back at once, not with the daily check.
func TestAChannelComesBackWhileItsWebhooksGo(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		checkIn := func() time.Duration {
			at := s.count("SELECT coalesce(check_at, 0) FROM channel_syncs WHERE tenant_id = $1")
			return time.UnixMicro(at).Sub(*s.clock)
		}
		set := func(checkAt time.Time) {
			s.must(s.write(t, func(tx *db.Tx) error {
				state, err := channelsync.Lock(tx, s.channel.ID)
				state.HookURL, state.CheckAt = "https://hooks.example", checkAt.UnixMicro()
				state.Save(tx)
				return err
			}))
		}
		for _, comesBack := range []bool{false, true} {
			s.set(`{}`, channels.Inactive)
			set(s.clock.Add(24 * time.Hour))
			s.platform.whileGone = func() {
				if comesBack {
					s.set(`{}`, channels.Active)
					set(s.clock.Add(24 * time.Hour)) // the check has come, and found them there still
				}
			}
			s.must(s.do.RemoveWebhooks(t.Context(), s.store, s.channel, "https://hooks.example"))
			if in := checkIn(); (in <= 0) != comesBack {
				t.Errorf("it comes back %v: the next check is in %v", comesBack, in)
			}
		}
	})
}

// An order that is notified of again, after a pull has read it and while that pull waits for its platform, is read again at once.
func TestAnOrderIsNotifiedOfAgainWhileItsPullWaits(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		p := s.platform
		p.many = 40
		s.place("A")
		s.notify("A", "waits for its payment")
		s.work()
		*s.clock = s.clock.Add(time.Second)
		p.orders[0].Theirs, p.orders[0].Status, p.orders[0].UpdatedAt = "shipped", orders.Shipped, *s.clock
		s.notify("A", "has left")
		s.work()
		if n := s.count("SELECT count(*) FROM orders WHERE tenant_id = $1 AND status = 'SHIPPED'"); n != 1 || len(p.pages) != 1 {
			t.Errorf("%d orders were shipped when %d pages were read; read by name: %v", n, len(p.pages), p.named)
		}
	})
}

// A product that is to be taken off while its platform still works on putting it on sale is taken off once that is done, too: it would be
// on sale without anybody knowing of it.
func TestAProductIsWithdrawnWhileItsPlatformWorks(t *testing.T) {
	for _, known := range []string{"", "their SKU-0"} {
		syncedEngines(t, 1, func(t *testing.T, s *synced) {
			p := s.platform
			p.does.Async = true
			s.set(`{"unpublish": "delete"}`, channels.Active)
			s.publish()
			s.must(s.write(t, func(tx *db.Tx) error {
				item := channelsync.NewItem(s.channel.ID, "SKU-0", s.product(tx, "SKU-0"), "")
				item.Operation, item.ExternalProduct = "op", known
				channelsync.Put(tx, item)
				return nil
			}))
			s.unpublish("SKU-0")
			s.work()
			if now := len(p.removed) > 0; now != (known != "") {
				t.Errorf("what %q is on sale was taken off at once: %v", known, now)
			}
			p.removed = nil
			p.polled = map[string][]connector.Result{"op": {{SKU: "SKU-0", State: connector.Live, IDs: connector.IDs{Product: "their SKU-0"}}}}
			*s.clock = s.clock.Add(10 * time.Minute)
			s.work()
			left := s.count("SELECT count(*) FROM publications WHERE tenant_id = $1") +
				s.count("SELECT count(*) FROM channel_items WHERE tenant_id = $1")
			if fmt.Sprint(p.removed) != "[SKU-0]" || left != 0 {
				t.Errorf("taken off in the end: %v; %d records are left", p.removed, left)
			}
		})
	}
}

// A product that is made anew, and published, before the deleted one with its SKU has been taken off waits for that, which may be long. It
// keeps no others from being pushed, and is not pushed in vain.
func TestAProductIsMadeAnewBeforeTheOldOneIsTakenOff(t *testing.T) {
	for _, works := range []bool{false, true} {
		syncedEngines(t, 2, func(t *testing.T, s *synced) {
			p := s.platform
			p.does.Async = true
			s.set(`{"unpublish": "delete"}`, channels.Active)
			s.publish()
			s.work()
			*s.clock = s.clock.Add(time.Second)
			s.must(s.write(t, func(tx *db.Tx) error {
				if works { // on the old one, still
					if _, err := tx.Exec("UPDATE channel_items SET operation = 'op' WHERE tenant_id = $1 AND sku = 'SKU-0'", tx.Tenant); err != nil {
						return err
					}
				}
				return s.do.DeleteProduct(tx, s.who, s.product(tx, "SKU-0"), commerce.Expected{})
			}))
			s.must(s.write(t, func(tx *db.Tx) error {
				_, err := s.do.CreateProduct(tx, s.who, catalog.Draft{SKU: "SKU-0", Name: patch.To("Again"), Price: patch.To(money.Amount(150000))})
				return err
			}))
			s.must(s.write(t, func(tx *db.Tx) error {
				_, err := s.do.PublishProducts(tx, s.channel.ID, nil, []string{"SKU-0"})
				return err
			}))
			s.rename("SKU-1", 120000)
			s.work()
			if p.titles["SKU-1"] != "Product SKU-1!" || works != (p.titles["SKU-0"] == "Product SKU-0") {
				t.Errorf("the platform works %v: %v", works, p.titles)
			}
			p.polled = map[string][]connector.Result{"op": {{SKU: "SKU-0", State: connector.Live, IDs: connector.IDs{Product: "their SKU-0"}}}}
			*s.clock = s.clock.Add(10 * time.Minute)
			s.work()
			published := s.count("SELECT count(*) FROM publications WHERE tenant_id = $1 AND status = 'published'")
			if p.titles["SKU-0"] != "Again" || p.tried["SKU-0"] != 2 || published != 2 {
				t.Errorf("the platform shows %v after pushes %v, %d products are published", p.titles, p.tried, published)
			}
			if n := s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND status <> 'COMPLETED'"); n != 0 {
				t.Errorf("%d jobs did not end well", n)
			}
		})
	}
}

// A channel that is deactivated for a moment, in which its pull ends, is pulled once it is active again, however rarely it is otherwise.
func TestAChannelIsInactiveForAMoment(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.set(`{"pullEvery": 86400}`, channels.Active)
		s.work()
		s.place("A")
		*s.clock = s.clock.Add(24 * time.Hour)
		_, err := s.do.ScheduleChannels(t.Context(), s.store)
		s.must(err)
		s.set(`{"pullEvery": 86400}`, channels.Inactive)
		s.work()
		s.set(`{"pullEvery": 86400}`, channels.Active)
		if s.work(); s.count(ordersHere) != 1 {
			t.Errorf("%d orders are here", s.count(ordersHere))
		}
	})
}
