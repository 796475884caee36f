package fakeshop

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
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

// part is what the shop calls a fulfilment order.
type part struct {
	id, status string
	lines      []*partLine
}

// partLine is a line's quantity in a part, and what of it is still to ship.
type partLine struct {
	id               string
	line             *line
	total, remaining int64
}

type parcel struct {
	id, display, number string
	cancelled           bool
	lines               map[string]int64
	created             time.Time
}

// shipped is how many of a line have left.
func (o *order) shipped(l *line) (n int64) {
	for _, p := range o.parcels {
		if !p.cancelled {
			n += p.lines[l.id]
		}
	}
	return n
}

// addPart adds a part with quantities of lines.
func (s *Shop) addPart(o *order, quantities map[string]int64) *part {
	p := &part{id: s.gid("FulfillmentOrder"), status: "OPEN"}
	for _, l := range o.lines {
		if n := quantities[l.id]; n > 0 {
			p.lines = append(p.lines, &partLine{id: s.gid("FulfillmentOrderLineItem"), line: l, total: n, remaining: n})
		}
	}
	o.parts = append(o.parts, p)
	return p
}

// send ships a quantity of a line, from whichever parts it is in, or takes it out of what is to ship if p is nil.
func (o *order) send(p *parcel, l *line, n int64) {
	for _, part := range o.parts {
		for _, pl := range part.lines {
			if took := min(n, pl.remaining); pl.line == l && took > 0 {
				pl.remaining, n = pl.remaining-took, n-took
				if p != nil {
					p.lines[l.id] += took
				} else {
					pl.total -= took
				}
			}
		}
		part.end()
	}
}

// end closes a part of which nothing is left.
func (p *part) end() {
	if !slices.ContainsFunc(p.lines, func(l *partLine) bool { return l.remaining > 0 }) {
		p.status = "CLOSED"
	}
}

// Hold takes a quantity of an order's first line into a part of its own that is on hold, before the others.
func (s *Shop) Hold(id string, quantity int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.known(id)
	o.send(nil, o.lines[0], quantity)
	s.addPart(o, map[string]int64{o.lines[0].id: quantity}).status = "ON_HOLD"
	slices.Reverse(o.parts)
}

// Release ends all holds of an order.
func (s *Shop) Release(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.known(id).parts {
		if p.status == "ON_HOLD" {
			p.status = "OPEN"
		}
	}
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

// Place places an order as a buyer does; it returns the order's id. Shipping is 5.00, tax a fifth of goods and shipping.
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

// Change changes an order as a person in the shop's admin does: paid, shipped, unshipped (its parcels are cancelled), edited (a piece more
// of the first line), reduced (a piece of it less, whose price is given back), cancelled, refunded (a piece of the first line, one that has not
// left if there is one) or returned (all of it).
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
	case "returned":
		o.financial = "REFUNDED"
		var lines []object
		for _, l := range o.lines {
			lines = append(lines, refundLine(l, l.current))
			o.send(nil, l, l.current)
			l.current = 0
		}
		o.refunds = append(o.refunds, s.refund(o.total(), lines...))
	}
}

// Pack ships a quantity of an order's first line, as a person in the shop's admin does.
func (s *Shop) Pack(id string, quantity int64, number string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.known(id)
	o.updated = s.Now().UTC()
	p := &parcel{id: s.gid("Fulfillment"), number: number, created: o.updated, lines: map[string]int64{}}
	o.send(p, o.lines[0], quantity)
	o.parcels = append(o.parcels, p)
	s.notify("ORDERS_UPDATED", o)
}

func (s *Shop) refund(cents int64, lines ...object) object {
	return object{"id": s.gid("Refund"), "createdAt": s.Now().UTC().Format(time.RFC3339), "note": "torn", "totalRefundedSet": euros(cents),
		"refundLineItems": object{"nodes": lines}}
}

