package fakeshop

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// part is what the shop calls a fulfilment order.
type part struct {
	id, status string
	location   string // from which it is shipped
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

// shipped returns how many of a line have left.
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
	p := &part{id: s.gid("FulfillmentOrder"), status: "OPEN", location: locationID(0)}
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

// Divide takes a quantity of an order's first line into a part of its own that another location ships.
func (s *Shop) Divide(id string, quantity int64, location string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.known(id)
	o.send(nil, o.lines[0], quantity)
	s.addPart(o, map[string]int64{o.lines[0].id: quantity}).location = location
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

// tracking returns the numbers of a parcel: a merchant enters several with "+" between them.
func (p *parcel) tracking() (list []object) {
	for _, number := range strings.Split(p.number, "+") {
		list = append(list, object{"company": "DHL", "number": number})
	}
	return list
}

// shippingOfMany answers what is left to ship of orders by their ids.
func (s *Shop) shippingOfMany(raw json.RawMessage) (object, string) {
	return s.named(raw, (*order).shipping)
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

// shipping returns what is left to ship, with at most so many lines and parcels.
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
	var of *order
	location := ""
	for _, wanted := range in.Fulfillment.LineItemsByFulfillmentOrder {
		o, from := s.part(wanted.FulfillmentOrderID)
		if from != nil && of != nil && (o != of || from.location != location) {
			return refuse("All fulfillment orders must belong to one order and be assigned to one location.")
		}
		if from != nil {
			of, location = o, from.location
		}
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
			known := false
			for _, l := range from.lines {
				if l.id != want.ID {
					continue
				}
				if known = true; want.Quantity > l.remaining {
					return refuse("Invalid fulfillment order line item quantity requested.")
				}
				l.remaining -= want.Quantity
				p.lines[l.line.id] += want.Quantity
			}
			if !known {
				return refuse("Fulfillment order line item does not exist.")
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

func (s *Shop) track(raw json.RawMessage) (object, string) {
	var in struct {
		ID       string
		Tracking struct{ Number string }
	}
	_ = json.Unmarshal(raw, &in)
	for _, o := range s.orders {
		for _, p := range o.parcels {
			if p.id == in.ID && !p.cancelled {
				p.number, o.updated = in.Tracking.Number, s.Now().UTC()
				s.notify("ORDERS_UPDATED", o)
				return object{"fulfillmentTrackingInfoUpdate": object{"userErrors": []object{}}}, ""
			}
		}
	}
	return object{"fulfillmentTrackingInfoUpdate": object{"userErrors": refused("fulfillmentId", "Fulfillment does not exist.", "")}}, ""
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
