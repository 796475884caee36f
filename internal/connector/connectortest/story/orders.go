package story

import (
	"fmt"
	"strings"
)

// order is an order that a buyer placed.
type order struct {
	id, status string // its id and final status in the service
	wish       Wish
	kind       int
	numbers    []string // of its parcels
	cancelled  bool     // cancelled in the service
	refunded   bool
	edited     bool
}

// Kinds of orders, by their number.
const (
	plain = iota
	unpaid
	adjusted // with a discount and a fee
	unknown  // with a product that the service does not have
	cancelledHere
	cancelledThere
	refunded
	edited
	returned
	waiting // it is shipped during the outage
	kinds
)

// ordersIn has buyers place orders of all kinds, and interrupts the service while they are pulled.
func (s *story) ordersIn() {
	s.door.breakAfter(2 + s.Orders/4)
	for i := range s.Orders {
		s.place(i % kinds)
	}
	s.await("orders are here", s.misses)
}

// place has a buyer place an order.
func (s *story) place(kind int) *order {
	i := len(s.orders)
	o := &order{kind: kind, status: "PROCESSING", wish: Wish{Email: fmt.Sprintf("buyer%d@shop.example", i%7)}}
	first, second := s.sold[i*7%len(s.sold)], s.sold[(i*7+3)%len(s.sold)]
	if second.sku < first.sku { // shops that list lines by SKU have the same first line
		first, second = second, first
	}
	o.wish.Lines = []Line{{first.sku, int64(2 + i%2), first.cents}, {second.sku, 1, second.cents}}
	switch kind {
	case unpaid:
		if o.wish.Unpaid = s.shop.can(Unpaid); o.wish.Unpaid {
			o.status = "PENDING"
		}
	case adjusted:
		o.wish.Discount, o.wish.Fee = s.shop.can(Discounts), s.shop.can(Fees)
	case unknown:
		o.wish.Lines = append(o.wish.Lines, Line{"GONE-" + fmt.Sprint(i), 2, 700})
	}
	o.id = s.shop.Buy(o.wish)
	s.orders = append(s.orders, o)
	return o
}

// here is the channel's orders in the service, by the platform's ids; each once.
func (s *story) here() map[string]Document {
	found := map[string]Document{}
	for cursor := ""; ; { // not by page, which shift while orders come in
		got := s.call("GET", "/api/v1/orders?limit=100&sort=createdAt:asc&channelId="+s.channel+"&cursor="+cursor, nil, 200)
		for i := range got.List("data") {
			id := got.Text("data", i, "externalId")
			if found[id] != nil {
				s.Fatalf("%s: the order %s is here twice", s.shop.Platform, id)
			}
			found[id] = got.Object("data", i)
		}
		if cursor = got.Text("meta", "nextCursor"); cursor == "" {
			return found
		}
	}
}

// misses says what is missing until every order is in the service once, with the expected status and the platform's
// total.
func (s *story) misses() string {
	here := s.here()
	if len(here) > len(s.orders) {
		s.Fatalf("%s: %d orders are here of %d", s.shop.Platform, len(here), len(s.orders))
	}
	for i, o := range s.orders {
		got, total := here[o.id], s.shop.Order(o.id).Total
		switch {
		case got == nil:
			return fmt.Sprintf("%d of %d are here, not %s", len(here), len(s.orders), o.id)
		case got.Text("status") != o.status:
			return fmt.Sprintf("order %d (%s) is %s, want %s; %v", i, o.id, got.Text("status"), o.status, s.full(o))
		case got.Text("totalAmount") != total:
			return fmt.Sprintf("order %d (%s) costs %s here and %s there; %v", i, o.id, got.Text("totalAmount"), total, s.full(o))
		}
	}
	return ""
}

// full is an order as the service has it.
func (s *story) full(o *order) Document {
	return s.call("GET", s.path(o), nil, 200).Object("data")
}

// path is where an order is.
func (s *story) path(o *order) string {
	list := s.call("GET", "/api/v1/orders?limit=100&channelId="+s.channel+"&search="+o.id, nil, 200)
	for i := range list.List("data") {
		if list.Text("data", i, "externalId") == o.id {
			return "/api/v1/orders/" + list.Text("data", i, "id")
		}
	}
	return "/api/v1/orders/" + s.here()[o.id].Text("id")
}

