package verify_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/orders"
)

// corner makes a custom channel that has every product.
func (s *shop) corner() (channel id.Channel) {
	s.Helper()
	name := "Corner"
	var every []string
	for i := range skus {
		every = append(every, fmt.Sprintf("SKU-%d", i))
	}
	s.must(func(tx *db.Tx) error {
		made, _, _, err := s.do.CreateChannel(tx, s.who, commerce.ChannelDraft{Name: &name, Platform: channels.Custom})
		channel = made.ID
		return err
	})
	s.must(func(tx *db.Tx) error {
		_, err := s.do.PublishProducts(tx, channel, nil, every)
		return err
	})
	return channel
}

// trade makes n orders of a channel, of which some are shipped in part.
func (s *shop) trade(channel id.Channel, n int) (made []id.Order) {
	s.Helper()
	for i := range n {
		d := draft(fmt.Sprintf("c%d@corner.example", i%3), orders.Processing, "SKU-1", "SKU-2-V")
		d.Channel, d.ShippingAddress = channel, `{"line1":"1 High Street","country":"FR"}`
		d.ExternalReference = fmt.Sprintf("%s-%d", channel, i)
		order, err := s.order(d)
		if err != nil {
			s.Fatal(err)
		}
		made = append(made, order)
		if i%2 == 0 {
			if err := s.ship(order); err != nil {
				s.Fatal(err)
			}
		}
	}
	return made
}

// ship ships one piece of an order's first line.
func (s *shop) ship(order id.Order) error {
	return s.change(order, func(tx *db.Tx, o *orders.Order) error {
		_, _, err := s.do.ShipOrder(tx, s.who, o.ID, commerce.Expected{},
			orders.ShipmentDraft{Lines: []orders.DraftLine{{Line: o.Lines[0].ID, Quantity: 1}}})
		return err
	})
}

func (s *shop) close(channel id.Channel) error {
	return s.write(func(tx *db.Tx) error {
		_, err := s.do.DeleteChannel(tx, s.who, channel, commerce.Expected{}, false, nil)
		return err
	})
}

// count reads a number.
func (s *shop) count(sql string, args ...any) (n int) {
	s.Helper()
	s.must(func(tx *db.Tx) error { return tx.Row(sql, append([]any{tx.Tenant}, args...), &n) })
	return n
}

// gone expects that nothing is left of a channel, and that no operation is unfinished.
func (s *shop) gone(channel id.Channel) {
	s.Helper()
	for table, n := range s.belongings(channel) {
		if n > 0 {
			s.Errorf("%d %s are left", n, table)
		}
	}
	for _, sql := range []string{"SELECT count(*) FROM tallies WHERE tenant_id = $1 AND key LIKE $2",
		"SELECT count(*) FROM order_figures WHERE tenant_id = $1 AND (orders <> 0 OR items <> 0 OR big <> 0 OR small <> 0) AND channel LIKE $2"} {
		if n := s.count(sql, "%"+string(channel)); n > 0 {
			s.Errorf("%d in %s", n, sql)
		}
	}
	if n := s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND subject IS NOT NULL"); n > 0 {
		s.Errorf("%d operations are unfinished", n)
	}
}

// belongings counts what belongs to a channel, by table.
func (s *shop) belongings(channel id.Channel) map[string]int {
	s.Helper()
	n := map[string]int{}
	for _, table := range []string{"orders", "publications", "channel_items", "notifications"} {
		n[table] = s.count("SELECT count(*) FROM "+table+" WHERE tenant_id = $1 AND channel_id = $2::UUID", channel)
	}
	return n
}

// sync has n items of a channel's platform known, and n of its notifications remembered.
func (s *shop) sync(channel id.Channel, n int) {
	s.Helper()
	s.must(func(tx *db.Tx) error {
		for i := range n {
			channelsync.Put(tx, channelsync.NewItem(channel, fmt.Sprint(i), id.New[id.Product](), ""))
			if _, err := channels.Seen(tx, channel, fmt.Sprint(i), tx.Micros()+1e9); err != nil {
				return err
			}
		}
		return nil
	})
}

