package fakeshop

import (
	"encoding/json"
	"strconv"
	"time"

	"entrepot/internal/connector/connectortest/fakeshop"
)

type order struct {
	id, name, email, financial string
	created, updated           time.Time
	cancelled                  *time.Time
	lines                      []*line
	parcels                    []*parcel
	refunds                    []object
	parts                      []*part
	discount, tip              int64
	test                       bool
}

type line struct {
	id, sku, name string
	quantity      int64
	current       int64 // of the quantity, after edits and refunds
	cents         int64 // of one
	engraving     string
}

// Bought is a line of an order that a buyer places.
type Bought struct {
	SKU      string
	Quantity int64
	Cents    int64 // of one

	Engraving string // what the buyer enters for it
}

// Wish is what a buyer orders. Amounts are cents.
type Wish struct {
	Lines         []Bought
	Email         string
	Unpaid        bool
	Discount, Tip int64

	Test bool // it is an order of the shop's own, to try its checkout
}

// Buy places an order as a buyer does; it returns the order's id.
func (s *Shop) Buy(email string, paid bool, lines ...Bought) string {
	return s.Place(Wish{Lines: lines, Email: email, Unpaid: !paid})
}

// Place places an order as a buyer does; it returns the order's id. Shipping is 5.00, tax a fifth of goods and
// shipping.
func (s *Shop) Place(w Wish) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	paid, lines := !w.Unpaid, w.Lines
	o := &order{id: s.gid("Order"), email: w.Email, discount: w.Discount, tip: w.Tip, test: w.Test, financial: "PENDING",
		created: s.Now().UTC(), updated: s.Now().UTC()}
	o.name = "#" + strconv.Itoa(1000+len(s.orders))
	if paid {
		o.financial = "PAID"
	}
	toShip := map[string]int64{}
	for _, b := range lines {
		l := &line{id: s.gid("LineItem"), sku: b.SKU, name: "Article " + b.SKU, quantity: b.Quantity, current: b.Quantity, cents: b.Cents,
			engraving: b.Engraving}
		o.lines, toShip[l.id] = append(o.lines, l), b.Quantity
		s.take(b.SKU, b.Quantity)
	}
	s.addPart(o, toShip)
	s.orders = append(s.orders, o)
	s.notify("ORDERS_CREATE", o)
	return o.id
}

func (s *Shop) known(id string) *order {
	for _, o := range s.orders {
		if o.id == id {
			return o
		}
	}
	return nil
}

// Change changes an order as a person in the shop's admin does: paid, shipped, unshipped (its parcels are cancelled),
// edited (a piece more of the first line), reduced (a piece of it less, whose price is given back), cancelled,
// refunded (a piece of the first line, one that has not left if there is one), credited (the same, but the shop would
// ship the piece still), back (a piece that had left is back in the stock), kept (a piece that had left is not) or returned
// (all of it).
func (s *Shop) Change(id, what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.known(id)
	o.updated = s.Now().UTC()
	defer s.notify("ORDERS_UPDATED", o)
	switch what {
	case "paid":
		o.financial = "PAID"
	case "shipped":
		p := &parcel{id: s.gid("Fulfillment"), number: "BACK+OFFICE", created: s.Now().UTC(), lines: map[string]int64{}}
		for _, l := range o.lines {
			o.send(p, l, l.current)
		}
		o.parcels = append(o.parcels, p)
	case "unshipped": // what was in a parcel is in a new part
		for _, p := range o.parcels {
			if !p.cancelled {
				p.cancelled = true
				s.addPart(o, p.lines)
			}
		}
	case "edited":
		o.lines[0].current++
		s.addPart(o, map[string]int64{o.lines[0].id: 1})
		s.take(o.lines[0].sku, 1)
	case "reduced":
		o.lines[0].current--
		o.send(nil, o.lines[0], 1)
		o.refunds = append(o.refunds, s.refund(o.lines[0].cents))
	case "cancelled":
		s.cancelOrder(o)
	case "refunded":
		o.financial = "PARTIALLY_REFUNDED"
		o.lines[0].current--
		o.send(nil, o.lines[0], 1)
		o.refunds = append(o.refunds, s.refund(o.lines[0].cents, refundLine(o.lines[0], 1)))
	case "credited":
		o.financial = "PARTIALLY_REFUNDED"
		o.lines[0].current--
		o.refunds = append(o.refunds, s.refund(o.lines[0].cents, refundLine(o.lines[0], 1)))
	case "back": // a piece that had left
		o.financial = "PARTIALLY_REFUNDED"
		o.lines[0].current--
		o.refunds = append(o.refunds, s.refund(o.lines[0].cents, restocked(o.lines[0], 1, "RETURN")))
		s.take(o.lines[0].sku, -1)
	case "kept": // its price is given back, and the goods cannot be sold again
		o.financial = "PARTIALLY_REFUNDED"
		o.lines[0].current--
		o.refunds = append(o.refunds, s.refund(o.lines[0].cents, restocked(o.lines[0], 1, "NO_RESTOCK")))
	case "returned":
		o.financial = "REFUNDED"
		var lines []object
		for _, l := range o.lines {
			lines = append(lines, restocked(l, l.current, "RETURN"))
			o.send(nil, l, l.current)
			l.current = 0
		}
		o.refunds = append(o.refunds, s.refund(o.total(), lines...))
	}
}

