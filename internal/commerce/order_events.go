package commerce

import (
	"entrepot/internal/apijson"
	"entrepot/internal/db"
	"entrepot/internal/money"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// orderStatusData is the data that order.status_changed and the four granular order events share (interface §6.1).
func orderStatusData(w *apijson.Writer, o *orders.Order, previous orders.Status) {
	w.Record("OrderStatusData", "")
	writeOrderStatus(w, o, previous)
	w.End()
}

func writeOrderStatus(w *apijson.Writer, o *orders.Order, previous orders.Status) {
	apijson.ID(w, "id", o.ID)
	w.TextOrNull("externalId", o.ExternalID())
	w.TextOrNull("previousStatus", string(previous))
	apijson.Word(w, "status", o.Status)
	apijson.IDOrNull(w, "customerId", o.Customer)
	w.TextOrNull("customerEmail", o.CustomerEmail)
	w.Text("totalAmount", o.Total.Text(o.Currency))
	w.Text("currency", o.Currency)
	w.TextOrNull("trackingCarrier", o.TrackingCarrier)
	w.TextOrNull("trackingNumber", o.TrackingNumber)
	w.TextOrNull("trackingUrl", o.TrackingURL)
	w.Micros("updatedAt", o.UpdatedAt)
}

// orderReceivedData is the data of order.received.
func orderReceivedData(w *apijson.Writer, o *orders.Order) {
	w.Record("OrderReceivedData", "")
	writeOrderStatus(w, o, "")
	w.Text("orderNumber", orders.Number(o.Number))
	apijson.IDOrNull(w, "channelId", o.Channel)
	w.TextOrNull("channelName", o.ChannelName)
	w.TextOrNull("channelType", o.ChannelPlatform)
	w.Text("customerName", o.CustomerName)
	w.Int("itemCount", int64(len(o.Lines)))
	w.List("items")
	for _, l := range o.Lines {
		w.Record("OrderReceivedLine", "")
		apijson.ID(w, "id", l.ID)
		apijson.ID(w, "productId", l.Product)
		apijson.IDOrNull(w, "variantId", l.Variant)
		w.Text("sku", l.SKU)
		w.Text("name", l.Name)
		w.Int("quantity", l.Quantity)
		w.Money("unitPrice", l.UnitPrice)
		w.Money("lineTotal", l.Total)
		w.End()
	}
	w.EndList()
	w.End()
}

// orderUpdatedData is the data of order.updated.
func orderUpdatedData(w *apijson.Writer, o *orders.Order) {
	w.Record("OrderUpdatedData", "")
	apijson.ID(w, "id", o.ID)
	w.TextOrNull("externalId", o.ExternalID())
	apijson.Word(w, "status", o.Status)
	w.Text("totalAmount", o.Total.Text(o.Currency))
	w.Text("currency", o.Currency)
	w.List("items")
	for _, l := range o.Lines {
		w.Record("OrderUpdatedLine", "")
		w.Text("sku", l.SKU)
		w.Int("quantity", l.Quantity)
		w.Money("unitPrice", l.UnitPrice)
		w.End()
	}
	w.EndList()
	w.End()
}

// shipmentData is the data of order.shipment_created: the shipment with its lines and where its order stands.
func shipmentData(w *apijson.Writer, o *orders.Order, s orders.Shipment) {
	w.Record("ShipmentCreatedData", "")
	WriteShipment(w, o, s)
	w.TextOrNull("externalId", o.ExternalID())
	apijson.Word(w, "orderStatus", o.Status)
	w.End()
}

// WriteShipment writes a shipment's members (interface §2.4).
func WriteShipment(w *apijson.Writer, o *orders.Order, s orders.Shipment) {
	apijson.ID(w, "id", s.ID)
	apijson.ID(w, "orderId", o.ID)
	w.TextOrNull("carrier", s.Carrier)
	w.TextOrNull("trackingNumber", s.TrackingNumber)
	w.TextOrNull("trackingUrl", s.TrackingURL)
	w.Micros("shippedAt", s.ShippedAt)
	w.TextOrNull("notes", s.Notes)
	w.List("items")
	for _, sl := range s.Lines {
		w.Record("ShipmentLine", "")
		apijson.ID(w, "id", sl.ID)
		apijson.ID(w, "orderItemId", sl.Line)
		sku, name := "", ""
		if l := o.Line(sl.Line); l != nil {
			sku, name = l.SKU, l.Name
		}
		w.Text("sku", sku)
		w.Text("name", name)
		w.Int("quantity", sl.Quantity)
		w.End()
	}
	w.EndList()
	w.Micros("createdAt", s.CreatedAt)
	w.Bool("automatic", s.Automatic)
}

// orderMoved are the events of a status move: order.status_changed, and the granular one of the new status. order.shipped
// comes once in an order's life.
func orderMoved(o *orders.Order, previous orders.Status) []webhooks.Event {
	data := func(w *apijson.Writer) { orderStatusData(w, o, previous) }
	events := []webhooks.Event{webhooks.New(webhooks.OrderStatusChanged, string(o.ID), data)}
	granular := map[orders.Status]string{orders.Shipped: webhooks.OrderShipped, orders.Delivered: webhooks.OrderDelivered, orders.Cancelled: webhooks.OrderCancelled, orders.Returned: webhooks.OrderReturned}[o.Status]
	if granular == "" || granular == webhooks.OrderShipped && o.ShippedNotified {
		return events
	}
	o.ShippedNotified = o.ShippedNotified || granular == webhooks.OrderShipped
	return append(events, webhooks.Event{Name: granular, Resource: string(o.ID), Data: events[0].Data})
}

// StockEvents are the events of changed levels: stock.updated where on-hand moved, stock.low once per crossing.
func StockEvents(tx *db.Tx, changes []stock.Change, reason string) []webhooks.Event {
	var events []webhooks.Event
	for _, c := range changes {
		if c.OnHand != c.PreviousOnHand {
			events = append(events, webhooks.New(webhooks.StockUpdated, c.SKU, func(w *apijson.Writer) { stockUpdatedData(w, c, reason, tx.Micros()) }))
		}
		if c.FellLow {
			events = append(events, webhooks.New(webhooks.StockLow, c.SKU, func(w *apijson.Writer) { stockLowData(w, c.Level) }))
		}
	}
	return events
}

func stockUpdatedData(w *apijson.Writer, c stock.Change, reason string, at int64) {
	w.Record("StockUpdatedData", "")
	w.Text("reason", reason)
	w.Text("sku", c.SKU)
	apijson.ID(w, "productId", c.Product)
	apijson.IDOrNull(w, "variantId", c.Variant)
	w.Text("warehouseCode", c.Warehouse)
	w.Int("previousQuantity", c.PreviousOnHand)
	w.Int("quantity", c.OnHand)
	w.Int("reserved", c.Reserved)
	w.Int("available", c.Available())
	w.Micros("updatedAt", at)
	w.End()
}

func stockLowData(w *apijson.Writer, l stock.Level) {
	w.Record("StockLowData", "")
	w.Text("sku", l.SKU)
	apijson.ID(w, "productId", l.Product)
	apijson.IDOrNull(w, "variantId", l.Variant)
	w.Text("warehouseCode", l.Warehouse)
	w.Int("quantity", l.OnHand)
	w.Int("available", l.Available())
	w.IntOrNull("threshold", l.Threshold)
	w.End()
}

// spent is what an order counts in its customer's total.
func spent(o *orders.Order) money.Amount {
	if o.Status.Counted() {
		return o.Total
	}
	return 0
}
