package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/orders"
)

// Groups of members that several records of an order share.

func writeOrderChannel(w *apijson.Writer, o *orders.Order) {
	apijson.IDOrNull(w, "channelId", o.Channel)
	w.TextOrNull("channelName", o.ChannelName)
	w.TextOrNull("channelType", o.ChannelPlatform)
}

func writeOrderReferences(w *apijson.Writer, o *orders.Order) {
	w.TextOrNull("externalId", o.ExternalID())
	w.TextOrNull("externalReference", o.ExternalReference)
}

func writeOrderBuyer(w *apijson.Writer, o *orders.Order) {
	w.Text("customerName", o.CustomerName)
	w.TextOrNull("customerEmail", o.CustomerEmail)
}

func writeOrderBilling(w *apijson.Writer, o *orders.Order) {
	w.RawObject("billingAddress", o.BillingAddress)
	w.Raw("paymentMetadata", o.PaymentMetadata)
}

func writeOrderTotal(w *apijson.Writer, o *orders.Order) {
	w.Text("totalAmount", o.Total.Text(o.Currency))
	w.Text("currency", o.Currency)
}

func writeOrderTracking(w *apijson.Writer, o *orders.Order) {
	w.TextOrNull("trackingCarrier", o.TrackingCarrier)
	w.TextOrNull("trackingNumber", o.TrackingNumber)
	w.TextOrNull("trackingUrl", o.TrackingURL)
}

func writeLineProduct(w *apijson.Writer, l *orders.Line) {
	apijson.ID(w, "id", l.ID)
	apijson.IDOrNull(w, "productId", l.Product)
	apijson.IDOrNull(w, "variantId", l.Variant)
}

func writeLineAmounts(w *apijson.Writer, l *orders.Line) {
	w.Int("quantity", l.Quantity)
	w.Money("unitPrice", l.UnitPrice)
	w.Money("lineTotal", l.Total)
}
