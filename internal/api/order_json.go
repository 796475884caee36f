package api

import (
	"entrepot/internal/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/id"
	"entrepot/internal/money"
	"entrepot/internal/orders"
)

// writeReceipt writes the creation response (interface §2.2).
func writeReceipt(w *apijson.Writer, o *orders.Order, d commerce.OrderDraft) {
	w.Record("OrderReceipt", "data")
	apijson.ID(w, "id", o.ID)
	w.TextOrNull("externalId", o.ExternalID())
	w.TextOrNull("externalReference", o.ExternalReference)
	apijson.Word(w, "status", o.Status)
	w.Text("totalAmount", o.Total.Text(o.Currency))
	w.Text("currency", o.Currency)
	w.Text("customerName", o.CustomerName)
	w.TextOrNull("customerEmail", o.CustomerEmail)
	w.RawObject("shippingAddress", d.ShippingAddress)
	w.RawObject("billingAddress", o.BillingAddress)
	w.Raw("paymentMetadata", o.PaymentMetadata)
	w.Int("itemCount", int64(len(o.Lines)))
	w.Micros("createdAt", o.CreatedAt)
	w.End()
}

// writeOrderRow writes an order as lists show it (interface §2.1).
func writeOrderRow(w *apijson.Writer, o *orders.Order) {
	w.Record("OrderListItem", "")
	writeOrderMembers(w, o)
	writeLines(w, o, false)
	w.End()
}

// writeOrder writes the full order (interface §2.1).
func writeOrder(w *apijson.Writer, name string, o *orders.Order) {
	w.Record("Order", name)
	writeOrderMembers(w, o)
	writeLines(w, o, true)
	w.List("statusHistory")
	for _, e := range o.History {
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
	w.EndList()
	w.List("shipments")
	for _, s := range o.Shipments {
		w.Record("Shipment", "")
		commerce.WriteShipment(w, o, s)
		w.End()
	}
	w.EndList()
	w.End()
}

func writeOrderMembers(w *apijson.Writer, o *orders.Order) {
	apijson.ID(w, "id", o.ID)
	w.Text("orderNumber", orders.Number(o.Number))
	apijson.Word(w, "status", o.Status)
	apijson.IDOrNull(w, "channelId", o.Channel)
	w.TextOrNull("channelName", o.ChannelName)
	w.TextOrNull("channelType", o.ChannelPlatform)
	w.Record("OrderCustomer", "customer")
	w.Text("name", o.CustomerName)
	w.TextOrNull("email", o.CustomerEmail)
	w.TextOrNull("phone", o.CustomerPhone)
	w.End()
	apijson.IDOrNull(w, "customerId", o.Customer)
	w.Text("customerName", o.CustomerName)
	w.TextOrNull("customerEmail", o.CustomerEmail)
	w.TextOrNull("externalId", o.ExternalID())
	w.TextOrNull("externalReference", o.ExternalReference)
	w.RawObject("shippingAddress", o.ShippingAddress)
	w.RawObject("billingAddress", o.BillingAddress)
	w.Raw("paymentMetadata", o.PaymentMetadata)
	w.TextOrNull("notes", o.Notes)
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
	w.Int("itemCount", int64(len(o.Lines)))
	w.TextOrNull("trackingCarrier", o.TrackingCarrier)
	w.TextOrNull("trackingNumber", o.TrackingNumber)
	w.TextOrNull("trackingUrl", o.TrackingURL)
	w.Micros("createdAt", o.CreatedAt)
	w.Micros("updatedAt", o.UpdatedAt)
}

func writeLines(w *apijson.Writer, o *orders.Order, full bool) {
	kind := "OrderListLine"
	if full {
		kind = "OrderLine"
	}
	w.List("items")
	for _, l := range o.Lines {
		w.Record(kind, "")
		apijson.ID(w, "id", l.ID)
		apijson.ID(w, "productId", l.Product)
		apijson.IDOrNull(w, "variantId", l.Variant)
		w.Text("name", l.Name)
		w.Text("sku", l.SKU)
		w.TextOrNull("description", l.Description)
		w.RawObject("metadata", l.Metadata)
		w.Int("quantity", l.Quantity)
		w.Money("unitPrice", l.UnitPrice)
		w.Money("lineTotal", l.Total)
		if full {
			w.Int("shippedQuantity", l.Shipped)
		}
		w.End()
	}
	w.EndList()
}

// sampleOrder is the order that describes the answers, one of each thing in it.
func sampleOrder() *orders.Order {
	tax, rate := money.Amount(99800), money.Amount(200000)
	line := orders.Line{ID: sampleID[id.Line](273), Product: sampleID[id.Product](274), Variant: sampleID[id.Variant](275), SKU: "TSHIRT-M", Name: "T-shirt - M", Description: "gift", Metadata: `{"gift":true}`,
		Quantity: 2, Shipped: 1, UnitPrice: 249500, Total: 499000, Warehouse: "MAIN"}
	at := int64(1_767_323_045_678_000)
	return &orders.Order{ID: sampleID[id.Order](276), Number: 1, Status: orders.PartiallyShipped, Channel: sampleID[id.Channel](277), ChannelName: "ERP", ChannelPlatform: "CUSTOM",
		Customer: sampleID[id.Customer](278), CustomerName: "Ada Lovelace", CustomerEmail: "ada@example.com", CustomerPhone: "+33123456789", ExternalReference: "WEB-1001", Currency: "EUR",
		ShippingAddress: `{"line1":"1 rue de la Paix","city":"Paris","postalCode":"75002","zip":"75002","country":"FR"}`, BillingAddress: `{"line1":"1 rue de la Paix"}`,
		PaymentMetadata: `{"provider":"card"}`, Notes: "leave at the door",
		Totals:          orders.Totals{Subtotal: 499000, TaxAmount: &tax, TaxRate: &rate, Total: 598800},
		TrackingCarrier: "DHL", TrackingNumber: "JD0001", TrackingURL: "https://example.com/JD0001", Lines: []orders.Line{line}, CreatedAt: at, UpdatedAt: at,
		History:   []orders.Entry{{ID: sampleID[id.History](279), Previous: orders.Processing, Status: orders.PartiallyShipped, Note: "first parcel", Source: orders.FromShipment, Actor: "key:" + sampleID[string](280), At: at}},
		Shipments: []orders.Shipment{{ID: sampleID[id.Shipment](281), Carrier: "DHL", TrackingNumber: "JD0001", TrackingURL: "https://example.com/JD0001", ShippedAt: at, Notes: "box 1", CreatedAt: at, Lines: []orders.ShipmentLine{{ID: sampleID[string](282), Line: line.ID, Quantity: 1}}}}}
}
