package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// UnshipOrder deletes a shipment of an order: the exact inverse of ShipOrder (interface §3.1, §4.1).
// Errors: NotFound; those of Expected and of orders.Order.Unship.
func (s *Service) UnshipOrder(tx *db.Tx, who accounts.Caller, order id.Order, expected Expected, shipment id.Shipment) (*orders.Order,
	error) {
	o, err := holdOrder(tx, order, expected)
	if err != nil {
		return nil, err
	}
	before := copyOf(o)
	deleted, err := o.Unship(shipment)
	if err != nil {
		return nil, err
	}
	o.Reserve()
	changes, err := holdStock(tx, before, o,
		stock.Why{Cause: stock.ShipmentDeleted, ReferenceType: "shipment", ReferenceID: string(shipment), Actor: who.Actor()}, false)
	if err != nil {
		return nil, err
	}
	orders.DeleteShipment(tx, o.ID, shipment)
	touch(tx, o)
	orders.RecordEdit(tx, o, sourceOf(who), who.Actor(), []orders.Change{
		{Field: "shipment", Shipment: shipment, Parcel: deletedParcel(o, deleted)}})
	pushToPlatform(tx, o, orders.FromShipment)
	var events []webhooks.Event
	if o.Status != before.Status {
		step(o, before.Status, "shipment deleted", orders.FromShipment, who)
		events = orderMoved(o, before.Status)
	}
	s.saveOrder(tx, before, o)
	webhooks.Record(tx, append(events, stockEvents(tx, changes, "shipment")...)...)
	return o, nil
}
