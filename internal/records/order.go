package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/channels"
	"entrepot/internal/orders"
)

// WriteOrder writes the full order (interface §2.1).
func WriteOrder(w *apijson.Writer, name string, o *orders.Order) {
	w.Record("Order", name)
	writeOrderMembers(w, o)
	writeOrderLines(w, o, true)
	w.List("statusHistory")
	for _, e := range o.History {
		writeStatusEntry(w, e)
	}
	w.EndList()
	w.List("shipments")
	for _, s := range o.Shipments {
		WriteShipment(w, "", o, s)
	}
	w.EndList()
	writeRefunds(w, o)
	writeReturns(w, o)
	writeIssues(w, o)
	w.End()
}

// WriteOrderRow writes an order as lists show it (interface §2.1).
func WriteOrderRow(w *apijson.Writer, o *orders.Order) {
	w.Record("OrderListItem", "")
	writeOrderMembers(w, o)
	writeOrderLines(w, o, false)
	w.End()
}

// WriteOrderReceipt writes the answer to a creation (interface §2.2); shippingAddress is the one that was sent.
func WriteOrderReceipt(w *apijson.Writer, o *orders.Order, shippingAddress string) {
	w.Record("OrderReceipt", "data")
	apijson.ID(w, "id", o.ID)
	writeOrderReferences(w, o)
	apijson.Word(w, "status", o.Status)
	writeOrderTotal(w, o)
	writeOrderBuyer(w, o)
	w.RawObject("shippingAddress", shippingAddress)
	writeOrderBilling(w, o)
	w.Int("itemCount", int64(len(o.Lines)))
	w.Micros("createdAt", o.CreatedAt)
	w.End()
}

// writeStatusEntry writes one status change of an order (interface §2.1).
func writeStatusEntry(w *apijson.Writer, e orders.Entry) {
	w.Record("OrderStatusEntry", "")
	apijson.ID(w, "id", e.ID)
	w.TextOrNull("previousStatus", string(e.Previous))
	apijson.Word(w, "status", e.Status)
	w.TextOrNull("note", e.Note)
	apijson.Word(w, "source", e.Source)
	w.Text("actor", e.Actor)
	w.Micros("createdAt", e.At)
	w.End()
}

// writeOrderMembers writes the members that the full order and the row of a list share.
func writeOrderMembers(w *apijson.Writer, o *orders.Order) {
	apijson.ID(w, "id", o.ID)
	w.Text("orderNumber", orders.Number(o.Number))
	apijson.Word(w, "status", o.Status)
	writeOrderChannel(w, o)
	w.Record("OrderCustomer", "customer")
	w.Text("name", o.CustomerName)
	w.TextOrNull("email", o.CustomerEmail)
	w.TextOrNull("phone", o.CustomerPhone)
	w.End()
	apijson.IDOrNull(w, "customerId", o.Customer)
	writeOrderBuyer(w, o)
	writeOrderReferences(w, o)
	w.TextOrNull("externalNumber", o.ExternalNumber)
	apijson.IDOrNull(w, "reopens", o.Reopens)
	apijson.IDOrNull(w, "reopenedBy", o.ReopenedBy)
	w.RawObject("shippingAddress", o.ShippingAddress)
	writeOrderBilling(w, o)
	w.TextOrNull("notes", o.Notes)
	apijson.Texts(w, "tags", o.Tags)
	apijson.IDOrNull(w, "assignedTo", o.AssignedTo)
	w.Money("subtotal", o.Subtotal)
	w.Money("shippingCost", o.ShippingAmount)
	w.Money("tax", o.Tax())
	w.Money("total", o.Total)
	w.Text("currency", o.Currency)
	w.Money("shippingAmount", o.ShippingAmount)
	w.Money("discountAmount", o.DiscountAmount)
	w.MoneyOrNull("taxAmount", o.TaxAmount)
	w.MoneyOrNull("taxRate", o.TaxRate)
	w.Text("totalAmount", o.Total.Text(o.Currency))
	w.Money("refundedAmount", o.RefundedAmount)
	writeChannelSync(w, o)
	w.Int("itemCount", int64(len(o.Lines)))
	units := o.Units()
	w.Int("unitCount", units.Ordered)
	w.Int("shippedUnitCount", units.Shipped)
	writeOrderTracking(w, o)
	w.Micros("createdAt", o.CreatedAt)
	w.Micros("updatedAt", o.UpdatedAt)
}