func refundLine(l *line, quantity int64) object {
	return object{"quantity": quantity, "lineItem": object{"id": l.id}, "subtotalSet": euros(l.cents * quantity), "totalTaxSet": euros(0)}
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

// Total is what an order costs: as it was ordered, or as it was edited.
func (s *Shop) Total(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.known(id)
	_, total := o.amounts(ordered)
	if len(o.refunds) == 0 {
		_, total = o.amounts(now)
	}
	return fmt.Sprintf("%d.%02d", total/100, total%100)
}

// Order is what became of an order: parcels with their numbers, whether it is delivered or cancelled.
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

func euros(cents int64) object {
	return object{"shopMoney": object{"amount": fmt.Sprintf("%d.%02d", cents/100, cents%100)}}
}

// show is an order as the shop gives it, with at most so many lines, parcels and refunds.
func (o *order) show(most, few int) object {
	var shipped, current int64
	nodes := []object{}
	for _, l := range o.lines {
		shipped, current = shipped+o.shipped(l), current+l.current
		nodes = append(nodes, object{"id": l.id, "sku": l.sku, "name": l.name, "quantity": l.quantity, "currentQuantity": l.current,
			"originalTotalSet": euros(l.cents * l.quantity), "originalUnitPriceSet": euros(l.cents),
			"taxLines":         []object{{"priceSet": euros(l.cents * l.quantity / 5)}},
			"customAttributes": []object{{"key": "_app", "value": "1"}, {"key": "Engraving", "value": l.engraving}}})
	}
	state := "UNFULFILLED"
	if shipped > 0 {
		state = "PARTIALLY_FULFILLED"
	}
	if shipped > 0 && shipped >= current {
		state = "FULFILLED"
	}
	parcels := []object{}
	for _, p := range o.parcels {
		lines := []object{}
		for id, n := range p.lines {
			lines = append(lines, object{"quantity": n, "lineItem": object{"id": id}})
		}
		lines = lines[:min(most, len(lines))]
		status := "SUCCESS"
		if p.cancelled {
			status = "CANCELLED"
		}
		parcels = append(parcels, object{"id": p.id, "status": status, "displayStatus": p.display, "createdAt": p.created.Format(time.RFC3339),
			"trackingInfo": p.tracking(), "fulfillmentLineItems": object{"nodes": lines}})
	}
	tax, total := o.amounts(ordered)
	taxNow, totalNow := o.amounts(now)
	place := object{"name": "Ada Lovelace", "address1": "1 rue de la Paix", "city": "Paris", "zip": "75002", "countryCodeV2": "FR",
		"phone": "+33 1"}
	more := object{"hasNextPage": len(nodes) > most, "endCursor": strconv.Itoa(most)}
	out := object{"id": o.id, "name": o.name, "createdAt": o.created.Format(time.RFC3339), "updatedAt": o.updated.Format(time.RFC3339),
		"cancelledAt": nil, "test": o.test,
		"displayFinancialStatus": o.financial, "displayFulfillmentStatus": state, "returnStatus": "NO_RETURN", "email": o.email,
		"currencyCode": "EUR",
		"customer":     object{"firstName": "Ada", "lastName": "Lovelace"}, "shippingAddress": place, "billingAddress": place,
		"shippingLines":         object{"nodes": []object{{"title": "Express & safe", "taxLines": []object{}}}},
		"totalShippingPriceSet": euros(500), "totalTaxSet": euros(tax), "totalPriceSet": euros(total),
		"currentTotalPriceSet": euros(totalNow), "currentTotalTaxSet": euros(taxNow), "totalTipReceivedSet": euros(o.tip),
		"lineItems": object{"pageInfo": more, "nodes": nodes[:min(most, len(nodes))]}, "fulfillments": parcels[:min(few, len(parcels))],
		"refunds": o.refunds[:min(few, len(o.refunds))]}
	if o.cancelled != nil {
		out["cancelledAt"] = o.cancelled.Format(time.RFC3339)
	}
	return out
}

// tracking are the numbers of a parcel: a merchant enters several with "+" between them.
func (p *parcel) tracking() (list []object) {
	for _, number := range strings.Split(p.number, "+") {
		list = append(list, object{"company": "DHL", "number": number})
	}
	return list
}

// list answers a page of orders.
func (s *Shop) list(raw json.RawMessage) (object, string) {
	var in struct {
		sized
		After *string
		Query string
	}
	_ = json.Unmarshal(raw, &in)
	if s.costs(in.sized) {
		return nil, "MAX_COST_EXCEEDED"
	}
	from, to := time.Time{}, s.Now()
	for _, part := range strings.Split(in.Query, " AND ") {
		if at, ok := strings.CutPrefix(part, "updated_at:>="); ok {
			from, _ = time.Parse(time.RFC3339, strings.Trim(at, "'"))
		}
		if at, ok := strings.CutPrefix(part, "updated_at:<="); ok {
			to, _ = time.Parse(time.RFC3339, strings.Trim(at, "'"))
		}
	}
	start := 0
	if in.After != nil {
		start, _ = strconv.Atoi(*in.After)
	}
	nodes, end, more := []object{}, start, false
	for i := start; i < len(s.orders); i++ {
		o := s.orders[i]
		if o.updated.Before(from) || o.updated.After(to) {
			continue
		}
		if len(nodes) == in.First {
			more = true
			break
		}
		nodes, end = append(nodes, o.show(in.Lines, in.Few)), i+1
	}
	return object{"orders": object{"pageInfo": object{"hasNextPage": more, "endCursor": strconv.Itoa(end)}, "nodes": nodes}}, ""
}

// sized are the bounds that a query for orders names.
type sized struct{ First, Lines, Few int }

// costs reports whether a query for several orders asks for too much.
func (s *Shop) costs(in sized) bool {
	return s.Faults.DearOrders > 0 && in.First*in.Lines > s.Faults.DearOrders || in.First > 250
}

// byID answers orders by their ids.
func (s *Shop) byID(raw json.RawMessage) (object, string) {
	return s.named(raw, func(o *order, in sized) object { return o.show(in.Lines, in.Few) })
}

// shippingOfMany answers what is left to ship of orders by their ids.
func (s *Shop) shippingOfMany(raw json.RawMessage) (object, string) {
	return s.named(raw, (*order).shipping)
}

// named answers something of each order that is named; null for one that is none.
func (s *Shop) named(raw json.RawMessage, of func(*order, sized) object) (object, string) {
	var in struct {
		sized
		IDs []string
	}
	_ = json.Unmarshal(raw, &in)
	if in.First = len(in.IDs); s.costs(in.sized) {
		return nil, "MAX_COST_EXCEEDED"
	}
	nodes := []any{}
	for _, id := range in.IDs {
		if o := s.known(id); o != nil {
			nodes = append(nodes, of(o, in.sized))
		} else {
			nodes = append(nodes, nil)
		}
	}
	return object{"nodes": nodes}, ""
}

func (s *Shop) order(raw json.RawMessage) (object, string) {
	var in struct {
		sized
		ID string
	}
	_ = json.Unmarshal(raw, &in)
	if s.Faults.DearLines > 0 && in.Lines > s.Faults.DearLines {
		return nil, "MAX_COST_EXCEEDED"
	}
	o := s.known(in.ID)
	if o == nil {
		return object{"order": nil}, ""
	}
	return object{"order": o.show(in.Lines, in.Few)}, ""
}

func (s *Shop) moreLines(raw json.RawMessage) (object, string) {
	var in struct{ ID, After string }
	_ = json.Unmarshal(raw, &in)
	from, _ := strconv.Atoi(in.After)
	all := s.known(in.ID).show(1<<20, 1<<20)["lineItems"].(object)["nodes"].([]object)
	return object{"order": object{"lineItems": object{"pageInfo": object{"hasNextPage": false}, "nodes": all[from:]}}}, ""
}

func (s *Shop) shipping(raw json.RawMessage) (object, string) {
	var in struct {
		sized
		ID string
	}
	_ = json.Unmarshal(raw, &in)
	o := s.known(in.ID)
	if o == nil {
		return object{"order": nil}, ""
	}
	return object{"order": o.shipping(in.sized)}, ""
}

// moreParts answers the lines of a part behind the first ones.
func (s *Shop) moreParts(raw json.RawMessage) (object, string) {
	var in struct{ ID, After string }
	_ = json.Unmarshal(raw, &in)
	from, _ := strconv.Atoi(in.After)
	o, _ := s.part(in.ID)
	for _, p := range o.shipping(sized{Lines: 1 << 20, Few: 1 << 20})["fulfillmentOrders"].(object)["nodes"].([]object) {
		if p["id"] == in.ID {
			all := p["lineItems"].(object)["nodes"].([]object)
			return object{"fulfillmentOrder": object{"lineItems": object{"pageInfo": object{"hasNextPage": false}, "nodes": all[from:]}}}, ""
		}
	}
	return object{"fulfillmentOrder": nil}, ""
}

// shipping is what is left to ship, with at most so many lines and parcels.
func (o *order) shipping(in sized) object {
	out := o.show(in.Lines, in.Few)
	nodes := []object{}
	for _, p := range o.parts {
		lines := []object{}
		for _, l := range p.lines {
			lines = append(lines, object{"id": l.id, "totalQuantity": l.total, "remainingQuantity": l.remaining,
				"lineItem": object{"id": l.line.id}})
		}
		nodes = append(nodes, object{"id": p.id, "status": p.status, "lineItems": object{"nodes": lines[:min(in.Lines, len(lines))],
			"pageInfo": object{"hasNextPage": len(lines) > in.Lines, "endCursor": strconv.Itoa(in.Lines)}}})
	}
	out["fulfillmentOrders"] = object{"nodes": nodes[:min(in.Few, len(nodes))]}
	return out
}

func (s *Shop) ship(raw json.RawMessage) (object, string) {
	var in struct {
		Fulfillment struct {
			TrackingInfo                struct{ Number string }
			LineItemsByFulfillmentOrder []struct {
				FulfillmentOrderID        string
				FulfillmentOrderLineItems []struct {
					ID       string
					Quantity int64
				}
			}
		}
	}
	_ = json.Unmarshal(raw, &in)
	refuse := func(message string) (object, string) {
		return object{"fulfillmentCreate": object{"userErrors": refused("fulfillment", message, "")}}, ""
	}
	for _, wanted := range in.Fulfillment.LineItemsByFulfillmentOrder {
		o, from := s.part(wanted.FulfillmentOrderID)
		if from == nil {
			return refuse("Fulfillment order does not exist.")
		}
		if from.status != "OPEN" {
			return refuse("Fulfillment order has an unfulfillable status= " + strings.ToLower(from.status) + ".")
		}
		p := &parcel{id: s.gid("Fulfillment"), number: in.Fulfillment.TrackingInfo.Number, lines: map[string]int64{}, created: s.Now().UTC()}
		for _, want := range wanted.FulfillmentOrderLineItems {
			for _, l := range from.lines {
				if l.id != want.ID {
					continue
				}
				if want.Quantity > l.remaining {
					return refuse("Invalid fulfillment order line item quantity requested.")
				}
				l.remaining -= want.Quantity
				p.lines[l.line.id] += want.Quantity
			}
		}
		from.end()
		o.parcels, o.updated = append(o.parcels, p), s.Now().UTC()
		s.notify("ORDERS_UPDATED", o)
	}
	return object{"fulfillmentCreate": object{"userErrors": []object{}}}, ""
}

// part finds a part of an order by its id.
func (s *Shop) part(id string) (*order, *part) {
	for _, o := range s.orders {
		for _, p := range o.parts {
			if p.id == id {
				return o, p
			}
		}
	}
	return nil, nil
}

func (s *Shop) delivered(raw json.RawMessage) (object, string) {
	var in struct {
		Event struct{ FulfillmentID, Status string }
	}
	_ = json.Unmarshal(raw, &in)
	for _, o := range s.orders {
		for _, p := range o.parcels {
			if p.id == in.Event.FulfillmentID {
				p.display, o.updated = in.Event.Status, s.Now().UTC()
			}
		}
	}
	return object{"fulfillmentEventCreate": object{"userErrors": []object{}}}, ""
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
