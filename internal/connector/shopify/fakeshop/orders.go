package fakeshop

import (
	"encoding/json"
	"fmt"
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
	part                       string // the fulfilment order's id
	discount, tip              int64
}

type line struct {
	id, part, sku, name string
	quantity, shipped   int64
	current             int64 // of the quantity, after edits and refunds
	cents               int64 // of one
	engraving           string
}

type parcel struct {
	id, display, number string
	lines               map[string]int64
	created             time.Time
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
	o := &order{id: s.gid("Order"), email: w.Email, discount: w.Discount, tip: w.Tip, financial: "PENDING",
		created: s.Now().UTC(), updated: s.Now().UTC(), part: s.gid("FulfillmentOrder")}
	o.name = "#" + strconv.Itoa(1000+len(s.orders))
	if paid {
		o.financial = "PAID"
	}
	for _, b := range lines {
		o.lines = append(o.lines, &line{id: s.gid("LineItem"), part: s.gid("FulfillmentOrderLineItem"), sku: b.SKU, name: "Article " + b.SKU,
			quantity: b.Quantity, current: b.Quantity, cents: b.Cents, engraving: b.Engraving})
		s.take(b.SKU, b.Quantity)
	}
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

// Change changes an order as a person in the shop's admin does: paid, shipped, edited (a piece more of the first line), cancelled, refunded
// (a piece of the first line) or returned (all of it).
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
			p.lines[l.id], l.shipped = l.current-l.shipped, l.current
		}
		o.parcels = append(o.parcels, p)
	case "edited":
		o.lines[0].current++
		s.take(o.lines[0].sku, 1)
	case "cancelled":
		s.cancelOrder(o)
	case "refunded":
		o.financial = "PARTIALLY_REFUNDED"
		o.lines[0].current--
		o.refunds = append(o.refunds, s.refund(o.lines[0].cents, refundLine(o.lines[0], 1)))
	case "returned":
		o.financial = "REFUNDED"
		var lines []object
		for _, l := range o.lines {
			lines = append(lines, refundLine(l, l.current))
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
	o.lines[0].shipped += quantity
	o.parcels = append(o.parcels, &parcel{id: s.gid("Fulfillment"), number: number, created: o.updated,
		lines: map[string]int64{o.lines[0].id: quantity}})
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
		s.take(l.sku, l.shipped-l.current)
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
		shipped, current = shipped+l.shipped, current+l.current
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
		parcels = append(parcels, object{"id": p.id, "status": "SUCCESS", "displayStatus": p.display, "createdAt": p.created.Format(time.RFC3339),
			"trackingInfo": p.tracking(), "fulfillmentLineItems": object{"nodes": lines}})
	}
	tax, total := o.amounts(ordered)
	taxNow, totalNow := o.amounts(now)
	place := object{"name": "Ada Lovelace", "address1": "1 rue de la Paix", "city": "Paris", "zip": "75002", "countryCodeV2": "FR",
		"phone": "+33 1"}
	more := object{"hasNextPage": len(nodes) > most, "endCursor": strconv.Itoa(most)}
	out := object{"id": o.id, "name": o.name, "createdAt": o.created.Format(time.RFC3339), "updatedAt": o.updated.Format(time.RFC3339),
		"cancelledAt":            nil,
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

// shipping is what is left to ship, with at most so many lines and parcels.
func (o *order) shipping(in sized) object {
	out := o.show(in.Lines, in.Few)
	lines := []object{}
	for _, l := range o.lines {
		lines = append(lines, object{"id": l.part, "totalQuantity": l.quantity, "remainingQuantity": max(0, l.current-l.shipped),
			"lineItem": object{"id": l.id}})
	}
	out["fulfillmentOrders"] = object{"nodes": []object{{"id": o.part, "status": "OPEN",
		"lineItems": object{"nodes": lines[:min(in.Lines, len(lines))]}}}}
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
	for _, part := range in.Fulfillment.LineItemsByFulfillmentOrder {
		for _, o := range s.orders {
			if o.part != part.FulfillmentOrderID {
				continue
			}
			if o.cancelled != nil {
				return object{"fulfillmentCreate": object{"userErrors": refused("fulfillment",
					"Fulfillment order has an unfulfillable status: closed.", "")}}, ""
			}
			p := &parcel{id: s.gid("Fulfillment"), number: in.Fulfillment.TrackingInfo.Number, lines: map[string]int64{}, created: s.Now().UTC()}
			for _, want := range part.FulfillmentOrderLineItems {
				for _, l := range o.lines {
					if l.part != want.ID {
						continue
					}
					if want.Quantity > l.current-l.shipped {
						return object{"fulfillmentCreate": object{"userErrors": refused("fulfillment",
							"Invalid fulfillment order line item quantity requested.", "")}}, ""
					}
					l.shipped += want.Quantity
					p.lines[l.id] += want.Quantity
				}
			}
			o.parcels, o.updated = append(o.parcels, p), s.Now().UTC()
			s.notify("ORDERS_UPDATED", o)
		}
	}
	return object{"fulfillmentCreate": object{"userErrors": []object{}}}, ""
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
