package commerce_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/orders"
)

// An order that its platform takes up again after it cancelled it is a new one: it reserves, is announced, and follows the platform from
// then on. That may happen more than once, and to two pulls at a time.
func TestOrderIsReopened(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPlatform(t, store, 1)
		first, _ := p.receive(t, p.order("failed", orders.Cancelled))
		p.holds(t, first, orders.Cancelled, 0, orders.UnknownSKU)
		previous := first
		for range 2 {
			before := len(p.events(t))
			paid := p.order("processing", orders.Processing)
			var wait sync.WaitGroup
			made := make([]commerce.ReceivedOrder, 4)
			for i := range made {
				wait.Go(func() {
					var err error
					if made[i], err = p.do.ReceiveOrder(t.Context(), p.store, p.channel, paid, nil); err != nil {
						t.Error(err)
					}
				})
			}
			wait.Wait()
			created := 0
			for _, m := range made {
				if m.ID != made[0].ID || m.ID == previous.ID {
					t.Errorf("stored as %s, %s; before it was %s", m.ID, made[0].ID, previous.ID)
				}
				if m.Created {
					created++
				}
			}
			if got := p.events(t)[before:]; created != 1 || !slices.Equal(got, []string{"order.received"}) {
				t.Errorf("created %d times, events %v", created, got)
			}
			again, old := p.read(t, made[0].ID), p.read(t, previous.ID)
			p.holds(t, again, orders.Processing, 2, orders.UnknownSKU)
			if again.Reopens != old.ID || old.ReopenedBy != again.ID || old.Status != orders.Cancelled || again.Customer != old.Customer ||
				again.ExternalID() != old.ExternalID() || again.ExternalNumber != old.ExternalNumber || again.Number == old.Number ||
				again.CreatedAt == 0 || old.UpdatedAt == previous.UpdatedAt {
				t.Errorf("reopened as %+v of %+v", again, old)
			}
			for _, sort := range []bool{false, true} {
				list := p.list(t, orders.Filter{Sort: orders.ByCreatedAt, Ascending: sort, Limit: 9})
				at := 0
				if sort {
					at = len(list) - 1
				}
				if len(list) < 2 || list[at].ID != again.ID {
					t.Errorf("ascending %t: %d with the id, the newest %s", sort, len(list), again.ID)
				}
			}
			previous, _ = p.receive(t, p.order("cancelled", orders.Cancelled))
			p.holds(t, previous, orders.Cancelled, 0, orders.UnknownSKU)
			if previous.ID != again.ID {
				t.Error("the cancellation went to another order")
			}
		}
		late := p.order("processing", orders.Processing)
		late.UpdatedAt = late.UpdatedAt.Add(-time.Hour)
		if _, out := p.receive(t, late); out.Created || out.ID != previous.ID {
			t.Errorf("an old version reopened it: %+v", out)
		}
		if o, out := p.receive(t, p.order("completed", orders.Shipped)); !out.Created || o.Status != orders.Shipped || o.Reopens != previous.ID {
			t.Errorf("sent at once: %+v %s", out, o.Status)
		}
	})
}

