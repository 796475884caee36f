package drafts

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/commerce"
	"entrepot/internal/limits"
	"entrepot/internal/orders"
)

// ReadReturn reads the body of POST returns (interface §4.1).
func ReadReturn(o *apijson.Object) orders.ReturnDraft {
	o.Record("CreateReturn")
	d := orders.ReturnDraft{
		Reason:       o.Text("reason", apijson.Text{Max: limits.MaxReason}).Value,
		Notes:        o.Text("notes", apijson.Text{Max: limits.MaxNote}).Value,
		RefundAmount: amountOrNil(o.Money("refundAmount", apijson.Money{})),
	}
	o.List("items", apijson.List{Required: true, Min: 1, Max: limits.MaxOrderLines}, func(_ int, item *apijson.Object) {
		item.Record("ReturnLineInput")
		d.Lines = append(d.Lines, orders.ReturnLine{
			Line:     apijson.UUID[id.Line](item, "orderItemId", true).Value,
			Quantity: item.Int("quantity", apijson.Int{Required: true, Min: 1, Max: limits.MaxLineQuantity}).Value,
			Restock:  item.Bool("restock").Value,
		})
	})
	return d
}

// ReadReturnUpdate reads the body of PATCH returns: absent members stay, null clears.
func ReadReturnUpdate(o *apijson.Object) commerce.ReturnUpdate {
	o.Record("UpdateReturn")
	d := commerce.ReturnUpdate{
		Status:       apijson.Enum(o, "status", false, orders.ReturnStatuses...),
		Reason:       o.Text("reason", apijson.Text{Max: limits.MaxReason}),
		Notes:        o.Text("notes", apijson.Text{Max: limits.MaxNote}),
		RefundAmount: o.Money("refundAmount", apijson.Money{}),
	}
	o.NotNull("status")
	return d
}

// ReadRefund reads the body of POST refunds (interface §4.1).
func ReadRefund(o *apijson.Object) orders.RefundDraft {
	o.Record("CreateRefund")
	d := orders.RefundDraft{
		Amount: o.Money("amount", apijson.Money{Required: true, Positive: true}).Value,
		Reason: o.Text("reason", apijson.Text{Max: limits.MaxReason}).Value,
	}
	o.List("items", apijson.List{Max: limits.MaxOrderLines}, func(_ int, item *apijson.Object) {
		item.Record("RefundLineInput")
		d.Lines = append(d.Lines, orders.RefundLineDraft{
			Line:     apijson.UUID[id.Line](item, "orderItemId", true).Value,
			Quantity: item.Int("quantity", apijson.Int{Required: true, Max: limits.MaxLineQuantity}).Value,
			Amount:   amountOrNil(item.Money("amount", apijson.Money{})),
		})
	})
	return d
}

func amountOrNil(f patch.Field[money.Amount]) *money.Amount {
	if !f.Given() {
		return nil
	}
	return &f.Value
}
