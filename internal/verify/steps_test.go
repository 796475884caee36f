package verify_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"entrepot/internal/apperr"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/dbtest"
	"entrepot/internal/id"
	"entrepot/internal/orders"
	"entrepot/internal/patch"
	"entrepot/internal/stock"
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
	for _, table := range []string{"orders", "publications", "channel_items", "notifications"} {
		if n := s.count("SELECT count(*) FROM "+table+" WHERE tenant_id = $1 AND channel_id = $2::UUID", channel); n > 0 {
			s.Errorf("%d %s are left", n, table)
		}
	}
	for _, sql := range []string{"SELECT count(*) FROM tallies WHERE tenant_id = $1 AND n <> 0 AND key LIKE $2",
		"SELECT count(*) FROM order_figures WHERE tenant_id = $1 AND (orders <> 0 OR items <> 0 OR big <> 0 OR small <> 0) AND channel LIKE $2"} {
		if n := s.count(sql, "%"+string(channel)); n > 0 {
			s.Errorf("%d in %s", n, sql)
		}
	}
	if n := s.count("SELECT count(*) FROM unfinished WHERE tenant_id = $1"); n > 0 {
		s.Errorf("%d operations are unfinished", n)
	}
}

// The deletion of a channel with much may die before any of its transactions. Nothing is wrong then, no order can be added to the channel,
// and any process ends it.
func TestChannelDeletionDiesAtEveryStep(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		dbtest.DiesAtEveryStep(t, 4, func(ctx context.Context, n int64) error {
			channel := s.corner()
			s.trade(channel, 5)
			kept := s.count("SELECT count(*) FROM events WHERE tenant_id = $1 AND event LIKE 'order.%'")
			if err := s.close(channel); err != nil {
				t.Fatal(err)
			}
			err := s.do.FinishChannelDeletion(ctx, store, s.who.Tenant, channel)
			s.holds(n)
			d := draft("late@corner.example", orders.Pending, "SKU-1")
			d.Channel = channel
			if _, err := s.order(d); !apperr.Is(err, apperr.NotFound) {
				t.Fatalf("an order for a channel that is being deleted: %v", err)
			}
			if err := s.close(channel); !apperr.Is(err, apperr.NotFound) {
				t.Fatalf("deleted twice: %v", err)
			}
			if err != nil {
				if s.count("SELECT count(*) FROM unfinished WHERE tenant_id = $1") != 1 {
					t.Fatal("nobody would go on")
				}
				if err := s.do.ContinueSteps(t.Context(), store, true); err != nil {
					t.Fatal(err)
				}
				s.holds(n)
			}
			s.gone(channel)
			if now := s.count("SELECT count(*) FROM events WHERE tenant_id = $1 AND event LIKE 'order.%'"); now != kept {
				t.Errorf("%d events of orders", now-kept)
			}
			return err
		})
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

// two makes a customer with n orders and another one with 2.
func (s *shop) two(round, n int) (from, into id.Customer) {
	s.Helper()
	for i, email := range []string{fmt.Sprintf("from%d@merge.example", round), fmt.Sprintf("into%d@merge.example", round)} {
		for range []int{n, 2}[i] {
			if _, err := s.order(draft(email, orders.Pending, "SKU-1", "SKU-2-V")); err != nil {
				s.Fatal(err)
			}
		}
		s.must(func(tx *db.Tx) error {
			c, err := customers.ByEmail(tx, email)
			if i == 0 {
				from = c.ID
			} else {
				into = c.ID
			}
			return err
		})
	}
	return from, into
}

func (s *shop) join(into, from id.Customer) (merged commerce.Merged, err error) {
	return merged, s.write(func(tx *db.Tx) (err error) {
		merged, err = s.do.MergeCustomers(tx, s.who, into, []id.Customer{from})
		return err
	})
}

// has expects a customer's count to be that of its orders.
func (s *shop) has(customer id.Customer, n int) {
	s.Helper()
	kept := s.count("SELECT orders_count FROM customers WHERE tenant_id = $1 AND id = $2::UUID", customer)
	if found := s.count("SELECT count(*) FROM orders WHERE tenant_id = $1 AND customer_id = $2::UUID", customer); kept != n || found != n {
		s.Errorf("%s has %d orders, kept as %d; want %d", customer, found, kept, n)
	}
}

// A merge of a customer with many orders may die before any of its transactions. The secondary is merged then, whose orders follow.
func TestMergeDiesAtEveryStep(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		dbtest.DiesAtEveryStep(t, 4, func(ctx context.Context, n int64) error {
			from, into := s.two(int(n), 9)
			merged, err := s.join(into, from)
			if err != nil || merged.OrdersMoved != 9 || merged.Primary.OrdersCount != 11 {
				t.Fatalf("%+v, %v", merged, err)
			}
			err = s.do.FinishMerges(ctx, store, s.who.Tenant, into)
			s.holds(n)
			if _, err := s.join(into, from); !apperr.Is(err, apperr.Conflict) {
				t.Fatalf("merged twice: %v", err)
			}
			order, errOrder := s.order(draft(fmt.Sprintf("from%d@merge.example", n), orders.Pending, "SKU-1"))
			if errOrder != nil {
				t.Fatal(errOrder)
			}
			if s.count("SELECT count(*) FROM orders WHERE tenant_id = $1 AND id = $2::UUID AND customer_id = $3::UUID", order, into) != 1 {
				t.Error("an order is not the primary's")
			}
			if err != nil {
				if err := s.do.ContinueSteps(t.Context(), store, true); err != nil {
					t.Fatal(err)
				}
				s.holds(n)
			}
			s.has(into, 12)
			s.has(from, 0)
			if n := s.count("SELECT count(*) FROM events WHERE tenant_id = $1 AND event = 'customer.merged' AND resource_id = $2",
				string(into)); n != 1 {
				t.Errorf("%d events", n)
			}
			return err
		})
		if n := s.count("SELECT count(*) FROM unfinished WHERE tenant_id = $1"); n > 0 {
			t.Errorf("%d operations are unfinished", n)
		}
	})
}

