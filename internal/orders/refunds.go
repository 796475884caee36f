package orders

import (
	"slices"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
)

// Refunded reports whether the order has the refund with a platform's id.
func (o *Order) Refunded(externalID string) bool { return o.RefundFrom(externalID) != nil }

// RefundFrom finds the refund with a platform's id; nil if there is none.
func (o *Order) RefundFrom(externalID string) *Refund {
	for i := range o.Refunds {
		if externalID != "" && o.Refunds[i].ExternalID == externalID {
			return &o.Refunds[i]
		}
	}
	return nil
}

// Refund queues a refund of a locked order (interface §2.1) and adds it to the order. Refunded quantities that were
// not shipped will not be shipped; amounts and totals stay. sent are units of the refund, by line, that are known to
// have been shipped, nil for none: of all others those that were not shipped come first.
func (o *Order) Refund(tx db.Writer, r Refund, sent map[id.Line]int64) {
	for _, l := range r.Lines {
		if at := o.index(l.Line); at >= 0 {
			o.Lines[at].Refunded += min(max(l.Quantity-sent[l.Line], 0), o.Lines[at].unshipped())
		}
	}
	o.RefundShipped(tx, r)
}

// RefundShipped is Refund for units that were shipped: the quantity that remains to be shipped stays.
func (o *Order) RefundShipped(tx db.Writer, r Refund) {
	refundTable.Insert(tx, refundRow{o.ID, r})
	for _, l := range r.Lines {
		refundLineTable.Insert(tx, refundLineRow{o.ID, r.ID, l})
	}
	o.Refunds = append(o.Refunds, r)
	o.RefundedAmount += r.Amount
}

// NameRefund queues the platform's id of a refund that was recorded here, which is the platform's from then on.
func (o *Order) NameRefund(tx db.Writer, refund, externalID string) {
	o.saveRefund(tx, refund, func(r *Refund) { r.ExternalID, r.Unsent = externalID, false })
}

// KeepRefund queues that a refund that was recorded here is not pushed to the platform.
func (o *Order) KeepRefund(tx db.Writer, refund string) {
	o.saveRefund(tx, refund, func(r *Refund) { r.Unsent = false })
}

func (o *Order) saveRefund(tx db.Writer, refund string, change func(r *Refund)) {
	o.Refunds = slices.Clone(o.Refunds)
	for i := range o.Refunds {
		if r := &o.Refunds[i]; r.ID == refund {
			change(r)
			tx.Queue("UPDATE order_refunds SET external_id = $4, unsent = $5 WHERE tenant_id = $1 AND order_id = $2::UUID AND id = $3::UUID",
				tx.TenantID(), o.ID, r.ID, r.ExternalID, r.Unsent).Rows(1, nil)
		}
	}
}

// RefundBefore adds money that was paid back before the order was recorded here, as one refund without lines, to an
// order that is not stored yet. Error: Invalid for more than the order's total.
func (o *Order) RefundBefore(amount money.Amount) error {
	amount = amount.Round(money.Digits(o.Currency))
	if amount > o.Total {
		return apperr.At("refundedAmount", "must not be above the total of %s", o.Total)
	}
	if amount > 0 {
		o.Refunds = []Refund{{ID: id.New[string](), Amount: amount, CreatedAt: o.CreatedAt}}
		o.RefundedAmount = amount
	}
	return nil
}

// RefundedWholly reports whether the whole price of the order was refunded.
func (o *Order) RefundedWholly() bool { return len(o.Refunds) > 0 && o.RefundedAmount >= o.Total }
