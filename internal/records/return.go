package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/orders"
)

// WriteReturn writes a return of an order (interface §2.4).
func WriteReturn(w *apijson.Writer, name string, o *orders.Order, r orders.Return) {
	w.Record("Return", name)
	writeReturnMembers(w, o, r)
	w.End()
}

// WriteListedReturn writes a return of the list of all returns (interface §4.1), with what names its order.
func WriteListedReturn(w *apijson.Writer, o *orders.Order, r orders.Return) {
	w.Record("ListedReturn", "")
	writeReturnMembers(w, o, r)
	w.Text("orderNumber", orders.Number(o.Number))
	w.TextOrNull("externalReference", o.ExternalReference)
	w.TextOrNull("customerName", o.CustomerName)
	w.Text("currency", o.Currency)
	w.End()
}

func writeReturnMembers(w *apijson.Writer, o *orders.Order, r orders.Return) {
	apijson.ID(w, "id", r.ID)
	apijson.ID(w, "orderId", o.ID)
	w.TextOrNull("externalId", r.ExternalID)
	apijson.Word(w, "status", r.Status)
	w.TextOrNull("reason", r.Reason)
	w.TextOrNull("notes", r.Notes)
	w.MoneyOrNull("refundAmount", r.RefundAmount)
	w.TextOrNull("refundId", r.Refund)
	w.List("items")
	for _, l := range r.Lines {
		w.Record("ReturnLine", "")
		apijson.ID(w, "orderItemId", l.Line)
		sku, name := "", ""
		if of := o.Line(l.Line); of != nil {
			sku, name = of.SKU, of.Name
		}
		w.Text("sku", sku)
		w.Text("name", name)
		w.Int("quantity", l.Quantity)
		w.Bool("restock", l.Restock)
		w.End()
	}
	w.EndList()
	w.Micros("createdAt", r.CreatedAt)
	w.Micros("updatedAt", r.UpdatedAt)
}

// writeReturns writes the returns of an order, oldest first.
func writeReturns(w *apijson.Writer, o *orders.Order) {
	w.List("returns")
	for _, r := range o.Returns {
		WriteReturn(w, "", o, r)
	}
	w.EndList()
}

// WriteRefund writes the answer to a new refund of an order (interface §2.1), with what the order has become.
func WriteRefund(w *apijson.Writer, o *orders.Order, r orders.Refund) {
	w.Record("NewRefund", "data")
	writeRefundMembers(w, r)
	w.Money("refundedAmount", o.RefundedAmount)
	WriteOrderState(w, o)
	w.End()
}