func writeOrderLines(w *apijson.Writer, o *orders.Order, full bool) {
	kind := "OrderListLine"
	if full {
		kind = "OrderLine"
	}
	w.List("items")
	for i := range o.Lines {
		l := &o.Lines[i]
		w.Record(kind, "")
		writeLineProduct(w, l)
		w.Text("name", l.Name)
		w.Text("sku", l.SKU)
		w.TextOrNull("description", l.Description)
		w.RawObject("metadata", l.Metadata)
		w.Bool("fee", l.Fee)
		writeLineAmounts(w, l)
		if full {
			w.Int("shippedQuantity", l.Shipped)
		}
		w.End()
	}
	w.EndList()
}

// writeChannelSync writes whether the platform has the order's newest status; null for an order without a platform.
func writeChannelSync(w *apijson.Writer, o *orders.Order) {
	if o.Sync.State == "" {
		w.Null("channelSync")
		return
	}
	w.MayBeNull("channelSync")
	w.Record("OrderChannelSync", "channelSync")
	apijson.Word(w, "status", o.Sync.State)
	w.TextOrNull("error", o.Sync.Error)
	w.Int("attempts", o.Sync.Attempts)
	w.MicrosOrNull("updatedAt", o.Sync.UpdatedAt)
	w.End()
}

func writeRefunds(w *apijson.Writer, o *orders.Order) {
	w.List("refunds")
	for _, r := range o.Refunds {
		w.Record("OrderRefund", "")
		writeRefundMembers(w, r)
		w.End()
	}
	w.EndList()
}

func writeRefundMembers(w *apijson.Writer, r orders.Refund) {
	w.Text("id", r.ID)
	w.TextOrNull("externalId", r.ExternalID)
	w.Money("amount", r.Amount)
	w.TextOrNull("reason", r.Reason)
	w.List("items")
	for _, l := range r.Lines {
		w.Record("OrderRefundLine", "")
		apijson.ID(w, "orderItemId", l.Line)
		w.Int("quantity", l.Quantity)
		w.Money("amount", l.Amount)
		w.End()
	}
	w.EndList()
	w.Micros("createdAt", r.CreatedAt)
}

func writeIssues(w *apijson.Writer, o *orders.Order) {
	w.List("issues")
	for _, i := range o.OpenIssues() {
		w.Record("OrderIssue", "")
		apijson.Word(w, "code", i.Code)
		w.Text("message", i.Message)
		w.TextOrNull("path", i.Path)
		w.Micros("createdAt", i.CreatedAt)
		w.End()
	}
	w.EndList()
}

// WriteOrderState writes the id and present status of an order.
func WriteOrderState(w *apijson.Writer, o *orders.Order) {
	apijson.ID(w, "orderId", o.ID)
	apijson.Word(w, "orderStatus", o.Status)
}

// WriteOrderReceivedData is the data of order.received.
func WriteOrderReceivedData(w *apijson.Writer, o *orders.Order) {
	w.Record("OrderReceivedData", "")
	writeOrderStatus(w, o, "")
	w.Text("orderNumber", orders.Number(o.Number))
	apijson.IDOrNull(w, "reopens", o.Reopens)
	writeOrderChannel(w, o)
	w.Text("customerName", o.CustomerName)
	w.Int("itemCount", int64(len(o.Lines)))
	w.List("items")
	for i := range o.Lines {
		l := &o.Lines[i]
		w.Record("OrderReceivedLine", "")
		writeLineProduct(w, l)
		w.Text("sku", l.SKU)
		w.Text("name", l.Name)
		writeLineAmounts(w, l)
		w.End()
	}
	w.EndList()
	w.End()
}

// WriteOrderStatusData is the data that order.status_changed and the four granular order events share (interface §6.1).
func WriteOrderStatusData(w *apijson.Writer, o *orders.Order, previous orders.Status) {
	w.Record("OrderStatusData", "")
	writeOrderStatus(w, o, previous)
	w.End()
}

// WriteOrderUpdatedData is the data of order.updated. Its returns are there once the order has some.
func WriteOrderUpdatedData(w *apijson.Writer, o *orders.Order) {
	w.Record("OrderUpdatedData", "")
	apijson.ID(w, "id", o.ID)
	w.TextOrNull("externalId", o.ExternalID())
	apijson.Word(w, "status", o.Status)
	writeOrderTotal(w, o)
	w.List("items")
	for _, l := range o.Lines {
		w.Record("OrderUpdatedLine", "")
		w.Text("sku", l.SKU)
		w.Int("quantity", l.Quantity)
		w.Money("unitPrice", l.UnitPrice)
		w.End()
	}
	w.EndList()
	if len(o.Returns) > 0 {
		writeReturns(w, o)
	}
	w.End()
}