// list lists orders.
func (p *platform) list(t *testing.T, f orders.Filter) (list []orders.Order) {
	t.Helper()
	if err := p.store.Read(t.Context(), p.who.Tenant, func(tx *db.Tx) (err error) {
		list, _, err = orders.List(tx, f, nil)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return list
}

// What a person cancelled, what was paid back wholly, and what was shipped in part stay as they are: an issue says so once.
func TestOrderIsNotReopened(t *testing.T) {
	cancel := func(t *testing.T, p *platform, o *orders.Order) {
		t.Helper()
		if err := p.change(t, o.ID, func(tx *db.Tx, o *orders.Order) error {
			o, err := p.do.MoveOrder(tx, p.who, o.ID, commerce.Expected{}, commerce.Move{To: orders.Cancelled, Source: orders.FromDashboard})
			if err == nil {
				o.Sync.State = orders.Synced
				orders.SaveSync(tx, o)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	for name, before := range map[string]func(t *testing.T, p *platform) []orders.IssueCode{
		"cancelled here": func(t *testing.T, p *platform) []orders.IssueCode {
			o, _ := p.receive(t, p.order("on-hold", orders.Pending))
			cancel(t, p, o)
			return []orders.IssueCode{orders.UnknownSKU, orders.SyncConflict}
		},
		"cancelled here, and there": func(t *testing.T, p *platform) []orders.IssueCode {
			o, _ := p.receive(t, p.order("on-hold", orders.Pending))
			cancel(t, p, o)
			p.receive(t, p.order("cancelled", orders.Cancelled))
			return []orders.IssueCode{orders.UnknownSKU, orders.SyncConflict}
		},
		"shipped in part": func(t *testing.T, p *platform) []orders.IssueCode {
			in := p.order("processing", orders.Processing)
			in.Parcels = []connector.Parcel{{Key: "p1", Number: "JD1", Lines: []connector.ParcelLine{{ExternalLine: "a", Quantity: 1}}}}
			p.receive(t, in)
			p.receive(t, p.order("cancelled", orders.Cancelled))
			return []orders.IssueCode{orders.UnknownSKU, orders.SyncConflict}
		},
		"paid back": func(t *testing.T, p *platform) []orders.IssueCode {
			in := p.order("processing", orders.Processing)
			in.Refunds = []connector.Refund{{ExternalID: "r1", Amount: in.Total}}
			p.receive(t, in)
			return []orders.IssueCode{orders.UnknownSKU}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Engines(t, func(t *testing.T, store *db.DB) {
				p := newPlatform(t, store, 1)
				issues := before(t, p)
				events := len(p.events(t))
				o, out := p.receive(t, p.order("paid", orders.Processing))
				p.holds(t, o, orders.Cancelled, 0, issues...)
				conflict := slices.Contains(issues, orders.SyncConflict)
				if got := p.events(t)[events:]; out.Created || conflict && !slices.Equal(got, []string{"order.updated"}) || !conflict && len(got) > 0 {
					t.Errorf("%+v, events %v", out, got)
				}
				if n := p.stuck(t); (n == 1) != conflict {
					t.Errorf("%d orders need a person", n)
				}
				if err := p.change(t, o.ID, func(tx *db.Tx, o *orders.Order) error {
					_, err := p.do.CloseIssues(tx, o.ID)
					return err
				}); err != nil {
					t.Fatal(err)
				}
				p.receive(t, p.order("paid", orders.Processing))
				if n := p.stuck(t); n != 0 {
					t.Errorf("closed, %d orders need a person", n)
				}
			})
		})
	}
}

func (p *platform) stuck(t *testing.T) (n int64) {
	t.Helper()
	if err := p.store.Read(t.Context(), p.who.Tenant, func(tx *db.Tx) (err error) {
		n, err = orders.CountStuck(tx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// The issue of a status that did not fit is gone when order and platform agree again.
func TestStuckOrderAgreesAgain(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPlatform(t, store, 1)
		p.receive(t, p.order("completed", orders.Shipped))
		o, _ := p.receive(t, p.order("cancelled", orders.Cancelled))
		p.holds(t, o, orders.Shipped, 0, orders.UnknownSKU, orders.IllegalTransition)
		o, _ = p.receive(t, p.order("completed", orders.Shipped))
		p.holds(t, o, orders.Shipped, 0, orders.UnknownSKU)
	})
}

// An order of an erased buyer that is taken up again names nobody.
func TestReopenedOrderOfAnErasedBuyer(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPlatform(t, store, 1)
		o, _ := p.receive(t, p.order("failed", orders.Cancelled))
		if err := p.do.EraseCustomer(t.Context(), store, p.who, o.Customer, nil); err != nil {
			t.Fatal(err)
		}
		again, out := p.receive(t, p.order("processing", orders.Processing))
		p.holds(t, again, orders.Processing, 2, orders.UnknownSKU)
		if !out.Created || again.Customer != o.Customer || again.CustomerName != "" || again.CustomerEmail != "" || again.CustomerPhone != "" ||
			again.ShippingAddress != p.read(t, o.ID).ShippingAddress {
			t.Errorf("%+v", again)
		}
	})
}

// Orders with their cancelled predecessors go with their channel.
func TestReopenedOrdersGoWithTheirChannel(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPlatform(t, store, 1)
		p.receive(t, p.order("failed", orders.Cancelled))
		p.receive(t, p.order("processing", orders.Processing))
		if err := p.write(t, func(tx *db.Tx) error {
			_, err := p.do.DeleteChannel(tx, p.who, p.channel.ID, commerce.Expected{}, true, nil)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if list := p.list(t, orders.Filter{Sort: orders.ByCreatedAt, Limit: 9}); len(list) != 0 {
			t.Errorf("%d orders are left", len(list))
		}
	})
}
