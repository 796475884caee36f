package commerce

import (
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/apijson"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/money"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// copyOf keeps how an order stood before an operation changes it.
func copyOf(o *orders.Order) *orders.Order {
	before := *o
	before.Lines = slices.Clone(o.Lines)
	return &before
}

// step notes a status move in the order's history.
func step(tx *db.Tx, o *orders.Order, previous orders.Status, note string, source orders.Source, who accounts.Caller) {
	o.History = append(o.History, orders.Entry{ID: id.New[id.History](), Previous: previous, Status: o.Status, Note: note, Source: source, Actor: who.Actor(), At: tx.Micros()})
}

// touch moves updatedAt on; it always grows, so that it can guard against another writer.
func touch(tx *db.Tx, o *orders.Order) { o.UpdatedAt = max(tx.Micros(), o.UpdatedAt+1) }

// Move is what a caller asks of PATCH status.
type Move struct {
	To      orders.Status
	Draft   orders.ShipmentDraft // tracking for the shipment a move to SHIPPED makes
	Note    string
	Restock bool // on RETURNED: what was shipped comes back on hand
	Source  orders.Source
}

// MoveOrder moves a locked order by a caller's wish (interface §3.1, §4.1). A move to SHIPPED ships all that remains.
// Errors: Refused for a move outside the table.
func (s *Service) MoveOrder(tx *db.Tx, who accounts.Caller, o *orders.Order, move Move) error {
	if err := o.Status.May(move.To); err != nil {
		return err
	}
	before, why := copyOf(o), stock.Why{Cause: stock.Shipment, ReferenceType: "order", ReferenceID: string(o.ID), Actor: who.Actor()}
	var events []webhooks.Event
	var returned []stock.Change
	var err error
	switch move.To {
	case orders.Shipped:
		if shipment, ok := o.ShipRest(move.Draft, tx.Micros()); ok {
			orders.InsertShipment(tx, o.ID, shipment)
			why.ReferenceType, why.ReferenceID = "shipment", string(shipment.ID)
			events = append(events, webhooks.New(webhooks.OrderShipmentCreated, string(o.ID), func(w *apijson.Writer) { records.WriteShipmentCreatedData(w, o, shipment) }))
		}
	case orders.Returned:
		if move.Restock {
			if returned, err = restock(tx, o, who); err != nil {
				return err
			}
		}
	}
	o.Status = move.To
	if move.To != orders.Shipped {
		keepTracking(o, move.Draft)
	}
	o.Reserve()
	changes, err := holdStock(tx, nil, before, o, why, false)
	if err != nil {
		return err
	}
	step(tx, o, before.Status, move.Note, move.Source, who)
	touch(tx, o)
	events = append(events, orderMoved(o, before.Status)...)
	events = append(events, StockEvents(tx, changes, "shipment")...)
	s.saveOrder(tx, before, o)
	webhooks.Record(tx, append(events, StockEvents(tx, returned, "return")...)...)
	return nil
}

// keepTracking puts tracking that came with another move than SHIPPED on the order.
func keepTracking(o *orders.Order, draft orders.ShipmentDraft) {
	if draft.TrackingNumber != "" {
		o.TrackingNumber = draft.TrackingNumber
	}
	if draft.TrackingURL != "" {
		o.TrackingURL = draft.TrackingURL
	}
	if draft.Carrier != "" {
		o.TrackingCarrier = draft.Carrier
	}
}

// restock puts what was shipped back on hand.
func restock(tx *db.Tx, o *orders.Order, who accounts.Caller) ([]stock.Change, error) {
	var shifts []stock.Shift
	for _, l := range o.Lines {
		if l.Shipped > 0 {
			shifts = append(shifts, stock.Shift{SKU: l.SKU, Warehouse: l.Warehouse, Product: l.Product, Variant: l.Variant, OnHand: l.Shipped})
		}
	}
	levels, err := stock.Choose(tx, shifts)
	if err != nil {
		return nil, err
	}
	return stock.Apply(tx, levels, shifts, stock.Why{Cause: stock.Return, ReferenceType: "order", ReferenceID: string(o.ID), Actor: who.Actor()}, false)
}

// saveOrder writes what an operation made of a locked order, and moves its customer's total by the difference.
func (s *Service) saveOrder(tx *db.Tx, before, o *orders.Order) {
	orders.Save(tx, before, o)
	customers.Spend(tx, o.Customer, 0, spent(o)-spent(before))
}

// ShipOrder adds a shipment to a locked order and moves it on (interface §3.1, §4.1).
// Errors: those of orders.Order.Ship.
func (s *Service) ShipOrder(tx *db.Tx, who accounts.Caller, o *orders.Order, draft orders.ShipmentDraft) (orders.Shipment, error) {
	before := copyOf(o)
	shipment, err := o.Ship(draft, tx.Micros())
	if err != nil {
		return shipment, err
	}
	o.Reserve()
	changes, err := holdStock(tx, nil, before, o, stock.Why{Cause: stock.Shipment, ReferenceType: "shipment", ReferenceID: string(shipment.ID), Actor: who.Actor()}, false)
	if err != nil {
		return shipment, err
	}
	orders.InsertShipment(tx, o.ID, shipment)
	touch(tx, o)
	events := []webhooks.Event{webhooks.New(webhooks.OrderShipmentCreated, string(o.ID), func(w *apijson.Writer) { records.WriteShipmentCreatedData(w, o, shipment) })}
	if o.Status != before.Status {
		step(tx, o, before.Status, "", orders.FromShipment, who)
		events = append(events, orderMoved(o, before.Status)...)
	}
	s.saveOrder(tx, before, o)
	webhooks.Record(tx, append(events, StockEvents(tx, changes, "shipment")...)...)
	return shipment, nil
}

// UnshipOrder deletes a shipment of a locked order: the exact inverse of ShipOrder (interface §3.1, §4.1).
// Errors: those of orders.Order.Unship.
func (s *Service) UnshipOrder(tx *db.Tx, who accounts.Caller, o *orders.Order, shipment id.Shipment) error {
	before := copyOf(o)
	if _, err := o.Unship(shipment); err != nil {
		return err
	}
	o.Reserve()
	changes, err := holdStock(tx, nil, before, o, stock.Why{Cause: stock.ShipmentDeleted, ReferenceType: "shipment", ReferenceID: string(shipment), Actor: who.Actor()}, false)
	if err != nil {
		return err
	}
	orders.DeleteShipment(tx, o.ID, shipment)
	touch(tx, o)
	var events []webhooks.Event
	if o.Status != before.Status {
		step(tx, o, before.Status, "shipment deleted", orders.FromShipment, who)
		events = orderMoved(o, before.Status)
	}
	s.saveOrder(tx, before, o)
	webhooks.Record(tx, append(events, StockEvents(tx, changes, "shipment")...)...)
	return nil
}

// Edit is what a caller asks of PUT items; nil amounts stay as they are.
type Edit struct {
	Lines          []orders.LineDraft
	ShippingAmount *money.Amount
	DiscountAmount *money.Amount
	TaxAmount      *money.Amount // nil: from the order's rate
}

// EditOrder replaces the lines of a locked order (interface §4.1). One that changes nothing writes nothing and reports nothing.
// Errors: Conflict when it can no longer be edited, or on too little stock where the channel rejects; Invalid for unknown
// lines, unknown SKUs and totals out of bounds.
func (s *Service) EditOrder(tx *db.Tx, who accounts.Caller, o *orders.Order, edit Edit) error {
	if err := o.Editable(); err != nil {
		return err
	}
	before := copyOf(o)
	if err := resolveNewLines(tx, o, edit.Lines); err != nil {
		return err
	}
	if err := o.Edit(edit.Lines); err != nil {
		return err
	}
	if edit.ShippingAmount != nil {
		o.ShippingAmount = *edit.ShippingAmount
	}
	if edit.DiscountAmount != nil {
		o.DiscountAmount = *edit.DiscountAmount
	}
	if err := o.Price(edit.TaxAmount); err != nil {
		return err
	}
	o.Reserve()
	if sameContent(before, o) {
		*o = *before
		return nil
	}
	reject := false
	if o.Channel != "" {
		channel, err := channels.ByRef(tx, o.Channel)
		if err != nil {
			return err
		}
		reject = channel.Oversell == "reject"
	}
	changes, err := holdStock(tx, nil, before, o, stock.Why{Cause: stock.Adjustment, ReferenceType: "order", ReferenceID: string(o.ID), Actor: who.Actor()}, reject)
	if err != nil {
		return err
	}
	touch(tx, o)
	s.saveOrder(tx, before, o)
	updated := webhooks.New(webhooks.OrderUpdated, string(o.ID), func(w *apijson.Writer) { records.WriteOrderUpdatedData(w, o) })
	webhooks.Record(tx, append([]webhooks.Event{updated}, StockEvents(tx, changes, "adjustment")...)...)
	return nil
}

// resolveNewLines finds what the drafted SKUs stand for. A line that keeps its SKU keeps its product, even one deleted since.
func resolveNewLines(tx *db.Tx, o *orders.Order, drafts []orders.LineDraft) error {
	var open []orders.LineDraft
	var at []int
	for i, d := range drafts {
		if l := o.Line(d.ID); l != nil && l.SKU == d.SKU {
			drafts[i].Product, drafts[i].Variant = l.Product, l.Variant
			continue
		}
		open, at = append(open, d), append(at, i)
	}
	if len(open) == 0 {
		return nil
	}
	if err := resolveLines(catalog.PrefetchResolve(tx, skusOf(open)), open, at); err != nil {
		return err
	}
	for k, i := range at {
		drafts[i] = open[k]
	}
	return nil
}

// sameContent reports whether two states of an order show the same lines and amounts.
func sameContent(a, b *orders.Order) bool {
	same := func(x, y *money.Amount) bool { return x == nil && y == nil || x != nil && y != nil && *x == *y }
	return slices.Equal(a.Lines, b.Lines) && a.Subtotal == b.Subtotal && a.ShippingAmount == b.ShippingAmount &&
		a.DiscountAmount == b.DiscountAmount && a.Total == b.Total && same(a.TaxAmount, b.TaxAmount)
}
