package commerce

import (
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// Edit is the request of PUT items; nil amounts stay.
type Edit struct {
	Lines          []orders.LineDraft
	ShippingAmount *money.Amount
	DiscountAmount *money.Amount
	TaxAmount      *money.Amount // nil: computed from the order's rate
}

// EditOrder replaces the lines of an order (interface §4.1). If nothing changes, it writes and emits nothing. Errors:
// NotFound; those of Expected; Conflict when the order can no longer be edited, or on too little stock if the channel
// rejects; Invalid for unknown lines, unknown SKUs and totals out of bounds.
func (s *Service) EditOrder(tx *db.Tx, who accounts.Caller, order id.Order, expected Expected, edit Edit) (*orders.Order, error) {
	o, err := holdOrder(tx, order, expected)
	if err != nil {
		return nil, err
	}
	before := copyOf(o)
	if err := o.Editable(); err != nil {
		return nil, err
	}
	lines := slices.Clone(edit.Lines) // the operation may run again
	if err := apperr.Both(resolveNewLines(tx, o, lines), o.Edit(lines)); err != nil {
		return nil, err
	}
	if edit.ShippingAmount != nil {
		o.ShippingAmount = *edit.ShippingAmount
	}
	if edit.DiscountAmount != nil {
		o.DiscountAmount = *edit.DiscountAmount
	}
	if err := o.Price(edit.TaxAmount); err != nil {
		return nil, err
	}
	o.Reserve()
	if sameContent(before, o) {
		return before, nil
	}
	reject := false
	if o.Channel != "" {
		channel, err := channels.ByRef(tx, o.Channel)
		if err != nil {
			return nil, err
		}
		reject = channel.Oversell == "reject"
	}
	changes, err := holdStock(tx, before, o,
		stock.Why{Cause: stock.Adjustment, ReferenceType: "order", ReferenceID: string(o.ID), Actor: who.Actor()}, reject)
	if err != nil {
		return nil, err
	}
	touch(tx, o)
	orders.RecordEdit(tx, o, sourceOf(who), who.Actor(), orders.Changes(before, o))
	s.saveOrder(tx, before, o)
	updated := records.NewEvent(webhooks.OrderUpdated, string(o.ID), func(w *apijson.Writer) { records.WriteOrderUpdatedData(w, o) })
	webhooks.Record(tx, append([]webhooks.Event{updated}, stockEvents(tx, changes, "adjustment")...)...)
	return o, nil
}

// sameContent reports whether two states of an order have the same lines and amounts. Old orders do not say which of
// their lines are fees.
func sameContent(a, b *orders.Order) bool {
	same := func(x, y *money.Amount) bool { return x == nil && y == nil || x != nil && y != nil && *x == *y }
	sameLine := func(x, y orders.Line) bool { x.Fee = y.Fee; return x == y }
	return slices.EqualFunc(a.Lines, b.Lines, sameLine) && a.Subtotal == b.Subtotal && a.ShippingAmount == b.ShippingAmount &&
		a.DiscountAmount == b.DiscountAmount && a.Total == b.Total && same(a.TaxAmount, b.TaxAmount)
}
