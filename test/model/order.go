package model

import "slices"

// Amounts are in 1/10,000 of the unit, as exact as the interface allows (interface §2.0).
const unit = 10_000

// Line is one line of a modelled order.
type Line struct {
	ID                string
	SKU               string
	Quantity, Shipped int64
	Refunded          int64 // units that were refunded before they were shipped, and will not be
	Named             int64 // units that refunds name
	Price             int64
}

// Remaining is what is still to ship.
func (l Line) Remaining() int64 { return l.Quantity - l.Shipped - l.Refunded }

// Return is units that come back: line id → quantity.
type Return struct {
	ID, Status string
	Restock    bool
	Holds      map[string]int64
}

func (r *Return) back() bool { return r.Status == "received" || r.Status == "refunded" }

// Parcel is one shipment: line position → quantity.
type Parcel struct {
	ID     string
	Number string
	Holds  map[string]int64 // line id → quantity
}

// Order is the model of an order.
type Order struct {
	ID                 string
	Status             string
	Customer           int // which of the client's customers; -1 for none
	Lines              []Line
	Parcels            []Parcel
	Returns            []Return
	Tags               []string
	Paid               int64 // what was refunded
	Refunds            int
	Shipping, Discount int64
	Tax, Rate          *int64 // amount; percent in 1/10,000
	EverShipped        bool
	Events             map[string]int
	Moves              int // history entries
}

// Outcome is how a request must end: a status, and the events it writes about the order.
type Outcome struct {
	Status int
	Events []string
}

// moves are the status changes that PATCH allows (interface §3.1).
var moves = map[string][]string{
	"PENDING": {"PROCESSING", "CANCELLED"}, "PROCESSING": {"SHIPPED", "CANCELLED"}, "PARTIALLY_SHIPPED": {"SHIPPED", "CANCELLED"},
	"SHIPPED": {"DELIVERED", "RETURNED"}, "DELIVERED": {"RETURNED"},
}

// Stock is on-hand and reserved of one SKU.
type Stock struct{ OnHand, Reserved int64 }

// Levels is the stock of the SKUs a client knows.
type Levels map[string]*Stock

// round is half away from zero to whole cents.
func round(amount int64) int64 {
	cents := (amount + unit/200) / (unit / 100)
	return cents * (unit / 100)
}

// LineTotal is quantity × price, rounded.
func (l Line) LineTotal() int64 { return round(l.Quantity * l.Price) }

// Subtotal is the sum of the lines.
func (o *Order) Subtotal() (sum int64) {
	for _, l := range o.Lines {
		sum += l.LineTotal()
	}
	return sum
}

// Total is subtotal − discount + shipping + tax.
func (o *Order) Total() int64 {
	total := o.Subtotal() - o.Discount + o.Shipping
	if o.Tax != nil {
		total += *o.Tax
	}
	return total
}

// Tag adds a tag at the end, and removes another one: POST bulk-tag. Only a change has an event.
func (o *Order) Tag(add, remove string) Outcome {
	before := slices.Clone(o.Tags)
	if !slices.Contains(o.Tags, add) {
		o.Tags = append(o.Tags, add)
	}
	if o.Tags = slices.DeleteFunc(o.Tags, func(tag string) bool { return tag == remove }); slices.Equal(o.Tags, before) {
		return Outcome{Status: 200}
	}
	return Outcome{200, []string{"order.updated"}}
}

// Retax computes the tax from the rate; no rate, no tax.
func (o *Order) Retax() {
	o.Tax = nil
	if o.Rate != nil {
		// (amount in 1/10,000) × (percent in 1/10,000) / 100, rounded to cents
		product := (o.Subtotal() - o.Discount) * *o.Rate
		cents := (product + 100*unit*unit/200) / (100 * unit * (unit / 100))
		tax := cents * (unit / 100)
		o.Tax = &tax
	}
}

// Create takes a new order's quantities from the levels.
func (o *Order) Create(levels Levels) Outcome {
	o.Moves = 1
	for i := range o.Lines {
		line := &o.Lines[i]
		switch o.Status {
		case "SHIPPED", "DELIVERED":
			line.Shipped = line.Quantity
			levels[line.SKU].OnHand -= line.Quantity
		case "CANCELLED":
		default:
			levels[line.SKU].Reserved += line.Quantity
		}
	}
	return Outcome{201, []string{"order.received"}}
}

