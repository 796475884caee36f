package commerce

import (
	"cmp"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// ShipOrder adds a shipment to an order and updates its status (interface §3.1, §4.1). Errors: NotFound; those of
// Expected and of orders.Order.Ship.
func (s *Service) ShipOrder(tx *db.Tx, who accounts.Caller, order id.Order, expected Expected, draft orders.ShipmentDraft) (
	o *orders.Order, shipment orders.Shipment, err error) {
	if o, err = holdOrder(tx, order, expected); err == nil {
		shipment, err = s.shipOrder(tx, who, o, draft)
	}
	return o, shipment, err
}

// shipOrder is ShipOrder for a locked order.
func (s *Service) shipOrder(tx *db.Tx, who accounts.Caller, o *orders.Order, draft orders.ShipmentDraft) (orders.Shipment, error) {
	before := copyOf(o)
	shipment, err := o.Ship(draft, moment(tx, o))
	if err != nil {
		return shipment, err
	}
	o.Reserve()
	changes, err := holdStock(tx, before, o,
		stock.Why{Cause: stock.Shipment, ReferenceType: "shipment", ReferenceID: string(shipment.ID), Actor: who.Actor()}, false)
	if err != nil {
		return shipment, err
	}
	orders.InsertShipment(tx, o.ID, shipment)
	touch(tx, o)
	pushToPlatform(tx, o, draft.Source)
	events := []webhooks.Event{records.NewEvent(webhooks.OrderShipmentCreated, string(o.ID),
		func(w *apijson.Writer) { records.WriteShipmentCreatedData(w, o, shipment) })}
	if o.Status != before.Status {
		step(o, before.Status, "", cmp.Or(draft.Source, orders.FromShipment), who)
		events = append(events, orderMoved(o, before.Status)...)
	}
	s.saveOrder(tx, before, o)
	webhooks.Record(tx, append(events, stockEvents(tx, changes, "shipment")...)...)
	return shipment, nil
}
