package commerce

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// orderMoved are the events of a status change: order.status_changed, and the specific one of the new status.
// order.shipped is emitted once in an order's life.
func orderMoved(o *orders.Order, previous orders.Status) []webhooks.Event {
	data := records.EventData(func(w *apijson.Writer) { records.WriteOrderStatusData(w, o, previous) })
	events := []webhooks.Event{records.EventOf(webhooks.OrderStatusChanged, string(o.ID), data)}
	granular := map[orders.Status]string{orders.Shipped: webhooks.OrderShipped, orders.Delivered: webhooks.OrderDelivered,
		orders.Cancelled: webhooks.OrderCancelled, orders.Returned: webhooks.OrderReturned}[o.Status]
	if granular == "" || granular == webhooks.OrderShipped && o.ShippedNotified {
		return events
	}
	o.ShippedNotified = o.ShippedNotified || granular == webhooks.OrderShipped
	return append(events, records.EventOf(granular, string(o.ID), data))
}

// stockEvents are the events of changed levels: stock.updated if on-hand changed or the level returned, stock.low
// when a level becomes low.
func stockEvents(q db.Writer, changes []stock.Change, reason string) []webhooks.Event {
	var events []webhooks.Event
	for _, c := range changes {
		if c.OnHand != c.PreviousOnHand || c.Returned {
			events = append(events, records.NewEvent(webhooks.StockUpdated, c.SKU,
				func(w *apijson.Writer) { records.WriteStockUpdatedData(w, c, reason, q.Micros()) }))
		}
		if c.FellLow {
			events = append(events, records.NewEvent(webhooks.StockLow, c.SKU, func(w *apijson.Writer) { records.WriteStockLowData(w, c.Level) }))
		}
	}
	return events
}

// spent is what an order adds to its customer's total.
func spent(o *orders.Order) money.Amount {
	if o.Status.Counted() {
		return o.Total
	}
	return 0
}
