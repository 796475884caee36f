package commerce

import (
	"fmt"
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// followRefunds records refunds of a platform that are not known yet. One that was recorded here and pushed, and whose
// answer was lost, is the same refund. An order is refunded its total at most: what the platform gave back beyond what
// is left was recorded here before, or is an issue (flagRefunds).
func (s *Service) followRefunds(tx *db.Tx, o *orders.Order, in connector.Order, list []connector.Refund) (bool, error) {
	before := copyOf(o)
	for _, r := range list {
		if o.Refunded(r.ExternalID) || r.Amount < 0 { // some shops take a refund of less than nothing
			continue
		}
		left := max(0, o.Total-o.RefundedAmount)
		if own := pushedAs(o, r, left); own != nil {
			if own.ExternalID == "" { // else the platform has it twice
				o.NameRefund(tx, own.ID, r.ExternalID)
			}
			continue
		}
		refund := orders.Refund{ID: id.New[string](), ExternalID: r.ExternalID, Amount: min(r.Amount, left), Reason: r.Reason,
			CreatedAt: micros(r.CreatedAt)}
		if refund.CreatedAt == 0 {
			refund.CreatedAt = tx.Micros()
		}
		for _, l := range r.Lines {
			line := o.LineOf(l.ExternalLine)
			if line == nil {
				continue
			}
			at := slices.IndexFunc(refund.Lines, func(known orders.RefundLine) bool { return known.Line == line.ID })
			if at < 0 { // some platforms name a line twice, such as pieces that are restocked and others
				at, refund.Lines = len(refund.Lines), append(refund.Lines, orders.RefundLine{Line: line.ID})
			}
			refund.Lines[at].Quantity += max(l.Quantity, 0)
			refund.Lines[at].Amount += l.Amount
		}
		if at := o.OpenReturn(orders.ReturnReceived, unitsOf(refund)); at >= 0 { // which it ends
			o.RefundShipped(tx, refund)
			o.SettleReturn(tx, at, refund, moment(tx, o))
			continue
		}
		o.Refund(tx, refund, cameBack(o, in, r.ExternalID))
	}
	if len(o.Refunds) == len(before.Refunds) {
		return false, nil
	}
	return true, s.saveTakenBack(tx, before, o)
}

// pushedAs is the refund recorded here that a platform's is, nil for none: by the mark that it carries; where it has
// none, the one that waits to be pushed, or whose answer was lost, has the same amount and is no older. A refund of an
// order of which nothing is left to refund was recorded here, too, without a push: so a shop answers to RETURNED with a
// refund of its own.
func pushedAs(o *orders.Order, r connector.Refund, left money.Amount) *orders.Refund {
	for i := range o.Refunds {
		own := &o.Refunds[i]
		switch {
		case own.ID == r.Ours:
			return own
		case own.ExternalID == "" && own.Unsent && r.Echoes(refundOf(o, *own)):
			return own
		}
	}
	for i := range slices.Backward(o.Refunds) {
		if own := &o.Refunds[i]; left == 0 && r.Amount > 0 && own.ExternalID == "" && !own.Unsent {
			return own
		}
	}
	return nil
}

// unitsOf is how many units of each line a refund names.
func unitsOf(r orders.Refund) map[id.Line]int64 {
	units := map[id.Line]int64{}
	for _, l := range r.Lines {
		if l.Quantity > 0 {
			units[l.Line] = l.Quantity
		}
	}
	return units
}

// cameBack is how many shipped units of each line came back with a refund, nil if the platform does not say.
func cameBack(o *orders.Order, in connector.Order, refund string) (units map[id.Line]int64) {
	for _, r := range in.Returns {
		if r.Refund != refund || refund == "" {
			continue
		}
		for _, l := range r.Lines {
			if line := o.LineOf(l.ExternalLine); line != nil {
				if units == nil {
					units = map[id.Line]int64{}
				}
				units[line.ID] = min(units[line.ID]+l.Quantity, max(0, line.Shipped-o.InReturns(line.ID)))
			}
		}
	}
	return units
}

// refundsPath is what the issue of a platform's refunds above the total is about.
const refundsPath = "refunds"

// flagRefunds adds an issue to an order of which its platform has given back more than its total, and removes it again
// if it no longer has.
func flagRefunds(tx db.Writer, o *orders.Order, in connector.Order) {
	var sum money.Amount
	for _, r := range in.Refunds {
		sum += max(r.Amount, 0)
	}
	switch {
	case sum > o.Total && len(in.Refunds) > 0:
		orders.Flag(tx, o, orders.AmountsDiffer, refundsPath,
			fmt.Sprintf("the platform has paid back %s of an order of %s: not more than its total is recorded", sum.Text(o.Currency),
				o.Total.Text(o.Currency)))
	case hasIssue(o, orders.AmountsDiffer, refundsPath):
		orders.Unflag(tx, o, orders.AmountsDiffer, refundsPath)
	}
}

// saveTakenBack saves an order of which the platform took something back: its stock is free for others.
func (s *Service) saveTakenBack(tx *db.Tx, before, o *orders.Order) error {
	o.Reserve()
	why := stock.Why{Cause: stock.FromChannel, ReferenceType: "order", ReferenceID: string(o.ID), Actor: accounts.Caller{}.Actor()}
	changes, err := holdStock(tx, before, o, why, false)
	if err != nil {
		return err
	}
	touch(tx, o)
	s.saveOrder(tx, before, o)
	webhooks.Record(tx, append([]webhooks.Event{orderUpdated(o)}, stockEvents(tx, changes, "channel")...)...)
	return nil
}
