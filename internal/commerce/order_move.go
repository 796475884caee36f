package commerce

import (
	"errors"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// Move is the request of PATCH status.
type Move struct {
	To      orders.Status
	Draft   orders.ShipmentDraft // tracking for the shipment that SHIPPED creates
	Note    string
	Restock bool // with RETURNED: what was shipped is on hand again
	Source  orders.Source
}

// MoveOrder changes an order's status for a caller (interface §3.1, §4.1). SHIPPED ships all that remains. Errors:
// NotFound; those of Expected; Refused for a change outside the table.
func (s *Service) MoveOrder(tx *db.Tx, who accounts.Caller, order id.Order, expected Expected, move Move) (*orders.Order, error) {
	o, err := holdOrder(tx, order, expected)
	if err == nil {
		err = s.moveOrder(tx, who, o, move)
	}
	return o, err
}

// moveOrder is MoveOrder for a locked order.
func (s *Service) moveOrder(tx *db.Tx, who accounts.Caller, o *orders.Order, move Move) error {
	if err := o.Status.May(move.To); err != nil {
		return elsewhere(err, o, move)
	}
	before, why := copyOf(o), stock.Why{Cause: stock.Shipment, ReferenceType: "order", ReferenceID: string(o.ID), Actor: who.Actor()}
	var events []webhooks.Event
	var returned []stock.Change
	var received bool
	var err error
	switch move.To {
	case orders.Shipped:
		if shipment, ok := o.ShipRest(move.Draft, moment(tx, o)); ok {
			orders.InsertShipment(tx, o.ID, shipment)
			why.ReferenceType, why.ReferenceID = "shipment", string(shipment.ID)
			events = append(events, records.NewEvent(webhooks.OrderShipmentCreated, string(o.ID),
				func(w *apijson.Writer) { records.WriteShipmentCreatedData(w, o, shipment) }))
		}
	case orders.Returned:
		if move.Restock {
			if returned, received, err = restockAll(tx, who, o); err != nil {
				return err
			}
		}
	}
	o.Status = move.To
	if move.To != orders.Shipped {
		keepTracking(o, move.Draft)
	}
	o.Reserve()
	changes, err := holdStock(tx, before, o, why, false)
	if err != nil {
		return err
	}
	touch(tx, o)
	step(o, before.Status, move.Note, move.Source, who)
	pushToPlatform(tx, o, move.Source)
	events = append(events, orderMoved(o, before.Status)...)
	events = append(events, stockEvents(tx, changes, "shipment")...)
	if received {
		events = append(events, orderUpdated(o))
	}
	s.saveOrder(tx, before, o)
	webhooks.Record(tx, append(events, stockEvents(tx, returned, "return")...)...)
	return nil
}

// restockAll puts all that was shipped of an order on hand again. Returns that were requested are received by it, which received
// reports.
func restockAll(tx *db.Tx, who accounts.Caller, o *orders.Order) (changes []stock.Change, received bool, err error) {
	for _, r := range o.ReceiveReturns(tx, moment(tx, o)) {
		of, err := moveUnits(tx, who, o, r, 1)
		if err != nil {
			return nil, false, err
		}
		changes, received = append(changes, of...), true
	}
	rest, err := restock(tx, stillOut(o), who)
	return append(changes, rest...), received, err
}

// stillOut is the order with only those units counted as shipped that were received in no return.
func stillOut(o *orders.Order) *orders.Order {
	out := copyOf(o)
	for i := range out.Lines {
		out.Lines[i].Shipped -= o.Back(out.Lines[i].ID)
	}
	return out
}

// elsewhere adds to a refused move with tracking where that goes: a status move takes it only if it ships what
// remains.
func elsewhere(err error, o *orders.Order, move Move) error {
	var refused *apperr.Error
	tracked := move.Draft.Carrier != "" || move.Draft.TrackingNumber != "" || move.Draft.TrackingURL != ""
	if !tracked || move.To != o.Status && move.To != orders.PartiallyShipped || !errors.As(err, &refused) {
		return err
	}
	path := "/api/v1/orders/" + string(o.ID) + "/shipments"
	if n := len(o.Shipments); n > 0 {
		refused.Message += " (to change its tracking, PATCH " + path + "/" + string(o.Shipments[n-1].ID) + ")"
	} else {
		refused.Message += " (to ship with tracking, POST " + path + ")"
	}
	return refused
}

// keepTracking stores tracking that was sent with a status other than SHIPPED.
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
