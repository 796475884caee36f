package orders

import (
	"fmt"
	"slices"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
)

// ShipmentDraft is a caller's input for a shipment (interface §2.4).
type ShipmentDraft struct {
	Carrier        string
	TrackingNumber string
	TrackingURL    string
	ShippedAt      int64 // 0: now
	Notes          string
	ExternalID     string // the platform's id, for a parcel packed there
	Source         Source // of the status change that it causes; "" is FromShipment
	Lines          []DraftLine
}

// DraftLine is an order line and its quantity in the parcel.
type DraftLine struct {
	Line     id.Line
	Quantity int64
}

// Ship adds a shipment of the drafted lines and updates the status (interface §3.1). Errors: Conflict when cancelled,
// returned or delivered; Refused when pending; Invalid for unknown lines and for more than remains. Quantities of a
// line named twice are added.
func (o *Order) Ship(draft ShipmentDraft, now int64) (Shipment, error) {
	switch o.Status {
	case Cancelled, Returned, Delivered:
		return Shipment{}, apperr.New(apperr.Conflict, "order_not_shippable", "a %s order cannot be shipped", o.Status).With("orderId", o.ID)
	case Pending:
		return Shipment{}, refusedMove(Pending, o.wouldBecome(draft))
	}
	wanted, err := o.wanted(draft)
	if err != nil {
		return Shipment{}, err
	}
	return o.add(draft, wanted, now), nil
}

// ShipRest ships all that remains, with the draft's tracking; if nothing remains, no shipment is created (ok false).
func (o *Order) ShipRest(draft ShipmentDraft, now int64) (shipment Shipment, ok bool) {
	wanted := make([]int64, len(o.Lines))
	for i, l := range o.Lines {
		wanted[i] = l.Remaining()
		ok = ok || wanted[i] > 0
	}
	if !ok {
		return Shipment{}, false
	}
	shipment = o.add(draft, wanted, now)
	shipment.Automatic = true
	o.Shipments[len(o.Shipments)-1].Automatic = true
	return shipment, true
}

// HasParcel reports whether the order has a shipment with a tracking number; "" is none.
func (o *Order) HasParcel(number string) bool {
	return number != "" && slices.ContainsFunc(o.Shipments, func(s Shipment) bool { return s.TrackingNumber == number })
}

// wanted sums the drafted quantities by order line. Errors: Invalid for an unknown line or more than remains.
func (o *Order) wanted(draft ShipmentDraft) ([]int64, error) {
	wanted := make([]int64, len(o.Lines))
	var details []apperr.Detail
	for i, d := range draft.Lines {
		at := o.index(d.Line)
		if at < 0 {
			details = append(details, apperr.Detail{Path: fmt.Sprintf("items[%d].orderItemId", i), Message: "the order has no such line"})
			continue
		}
		wanted[at] += d.Quantity
	}
	if len(details) > 0 {
		return nil, apperr.Validation(details)
	}
	for i, d := range draft.Lines {
		at := o.index(d.Line)
		if l := o.Lines[at]; wanted[at] > l.unshipped() {
			message := fmt.Sprintf("Cannot ship %d of %s only %d remaining", wanted[at], l.SKU, l.unshipped())
			details = append(details, apperr.Detail{Path: fmt.Sprintf("items[%d].quantity", i), Message: message})
			wanted[at] = 0 // report the line once
		}
	}
	if len(details) > 0 {
		return nil, &apperr.Error{Kind: apperr.Invalid, Code: "quantity_exceeds_remaining", Message: details[0].Message, Details: details}
	}
	return wanted, nil
}

func (o *Order) index(line id.Line) int {
	for i := range o.Lines {
		if o.Lines[i].ID == line {
			return i
		}
	}
	return -1
}

func (o *Order) wouldBecome(draft ShipmentDraft) Status {
	shipped := map[id.Line]int64{}
	for _, d := range draft.Lines {
		shipped[d.Line] += d.Quantity
	}
	for _, l := range o.Lines {
		if shipped[l.ID] < l.Remaining() {
			return PartiallyShipped
		}
	}
	return Shipped
}

func (o *Order) add(draft ShipmentDraft, wanted []int64, now int64) Shipment {
	s := Shipment{ID: id.New[id.Shipment](), Carrier: draft.Carrier, TrackingNumber: draft.TrackingNumber, TrackingURL: draft.TrackingURL,
		ShippedAt: draft.ShippedAt, Notes: draft.Notes, ExternalID: draft.ExternalID, CreatedAt: now}
	if s.ShippedAt == 0 {
		s.ShippedAt = now
	}
	for i := range o.Lines {
		if wanted[i] == 0 {
			continue
		}
		o.Lines[i].Shipped += wanted[i]
		s.Lines = append(s.Lines, ShipmentLine{ID: id.New[string](), Line: o.Lines[i].ID, Quantity: wanted[i]})
	}
	o.Shipments = append(o.Shipments, s)
	o.Status = o.byShipments()
	o.copyTracking(s)
	return s
}

// Unship deletes a shipment: the exact inverse of Ship (interface §3.1). Errors: NotFound; Conflict when cancelled,
// returned or delivered.
func (o *Order) Unship(shipment id.Shipment) (Shipment, error) {
	at := -1
	for i := range o.Shipments {
		if o.Shipments[i].ID == shipment {
			at = i
		}
	}
	if at < 0 {
		return Shipment{}, apperr.Missing("shipment")
	}
	switch o.Status {
	case Cancelled, Returned, Delivered:
		return Shipment{}, apperr.New(apperr.Conflict, "shipment_locked", "a shipment of a %s order cannot be deleted", o.Status).With("orderId",
			o.ID)
	}
	taken := o.Shipments[at]
	for _, l := range taken.Lines {
		if of := o.Line(l.Line); of.Shipped-l.Quantity < o.InReturns(l.Line) {
			return Shipment{}, apperr.New(apperr.Conflict, "shipment_locked", "a shipment of which something was returned cannot be deleted").
				With("orderId", o.ID)
		}
	}
	o.Shipments = append(o.Shipments[:at:at], o.Shipments[at+1:]...)
	for _, l := range taken.Lines {
		o.Lines[o.index(l.Line)].Shipped -= l.Quantity
	}
	o.Status = o.byShipments()
	o.TrackingCarrier, o.TrackingNumber, o.TrackingURL = "", "", ""
	if n := len(o.Shipments); n > 0 {
		o.copyTracking(o.Shipments[n-1])
	}
	return taken, nil
}

// byShipments returns the status that follows from the shipments.
func (o *Order) byShipments() Status {
	if len(o.Shipments) == 0 {
		return Processing
	}
	for _, l := range o.Lines {
		if l.Remaining() > 0 {
			return PartiallyShipped
		}
	}
	return Shipped
}

// copyTracking copies a shipment's carrier and tracking to the order: the last shipment wins.
func (o *Order) copyTracking(s Shipment) {
	o.TrackingCarrier, o.TrackingNumber, o.TrackingURL = s.Carrier, s.TrackingNumber, s.TrackingURL
}