// Move models PATCH status.
func (o *Order) Move(to string, restock bool, levels Levels) Outcome {
	allowed := false
	for _, next := range moves[o.Status] {
		allowed = allowed || next == to
	}
	if !allowed {
		return Outcome{Status: 422}
	}
	o.Moves++
	events, received := []string{"order.status_changed"}, false
	switch to {
	case "SHIPPED":
		parcel := Parcel{Holds: map[string]int64{}}
		for i := range o.Lines {
			line := &o.Lines[i]
			if rest := line.Remaining(); rest > 0 {
				parcel.Holds[line.ID] = rest
				levels.take(line.SKU, rest)
				line.Shipped += rest
			}
		}
		if len(parcel.Holds) > 0 {
			o.Parcels = append(o.Parcels, parcel)
			events = append(events, "order.shipment_created")
		}
		if !o.EverShipped {
			events = append(events, "order.shipped")
			o.EverShipped = true
		}
	case "CANCELLED":
		for _, line := range o.Lines {
			levels[line.SKU].Reserved -= line.Remaining()
		}
		events = append(events, "order.cancelled")
	case "RETURNED":
		if restock {
			for _, line := range o.Lines {
				levels[line.SKU].OnHand += line.Shipped - o.in(line.ID, (*Return).back)
			}
			for i := range o.Returns {
				if r := &o.Returns[i]; r.Status == "requested" {
					r.Status, r.Restock = "received", true
					if !received {
						events = append(events, "order.updated")
					}
					received = true
				}
			}
		}
		events = append(events, "order.returned")
	case "DELIVERED":
		events = append(events, "order.delivered")
	}
	o.Status = to
	return Outcome{200, events}
}

func (s Levels) take(sku string, quantity int64) {
	s[sku].OnHand -= quantity
	s[sku].Reserved -= quantity
}

// Ship models POST shipments of some quantities, by line id; a line may occur twice.
func (o *Order) Ship(asked map[string]int64, levels Levels) Outcome {
	switch o.Status {
	case "CANCELLED", "RETURNED", "DELIVERED":
		return Outcome{Status: 409}
	case "PENDING":
		return Outcome{Status: 422}
	}
	for _, line := range o.Lines {
		if asked[line.ID] > line.Remaining() {
			return Outcome{Status: 400}
		}
	}
	remains := int64(0)
	for i := range o.Lines {
		line := &o.Lines[i]
		levels.take(line.SKU, asked[line.ID])
		line.Shipped += asked[line.ID]
		remains += line.Remaining()
	}
	o.Parcels = append(o.Parcels, Parcel{Holds: asked})
	events := []string{"order.shipment_created"}
	next := "PARTIALLY_SHIPPED"
	if remains == 0 {
		next = "SHIPPED"
	}
	if next != o.Status {
		events = append(events, "order.status_changed")
		o.Moves++
	}
	if next == "SHIPPED" && !o.EverShipped {
		events = append(events, "order.shipped")
		o.EverShipped = true
	}
	o.Status = next
	return Outcome{201, events}
}

// Unship models DELETE of the parcel at a position.
func (o *Order) Unship(at int, levels Levels) Outcome {
	switch o.Status {
	case "CANCELLED", "RETURNED", "DELIVERED":
		return Outcome{Status: 409}
	}
	for _, line := range o.Lines {
		if line.Shipped-o.Parcels[at].Holds[line.ID] < o.in(line.ID, (*Return).counts) {
			return Outcome{Status: 409}
		}
	}
	for i := range o.Lines {
		line := &o.Lines[i]
		back := o.Parcels[at].Holds[line.ID]
		line.Shipped -= back
		levels[line.SKU].OnHand += back
		levels[line.SKU].Reserved += back
	}
	o.Parcels = append(o.Parcels[:at:at], o.Parcels[at+1:]...)
	next := "PARTIALLY_SHIPPED"
	if len(o.Parcels) == 0 {
		next = "PROCESSING"
	}
	var events []string
	if next != o.Status {
		events = append(events, "order.status_changed")
		o.Moves++
	}
	o.Status = next
	return Outcome{200, events}
}

// Edit models PUT items with new lines (ids of kept lines set) and amounts.
func (o *Order) Edit(lines []Line, shipping, discount int64, levels Levels) Outcome {
	if o.Status != "PENDING" && o.Status != "PROCESSING" || len(o.Parcels) > 0 || len(o.Returns) > 0 || o.Refunds > 0 {
		return Outcome{Status: 409}
	}
	edited := *o
	edited.Lines, edited.Shipping, edited.Discount = lines, shipping, discount
	if discount > edited.Subtotal() {
		return Outcome{Status: 400}
	}
	for _, line := range o.Lines {
		levels[line.SKU].Reserved -= line.Quantity
	}
	for _, line := range lines {
		levels[line.SKU].Reserved += line.Quantity
	}
	edited.Retax()
	*o = edited
	return Outcome{200, []string{"order.updated"}}
}