// While the orders of a merged customer move, by several processes, they change, others come for either, and the primary is itself merged
// into another one, which is erased.
func TestMergesBesideOthers(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		for _, erase := range []bool{false, true} {
			s := newShop(t, store)
			s.do.AtOnce = 1
			from, into := s.two(0, 24)
			_, last := s.two(1, 1)
			if _, err := s.join(into, from); err != nil {
				t.Fatal(err)
			}
			var made []id.Order
			s.must(func(tx *db.Tx) (err error) {
				made, err = orders.Of(tx, []id.Customer{from})
				return err
			})
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() {
					if err := s.do.FinishMerges(t.Context(), store, s.who.Tenant, into); err != nil {
						t.Error(err)
					}
				})
			}
			for w := range 4 {
				all.Go(func() {
					for i := w; i < len(made); i += 4 {
						if err := s.change(made[i], func(tx *db.Tx, o *orders.Order) error {
							_, err := s.do.EditOrder(tx, s.who, o.ID, commerce.Expected{},
								commerce.Edit{Lines: []orders.LineDraft{{ID: o.Lines[0].ID, SKU: o.Lines[0].SKU, Quantity: 9, UnitPrice: 10_000}}})
							return err
						}); err != nil {
							t.Error(err)
						}
						for _, email := range []string{"from0@merge.example", "into0@merge.example"} {
							if _, err := s.order(draft(email, orders.Pending, "SKU-3")); err != nil {
								t.Error(err)
							}
						}
					}
				})
			}
			all.Go(func() {
				_, err := s.join(last, into)
				if err == nil && erase {
					err = s.do.EraseCustomer(t.Context(), store, s.who, last, nil)
				} else if err == nil {
					err = s.do.FinishMerges(t.Context(), store, s.who.Tenant, last)
				}
				if err != nil {
					t.Error(err)
				}
			})
			all.Wait()
			if err := s.do.ContinueSteps(t.Context(), store, true); err != nil {
				t.Fatal(err)
			}
			s.has(from, 0)
			s.has(into, 0)
			if !erase {
				s.has(last, 24+2+2+2*24)
			}
			if n := s.count("SELECT count(*) FROM unfinished WHERE tenant_id = $1"); n > 0 {
				t.Errorf("%d operations are unfinished", n)
			}
			s.holds(-1)
			s.proof()
		}
	})
}

// depot makes a warehouse with an empty level of every SKU and returns it; LYON's first level has a threshold.
func (s *shop) depot(code string) (made id.Warehouse) {
	s.Helper()
	var levels []commerce.StockDraft
	for i := range skus {
		levels = append(levels, commerce.StockDraft{Index: i, SKU: fmt.Sprintf("SKU-%d", i), Warehouse: code})
	}
	s.must(func(tx *db.Tx) error {
		_, err := s.do.SetThresholds(tx, s.who, commerce.StockUpdate{Drafts: levels})
		return err
	})
	s.must(func(tx *db.Tx) error {
		_, err := s.do.SetThresholds(tx, s.who,
			commerce.StockUpdate{Drafts: []commerce.StockDraft{{SKU: "SKU-3", Warehouse: code, Quantity: 5}}})
		return err
	})
	s.must(func(tx *db.Tx) error {
		return tx.Row("SELECT id FROM warehouses WHERE tenant_id = $1 AND code = $2", []any{tx.Tenant, code}, &made)
	})
	return made
}

func (s *shop) levels(code string) int {
	return s.count("SELECT count(*) FROM stock_levels WHERE tenant_id = $1 AND warehouse_code = $2 AND deleted_at IS NULL", code)
}

// The empty levels of a warehouse go in steps before it is deleted. This may die before any of its transactions; a deletion that is refused
// takes none away, and thresholds stay until the end.
func TestWarehouseIsEmptiedInSteps(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store)
		s.do.AtOnce = 1
		remove := func(which id.Warehouse) error {
			return s.write(func(tx *db.Tx) error { return s.do.DeleteWarehouse(tx, s.who, which, commerce.Expected{}) })
		}
		held := s.depot("HELD")
		s.must(func(tx *db.Tx) error {
			_, err := s.do.MoveStock(tx, s.who, commerce.Movement{SKU: "SKU-7", Warehouse: "HELD", Cause: stock.Receive, Quantity: 1})
			return err
		})
		if err := s.do.EmptyWarehouse(t.Context(), store, s.who.Tenant, held, commerce.Expected{}); err != nil || s.levels("HELD") != skus {
			t.Errorf("%d levels of a warehouse with stock are left, %v", s.levels("HELD"), err)
		}
		if err := remove(held); !apperr.Is(err, apperr.Conflict) {
			t.Errorf("a warehouse with stock is deleted: %v", err)
		}
		dbtest.DiesAtEveryStep(t, 3, func(ctx context.Context, n int64) error {
			code := fmt.Sprintf("LYON-%d", n)
			which := s.depot(code)
			err := s.do.EmptyWarehouse(ctx, store, s.who.Tenant, which, commerce.Expected{})
			s.holds(n)
			if now := s.levels(code); err == nil && now != 1 || now == 0 {
				t.Fatalf("%d levels are left, %v", now, err)
			}
			if err := remove(which); err != nil || s.levels(code) != 0 {
				t.Fatalf("%d levels are left, %v", s.levels(code), err)
			}
			s.holds(n)
			return err
		})
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