// writeOrderStatus writes the members that order.received and the events of a status change share.
func writeOrderStatus(w *apijson.Writer, o *orders.Order, previous orders.Status) {
	apijson.ID(w, "id", o.ID)
	w.TextOrNull("externalId", o.ExternalID())
	w.TextOrNull("previousStatus", string(previous))
	apijson.Word(w, "status", o.Status)
	apijson.IDOrNull(w, "customerId", o.Customer)
	w.TextOrNull("customerEmail", o.CustomerEmail)
	writeOrderTotal(w, o)
	writeOrderTracking(w, o)
	w.Micros("updatedAt", o.UpdatedAt)
}

// SampleOrder is the order in the examples of the description; it has one of everything.
func SampleOrder() *orders.Order {
	tax, rate, given := money.Amount(99800), money.Amount(200000), money.Amount(249500)
	line := orders.Line{ID: SampleID[id.Line](273), Product: SampleID[id.Product](274), Variant: SampleID[id.Variant](275),
		SKU: "TSHIRT-M", Name: "T-shirt - M", Description: "gift", Metadata: `{"gift":true}`, Quantity: 2, Shipped: 1, UnitPrice: 249500,
		Total: 499000, Warehouse: "MAIN"}
	at := int64(SampleTime)
	return &orders.Order{ID: SampleID[id.Order](276), Number: 1, Status: orders.PartiallyShipped,
		Channel: SampleID[id.Channel](277), ChannelName: "ERP", ChannelPlatform: channels.Custom, Customer: SampleID[id.Customer](278),
		CustomerName: "Ada Lovelace", CustomerEmail: "ada@example.com", CustomerPhone: "+33123456789",
		Given:    orders.Given{ExternalReference: "WEB-1001", PaymentMetadata: `{"provider":"card"}`, Notes: "leave at the door", Tags: []string{"gift"}},
		Currency: "EUR", ShippingAddress: `{"line1":"1 rue de la Paix","city":"Paris","postalCode":"75002","zip":"75002","country":"FR"}`,
		BillingAddress:  `{"line1":"1 rue de la Paix"}`,
		Totals:          orders.Totals{Subtotal: 499000, TaxAmount: &tax, TaxRate: &rate, Total: 598800},
		TrackingCarrier: "DHL", TrackingNumber: "JD0001", TrackingURL: "https://example.com/JD0001",
		Lines: []orders.Line{line}, CreatedAt: at, UpdatedAt: at,
		Reopens: SampleID[id.Order](291), ReopenedBy: SampleID[id.Order](292),
		ExternalNumber: "1001", RefundedAmount: 249500, AssignedTo: SampleID[id.User](294),
		Sync: orders.Sync{State: orders.SyncFailed, Error: "the shop answered 503", Attempts: 2, UpdatedAt: at},
		Refunds: []orders.Refund{{ID: SampleID[string](290), ExternalID: "731", Amount: 249500, Reason: "torn", CreatedAt: at,
			Lines: []orders.RefundLine{{Line: line.ID, Quantity: 1, Amount: 249500}}}},
		Returns: []orders.Return{{ID: SampleID[id.Return](293), ExternalID: "731", Status: orders.ReturnRefunded, Reason: "torn", Notes: "in its box",
			RefundAmount: &given, Refund: SampleID[string](290), CreatedAt: at, UpdatedAt: at,
			Lines: []orders.ReturnLine{{Line: line.ID, Quantity: 1, Restock: true}}}},
		Issues: []orders.Issue{{Code: orders.UnknownSKU, Path: "items[0].sku", Message: "no product has the SKU TSHIRT-M", CreatedAt: at}},
		History: []orders.Entry{{ID: SampleID[id.History](279), Previous: orders.Processing, Status: orders.PartiallyShipped,
			Note:   "first parcel",
			Source: orders.FromShipment, Actor: "key:" + SampleID[string](280), At: at}},
		Shipments: []orders.Shipment{{ID: SampleID[id.Shipment](281), Carrier: "DHL", TrackingNumber: "JD0001",
			TrackingURL: "https://example.com/JD0001",
			ShippedAt:   at, Notes: "box 1", CreatedAt: at, Lines: []orders.ShipmentLine{{ID: SampleID[string](282), Line: line.ID, Quantity: 1}}}}}
}