// The deletion of a channel with much may die before any of its transactions. Nothing is wrong then, no order can be added to the channel,
// and any process ends it. The last transaction has nothing to delete but the operation.
func TestChannelDeletionDiesAtEveryStep(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		least := 1 << 30 // of what belonged to it when it died
		round := func(ctx context.Context, n int64) error {
			channel := s.corner()
			s.trade(channel, 5)
			s.sync(channel, 20)
			kept := s.count("SELECT count(*) FROM events WHERE tenant_id = $1 AND event LIKE 'order.%'")
			if err := s.close(channel); err != nil {
				t.Fatal(err)
			}
			err := s.do.FinishChannelDeletion(ctx, store, s.who.Tenant, channel)
			s.holds(n)
			if err != nil {
				left := 0
				for _, n := range s.belongings(channel) {
					left += n
				}
				least = min(least, left)
			}
			d := draft("late@corner.example", orders.Pending, "SKU-1")
			d.Channel = channel
			if _, err := s.order(d); !apperr.Is(err, apperr.NotFound) {
				t.Fatalf("an order for a channel that is being deleted: %v", err)
			}
			if err := s.close(channel); !apperr.Is(err, apperr.NotFound) {
				t.Fatalf("deleted twice: %v", err)
			}
			if err != nil {
				if s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND subject IS NOT NULL") != 1 {
					t.Fatal("nobody would go on")
				}
				if err := resume(t.Context(), store, s.do); err != nil {
					t.Fatal(err)
				}
				s.holds(n)
			}
			s.gone(channel)
			if now := s.count("SELECT count(*) FROM events WHERE tenant_id = $1 AND event LIKE 'order.%'"); now != kept {
				t.Errorf("%d events of orders", now-kept)
			}
			return err
		}
		for try := 0; try < 3 && least > 0; try++ { // a transaction that loses a race asks once more, and the last one may be passed over
			dbtest.DiesAtEveryStep(t, 4, round)
		}
		if least > 0 {
			t.Errorf("%d rows are left for the last transaction", least)
		}
	})
}

// While a channel with much is deleted by several processes, its orders change, others are made, and its customers are merged and erased.
func TestChannelDeletionBesideOthers(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		channel := s.corner()
		made := s.trade(channel, 24)
		var all sync.WaitGroup
		fails := func(err error, kinds ...apperr.Kind) {
			if err != nil && !slices.ContainsFunc(kinds, func(k apperr.Kind) bool { return apperr.Is(err, k) }) {
				t.Error(err)
			}
		}
		closed := new(atomic.Int64)
		for range 3 {
			all.Go(func() {
				if err := s.close(channel); err == nil {
					closed.Add(1)
				} else {
					fails(err, apperr.NotFound)
				}
				fails(s.do.FinishChannelDeletion(t.Context(), store, s.who.Tenant, channel))
				if n := s.count("SELECT count(*) FROM orders WHERE tenant_id = $1 AND channel_id = $2::UUID", channel); n > 0 {
					t.Errorf("%d orders are left when it has answered", n)
				}
			})
		}
		for w := range 4 {
			all.Go(func() {
				for i := w; i < len(made); i += 4 {
					fails(s.ship(made[i]), apperr.NotFound, apperr.Invalid, apperr.Conflict)
					d := draft(fmt.Sprintf("c%d@corner.example", i%3), orders.Pending, "SKU-1")
					d.Channel = channel
					_, err := s.order(d)
					fails(err, apperr.NotFound, apperr.Conflict)
					d.Channel = ""
					_, err = s.order(d)
					fails(err, apperr.Conflict)
				}
			})
		}
		all.Go(func() {
			var people []id.Customer
			s.must(func(tx *db.Tx) error {
				people = nil
				for i := range 3 {
					c, err := customers.ByEmail(tx, fmt.Sprintf("c%d@corner.example", i))
					if err != nil {
						return err
					}
					people = append(people, c.ID)
				}
				return nil
			})
			fails(s.write(func(tx *db.Tx) error {
				_, err := s.do.MergeCustomers(tx, s.who, people[0], people[1:2])
				return err
			}))
			fails(s.do.FinishMerges(t.Context(), store, s.who.Tenant, people[0]))
			fails(s.do.EraseCustomer(t.Context(), store, s.who, people[2], nil))
		})
		all.Wait()
		if closed.Load() != 1 {
			t.Errorf("deleted %d times", closed.Load())
		}
		s.gone(channel)
		s.holds(-1)
	})
}

// A customer with many orders leaves them the present e-mail address in steps before it gets another one. This may die before any of its
// transactions, and the change may be refused: every order is found by its address.
func TestEmailIsLeftInSteps(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		dbtest.DiesAtEveryStep(t, 4, func(ctx context.Context, n int64) error {
			who, _ := s.two(int(n), 9)
			free := customers.Change{Email: patch.To(fmt.Sprintf("new%d@merge.example", n))}
			err := s.do.LeaveEmail(ctx, store, s.who.Tenant, who, commerce.Expected{}, free)
			s.holds(n)
			bound := s.count("SELECT count(*) FROM orders WHERE tenant_id = $1 AND customer_id = $2::UUID AND email_key IS NULL", who)
			if err == nil && bound > 0 {
				t.Fatalf("%d orders are left for the change", bound)
			}
			change := func(change customers.Change) error {
				return s.write(func(tx *db.Tx) error {
					_, err := s.do.UpdateCustomer(tx, who, commerce.Expected{}, change)
					return err
				})
			}
			if err := change(customers.Change{Email: patch.To(fmt.Sprintf("into%d@merge.example", n))}); !apperr.Is(err, apperr.Conflict) {
				t.Fatalf("an address that another one has: %v", err)
			}
			s.holds(n)
			if err := change(free); err != nil {
				t.Fatal(err)
			}
			s.holds(n)
			if found := s.count("SELECT count(*) FROM orders WHERE tenant_id = $1 AND email_key = $2",
				fmt.Sprintf("from%d@merge.example", n)); found != 9 {
				t.Fatalf("%d orders are found by their address", found)
			}
			return err
		})
	})
}
