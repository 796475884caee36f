package commerce

import (
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/base/patch"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// CreateReturn adds a requested return to an order and emits order.updated (interface §4.1). Errors: NotFound; those
// of Expected and of orders.Order.AddReturn.
func (s *Service) CreateReturn(tx *db.Tx, order id.Order, expected Expected, draft orders.ReturnDraft) (*orders.Order, orders.Return,
	error) {
	o, err := holdOrder(tx, order, expected)
	if err != nil {
		return nil, orders.Return{}, err
	}
	before := copyOf(o)
	r, err := o.AddReturn(draft, moment(tx, o))
	if err != nil {
		return nil, r, err
	}
	touch(tx, o)
	orders.InsertReturn(tx, o.ID, r)
	orders.SaveDetails(tx, before, o)
	webhooks.Record(tx, orderUpdated(o))
	return o, r, nil
}

// ReturnUpdate is the request of PATCH returns: fields that are not set stay, null clears all but the status.
type ReturnUpdate struct {
	Status       patch.Field[orders.ReturnStatus]
	Reason       patch.Field[string]
	Notes        patch.Field[string]
	RefundAmount patch.Field[money.Amount]
}

// UpdateReturn changes a return and emits order.updated (interface §4.1). Units that are received go on hand where
// the return says so, and leave it again when the return is rejected after that. A return that is refunded becomes a
// refund of the order. An order of which all units are received is RETURNED. If nothing changes, it writes and emits
// nothing. Errors: NotFound; those of Expected; Conflict for a state that may not follow, and for another amount
// after the refund; Invalid for a refund of more than is left of the total.
func (s *Service) UpdateReturn(tx *db.Tx, who accounts.Caller, order id.Order, expected Expected, of id.Return, d ReturnUpdate) (
	*orders.Order, orders.Return, error) {
	invalid := expected.Invalid
	if expected.Invalid = nil; invalid != nil {
		expected.Versions = nil // an invalid body is reported before them, and a missing return before it
	}
	o, err := holdOrder(tx, order, expected)
	if err != nil {
		return nil, orders.Return{}, err
	}
	at := slices.IndexFunc(o.Returns, func(r orders.Return) bool { return r.ID == of })
	switch {
	case at < 0:
		return nil, orders.Return{}, apperr.Missing("return")
	case invalid != nil:
		return nil, orders.Return{}, invalid
	}
	old := o.Returns[at]
	r := d.of(old)
	switch amountMoved := !sameAmount(r.RefundAmount, old.RefundAmount); {
	case r.Status == old.Status && r.Reason == old.Reason && r.Notes == old.Notes && !amountMoved:
		return o, old, nil
	case amountMoved && (old.Status == orders.ReturnRefunded || old.Status == orders.ReturnRejected):
		return nil, old, apperr.New(apperr.Conflict, "return_settled", "the amount of a %s return cannot be changed", old.Status).
			With("orderId", o.ID)
	case r.Status != old.Status:
		if err := old.Status.May(r.Status); err != nil {
			return nil, old, err
		}
	}
	before := copyOf(o)
	changes, err := s.moveReturn(tx, who, o, old, &r)
	if err != nil {
		return nil, old, err
	}
	touch(tx, o)
	r.UpdatedAt = o.UpdatedAt
	o.SaveReturn(tx, at, r)
	s.saveOrder(tx, before, o)
	webhooks.Record(tx, append([]webhooks.Event{orderUpdated(o)}, stockEvents(tx, changes, "return")...)...)
	sent := o.Status == orders.Shipped || o.Status == orders.Delivered
	switch {
	case sent && r.Status == orders.ReturnReceived && o.ReturnedWholly():
		err = s.moveOrder(tx, who, o, Move{To: orders.Returned, Source: sourceOf(who)})
	case r.Status == orders.ReturnRefunded && old.Status != r.Status:
		err = s.followOwnRefund(tx, who, o)
	}
	return o, r, err
}

// of is the return with the change.
func (d ReturnUpdate) of(r orders.Return) orders.Return {
	if d.Status.Given() {
		r.Status = d.Status.Value
	}
	if d.Reason.Set {
		r.Reason = d.Reason.Value
	}
	if d.Notes.Set {
		r.Notes = d.Notes.Value
	}
	if d.RefundAmount.Set {
		r.RefundAmount = nil
		if !d.RefundAmount.Null {
			r.RefundAmount = &d.RefundAmount.Value
		}
	}
	return r
}

func sameAmount(a, b *money.Amount) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// moveReturn does what the new state of a return brings about for its order: units go on hand or off it, or a refund
// is recorded.
func (s *Service) moveReturn(tx *db.Tx, who accounts.Caller, o *orders.Order, old orders.Return, r *orders.Return) ([]stock.Change, error) {
	switch {
	case r.Status == old.Status:
		return nil, nil
	case r.Status == orders.ReturnReceived:
		return moveUnits(tx, who, o, *r, 1)
	case r.Status == orders.ReturnRejected && old.Status == orders.ReturnReceived:
		return moveUnits(tx, who, o, *r, -1)
	case r.Status == orders.ReturnRefunded:
		refund, err := o.RefundOf(*r, tx.Micros())
		if err != nil {
			return nil, err
		}
		r.RefundAmount, r.Refund = &refund.Amount, refund.ID
		if err := queueRefundPush(tx, who, o, &refund); err != nil {
			return nil, err
		}
		o.RefundShipped(tx, refund)
	}
	return nil, nil
}

// moveUnits puts the units of a return that are to be restocked on hand, or with the sign -1 takes them off again.
func moveUnits(tx *db.Tx, who accounts.Caller, o *orders.Order, r orders.Return, sign int64) ([]stock.Change, error) {
	var shifts []stock.Shift
	for _, l := range r.Lines {
		if of := o.Line(l.Line); l.Restock && of.Product != "" {
			shifts = append(shifts, stock.Shift{SKU: of.SKU, Warehouse: of.Warehouse, Product: of.Product, Variant: of.Variant,
				OnHand: sign * l.Quantity})
		}
	}
	if len(shifts) == 0 {
		return nil, nil
	}
	return shiftStock(tx, shifts, stock.Why{Cause: stock.Return, ReferenceType: "return", ReferenceID: string(r.ID), Actor: who.Actor()})
}

// RefundOrder records that money of an order was paid back, and emits order.updated (interface §4.1); it moves no
// money. Refunded units that were not shipped are not shipped any more, and their stock is free. Errors: NotFound;
// those of Expected and of orders.Order.NewRefund.
func (s *Service) RefundOrder(tx *db.Tx, who accounts.Caller, order id.Order, expected Expected, draft orders.RefundDraft) (
	*orders.Order, orders.Refund, error) {
	o, err := holdOrder(tx, order, expected)
	if err != nil {
		return nil, orders.Refund{}, err
	}
	before := copyOf(o)
	refund, err := o.NewRefund(draft, moment(tx, o))
	if err != nil {
		return nil, refund, err
	}
	if err := queueRefundPush(tx, who, o, &refund); err != nil {
		return nil, refund, err
	}
	o.Refund(tx, refund, nil)
	o.Reserve()
	changes, err := holdStock(tx, before, o,
		stock.Why{Cause: stock.Adjustment, ReferenceType: "order", ReferenceID: string(o.ID), Actor: who.Actor()}, false)
	if err != nil {
		return nil, refund, err
	}
	touch(tx, o)
	s.saveOrder(tx, before, o)
	webhooks.Record(tx, append([]webhooks.Event{orderUpdated(o)}, stockEvents(tx, changes, "adjustment")...)...)
	return o, refund, s.followOwnRefund(tx, who, o)
}

// followOwnRefund moves an order after a refund that was recorded here (interface §3.1): one that is refunded wholly
// is RETURNED if it was shipped, else CANCELLED; one that was shipped in part and of which nothing is left to ship is
// SHIPPED.
func (s *Service) followOwnRefund(tx *db.Tx, who accounts.Caller, o *orders.Order) error {
	to := orders.Status("")
	switch sent := o.Status == orders.Shipped || o.Status == orders.Delivered; {
	case o.RefundedWholly() && sent:
		to = orders.Returned
	case o.RefundedWholly() && o.Status.May(orders.Cancelled) == nil:
		to = orders.Cancelled
	case o.Status == orders.PartiallyShipped && o.Empty():
		to = orders.Shipped
	}
	if to == "" {
		return nil
	}
	return s.moveOrder(tx, who, o, Move{To: to, Source: sourceOf(who)})
}