// changesThere changes orders on the platform, as buyers and the merchant do.
func (s *story) changesThere() {
	for _, o := range s.orders {
		switch {
		case o.wish.Unpaid:
			s.shop.Pay(o.id)
			o.status = "PROCESSING"
		case o.kind == cancelledThere && s.shop.can(Cancels):
			s.shop.Cancel(o.id)
			o.status = "CANCELLED"
		case o.kind == refunded && s.shop.can(Refunds):
			s.shop.Refund(o.id)
			o.refunded = true
		case o.kind == edited && s.shop.can(Edits):
			s.shop.Edit(o.id)
			o.edited = true
		case o.kind == returned && s.shop.can(RefundsAll):
			s.shop.Return(o.id)
			o.status = "CANCELLED"
		}
	}
	s.door.breakAfter(3)
	s.await("changes are here", s.misses)
	s.await("refunds and edits are here", func() string {
		for i, o := range s.orders {
			if !o.refunded && !o.edited {
				continue
			}
			if got := s.full(o); o.refunded && (len(got.List("refunds")) != 1 || got.Text("refundedAmount") == "0") ||
				o.edited && quantityOf(got, o.wish.Lines[0].SKU) != fmt.Sprint(o.wish.Lines[0].Quantity+1) {
				return fmt.Sprintf("order %d: %v", i, got)
			}
		}
		return ""
	})
}

// quantityOf is how many of a SKU an order has.
func quantityOf(order Document, sku string) string {
	for i := range order.List("items") {
		if order.Text("items", i, "sku") == sku {
			return order.Text("items", i, "quantity")
		}
	}
	return ""
}

// statesBack ships orders in the service, in one parcel or two, and cancels some; the platform must show that, each
// tracking number once.
func (s *story) statesBack() {
	s.door.breakAfter(4)
	for _, o := range s.orders {
		switch o.kind {
		case plain, unknown:
			s.ship(o)
		case unpaid, adjusted:
			path := s.path(o)
			line := s.call("GET", path, nil, 200).Text("data", "items", 0, "id")
			o.numbers = append(o.numbers, "PARTIAL"+digits(o.id))
			s.call("POST", path+"/shipments", map[string]any{"carrier": "DHL", "trackingNumber": o.numbers[0],
				"items": []any{map[string]any{"orderItemId": line, "quantity": 1}}}, 201)
			s.ship(o)
		case cancelledHere:
			s.call("PATCH", s.path(o)+"/status", map[string]any{"status": "CANCELLED"}, 200)
			o.status, o.cancelled = "CANCELLED", true
		}
	}
	s.await("states are there", s.unsaid)
}

// ship ships all that remains of an order.
func (s *story) ship(o *order) {
	number := "TRACK" + digits(o.id)
	s.call("PATCH", s.path(o)+"/status", map[string]any{"status": "SHIPPED", "carrier": "DHL", "trackingNumber": number}, 200)
	o.status, o.numbers = "SHIPPED", append(o.numbers, number)
}

// digits are those of an id.
func digits(id string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, id)
}

// unsaid says which states the platform does not show.
func (s *story) unsaid() string {
	here := s.here()
	for i, o := range s.orders {
		there, sync := s.shop.Order(o.id), here[o.id].Text("channelSync", "status")
		switch {
		case o.cancelled && !there.Cancelled:
			return fmt.Sprintf("order %d (%s) is not cancelled there: %+v; %v", i, o.id, there, here[o.id])
		case len(o.numbers) > 0 && !there.Shipped:
			return fmt.Sprintf("order %d (%s) is not shipped there: %+v; %v", i, o.id, there, here[o.id])
		case sync != "synced" && sync != "skipped" && sync != "":
			return fmt.Sprintf("order %d (%s) is %s: %v", i, o.id, sync, here[o.id])
		}
		for _, number := range o.numbers {
			if n := strings.Count(strings.Join(there.Numbers, "\n"), number); n != 1 {
				return fmt.Sprintf("order %d (%s) has the number %s %d times there: %v", i, o.id, number, n, there.Numbers)
			}
		}
	}
	return ""
}