func (s *Shop) refund(cents int64, lines ...object) object {
	return object{"id": s.gid("Refund"), "createdAt": s.Now().UTC().Format(time.RFC3339), "note": "torn", "totalRefundedSet": euros(cents),
		"refundLineItems": object{"nodes": lines}}
}

func refundLine(l *line, quantity int64) object {
	return restocked(l, quantity, "CANCEL")
}

// restocked is the part of a line in a refund, and what became of the pieces.
func restocked(l *line, quantity int64, kind string) object {
	return object{"quantity": quantity, "restockType": kind, "restocked": kind != "NO_RESTOCK",
		"lineItem": object{"id": l.id}, "subtotalSet": euros(l.cents * quantity), "totalTaxSet": euros(0)}
}

// take subtracts pieces from the stock.
func (s *Shop) take(sku string, quantity int64) {
	if v := s.variant(func(v *variant) bool { return v.sku == sku }); v != nil {
		v.add(-quantity)
	}
}

// cancelOrder cancels an order and returns its stock.
func (s *Shop) cancelOrder(o *order) {
	at := s.Now().UTC()
	o.cancelled, o.updated = &at, at
	for _, l := range o.lines {
		s.take(l.sku, o.shipped(l)-l.current)
	}
	for _, p := range o.parts {
		p.status = "CANCELLED"
	}
}

// amounts are goods, tax and total, of the lines as they were ordered or as they are.
func (o *order) amounts(quantity func(*line) int64) (tax, total int64) {
	var net int64
	for _, l := range o.lines {
		net += l.cents * quantity(l)
	}
	tax = (net + 500) / 5
	return tax, net + 500 + tax + o.tip - o.discount
}

func ordered(l *line) int64 { return l.quantity }

func now(l *line) int64 { return l.current }

func (o *order) total() int64 { _, total := o.amounts(ordered); return total }

// Total returns what an order costs: as it was ordered, or as it was edited.
func (s *Shop) Total(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.known(id)
	_, total := o.amounts(ordered)
	if len(o.refunds) == 0 {
		_, total = o.amounts(now)
	}
	return fakeshop.Decimal(total)
}

// Order returns the state of an order: parcels with their numbers, whether it is delivered or cancelled.
func (s *Shop) Order(id string) (numbers []string, shipped int64, delivered, cancelled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.known(id)
	delivered = len(o.parcels) > 0
	for _, p := range o.parcels {
		if p.cancelled {
			continue
		}
		numbers = append(numbers, p.number)
		delivered = delivered && p.display == "DELIVERED"
		for _, n := range p.lines {
			shipped += n
		}
	}
	return numbers, shipped, delivered, o.cancelled != nil
}

func (s *Shop) cancel(raw json.RawMessage) (object, string) {
	var in struct{ ID string }
	_ = json.Unmarshal(raw, &in)
	o := s.known(in.ID)
	if o.cancelled != nil {
		return object{"orderCancel": object{"orderCancelUserErrors": refused("orderId", "Order has already been cancelled", "INVALID")}}, ""
	}
	s.cancelOrder(o)
	s.notify("ORDERS_CANCELLED", o)
	return object{"orderCancel": object{"orderCancelUserErrors": []object{}}}, ""
}
