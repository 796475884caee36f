package commerce_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/connector"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/orders"
)

// unpaid is an order of which its platform does not say yet who made it, nor what it costs.
func unpaid(in connector.Order) connector.Order {
	in.Name, in.Email, in.Phone, in.ShipTo = "", "", "", nil
	in.Discount, in.Shipping, in.Tax, in.Total = 0, 0, 0, 0
	in.Lines = slices.Clone(in.Lines[:2])
	for i := range in.Lines {
		in.Lines[i].Amount = 0
	}
	return in
}

// Marketplaces say who bought once the order is paid: the customer, the address and the amounts follow, once.
func TestTheBuyerComesLater(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPlatform(t, store, 1)
		o, _ := p.receive(t, unpaid(p.order("PENDING", orders.Pending)))
		p.holds(t, o, orders.Pending, 2, orders.UnknownSKU)
		if o.Customer != "" || o.CustomerName != "" {
			t.Fatalf("%+v", o)
		}
		before := len(p.events(t))
		o, _ = p.receive(t, p.order("UNSHIPPED", orders.Processing))
		p.holds(t, o, orders.Processing, 2, orders.UnknownSKU)
		if o.Customer == "" || o.CustomerName != "Ada Lovelace" || o.CustomerEmail != "ada@example.com" || o.CustomerPhone != "+33 1" ||
			o.Total != 305000 {
			t.Errorf("%+v", o)
		}
		if got := p.events(t)[before:]; !slices.Equal(got, []string{"customer.created", "order.updated", "order.status_changed"}) {
			t.Errorf("events %v", got)
		}
		other := p.order("UNSHIPPED", orders.Processing)
		other.Name, other.Email = "Somebody Else", "else@example.com"
		if o, _ = p.receive(t, other); o.CustomerName != "Ada Lovelace" {
			t.Errorf("now it is %s", o.CustomerName)
		}
		for text, want := range map[string]int{"lovelace": 1, "else@example.com": 0} {
			if got := p.found(t, text); got != want {
				t.Errorf("%q finds %d orders", text, got)
			}
		}
	})
}

// A buyer who comes later and has a record already is in the segments that the order brings, while the store keeps who is in them.
func TestTheBuyerWhoComesLaterIsInSegments(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p, one := newPlatform(t, store, 1), int64(1)
		segment := &customers.Segment{ID: id.New[id.Segment](), Name: "Buyers", Rules: customers.Rules{MinOrders: &one}}
		if err := p.write(t, func(tx *db.Tx) error {
			segment.Insert(tx)
			_, err := p.do.CreateCustomer(tx, customers.Change{Email: patch.To("ada@example.com")})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		in := p.order("PAID", orders.Processing)
		in.Name, in.Email, in.Phone = "", "", ""
		p.receive(t, in)
		if err := customers.SegmentLists.FollowTenant(t.Context(), store, p.who.Tenant); err != nil {
			t.Fatal(err)
		}
		for _, email := range []string{"", "ada@example.com"} {
			in.Email, in.UpdatedAt = email, in.UpdatedAt.Add(time.Minute)
			p.receive(t, in)
			err := store.Read(t.Context(), p.who.Tenant, func(tx *db.Tx) error {
				list, total, err := customers.List(tx, customers.Filter{Segment: segment, Limit: 10})
				if got := len(list) == 1 && total == 1; got != (email != "") || !got && total+int64(len(list)) > 0 {
					t.Errorf("with the buyer %q, %d of %d are in the segment", email, len(list), total)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// found is how many orders a text finds.
func (p *platform) found(t *testing.T, text string) (n int) {
	t.Helper()
	err := p.store.Read(t.Context(), p.who.Tenant, func(tx *db.Tx) error {
		list, _, err := orders.List(tx, orders.Filter{RowFilter: orders.RowFilter{Search: text}, Sort: orders.ByCreatedAt, Limit: 10}, nil)
		n = len(list)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// An order that is cancelled on its platform comes without lines and amounts from some: what was ordered stays.
func TestACancelledOrderKeepsItsLines(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPlatform(t, store, 1)
		p.receive(t, p.order("UNSHIPPED", orders.Processing))
		gone := unpaid(p.order("CANCELLED", orders.Cancelled))
		gone.Lines = nil
		o, _ := p.receive(t, gone)
		p.holds(t, o, orders.Cancelled, 0, orders.UnknownSKU)
		if len(o.Lines) != 3 || o.Total != 305000 || o.ShippingAddress == "" {
			t.Errorf("%+v", o)
		}
	})
}

// A platform continues to send the data of a buyer who was erased here: the order is updated, the person stays erased.
func TestAnErasedBuyerStaysForgotten(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		p := newPlatform(t, store, 1)
		o, _ := p.receive(t, p.order("UNSHIPPED", orders.Processing))
		if err := p.do.EraseCustomer(t.Context(), p.store, p.who, o.Customer, nil); err != nil {
			t.Fatal(err)
		}
		next := p.order("UNSHIPPED", orders.Processing)
		next.Lines[0].Quantity = 5
		o, _ = p.receive(t, next)
		if o.Lines[0].Quantity != 5 || o.CustomerName != "" || o.CustomerEmail != "" ||
			strings.Contains(o.ShippingAddress+o.BillingAddress, "1 rue") {
			t.Errorf("%q %q %q %q", o.CustomerName, o.CustomerEmail, o.ShippingAddress, o.BillingAddress)
		}
	})
}
