package commerce

import (
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// followReturns records what came back to a platform as returns (interface §4.5.7), each once. Units go on hand where
// the platform has put them into its stock. What was never shipped here, and what is in a return already, is left out.
func (s *Service) followReturns(tx *db.Tx, o *orders.Order, in connector.Order) (bool, error) {
	if o.Status == orders.Returned { // all of it is back
		return false, nil
	}
	before, found := copyOf(o), false
	var changes []stock.Change
	for _, given := range in.Returns {
		if o.ReturnedAs(given.ExternalID) {
			continue
		}
		moved, taken, err := s.takeReturn(tx, o, given)
		if err != nil {
			return false, err
		}
		found, changes = found || taken, append(changes, moved...)
	}
	for _, counted := range restockedReturns(o, in) {
		moved, taken, err := s.takeReturn(tx, o, counted)
		if err != nil {
			return false, err
		}
		found, changes = found || taken, append(changes, moved...)
	}
	if !found {
		return false, nil
	}
	touch(tx, o)
	s.saveOrder(tx, before, o)
	webhooks.Record(tx, append([]webhooks.Event{orderUpdated(o)}, stockEvents(tx, changes, "return")...)...)
	return true, nil
}

// takeReturn records a return of a platform. One of the same units that was requested here is received by it.
func (s *Service) takeReturn(tx *db.Tx, o *orders.Order, given connector.Return) (changes []stock.Change, taken bool, err error) {
	lines, units, restocked := returnLines(o, given), map[id.Line]int64{}, false
	for _, l := range lines {
		units[l.Line] += l.Quantity
		restocked = restocked || l.Restock
	}
	if len(lines) == 0 {
		return nil, false, nil
	}
	now := moment(tx, o)
	if at := o.OpenReturn(orders.ReturnRequested, units); at >= 0 {
		changes, err = moveUnits(tx, accounts.Caller{}, o, o.ReceiveReturn(tx, at, given.ExternalID, restocked, now), 1)
		if refund := o.RefundFrom(given.Refund); refund != nil {
			o.SettleReturn(tx, at, *refund, now)
		}
		return changes, true, err
	}
	r := o.ReturnFrom(orders.Return{ExternalID: given.ExternalID, Reason: given.Reason, CreatedAt: micros(given.CreatedAt), Lines: lines},
		given.Refund, now)
	if r == nil {
		return nil, false, nil
	}
	orders.InsertReturn(tx, o.ID, *r)
	changes, err = moveUnits(tx, accounts.Caller{}, o, *r, 1)
	return changes, true, err
}

// returnLines are the lines of a platform's return that the order has.
func returnLines(o *orders.Order, r connector.Return) (lines []orders.ReturnLine) {
	for _, l := range r.Lines {
		if line := o.LineOf(l.ExternalLine); line != nil && !line.Fee && l.Quantity > 0 {
			lines = append(lines, orders.ReturnLine{Line: line.ID, Quantity: l.Quantity, Restock: l.Restocked})
		}
	}
	return lines
}

// restockedReturns are returns of what a platform has put back into its stock by its count of each line, each named as
// the newest refund of the line. Units that were refunded before they were shipped never left, and come off the count;
// so do those that were put on hand before, by a return from there or one that was recorded here.
func restockedReturns(o *orders.Order, in connector.Order) (list []connector.Return) {
	newestFirst := slices.SortedStableFunc(slices.Values(in.Refunds),
		func(a, b connector.Refund) int { return b.CreatedAt.Compare(a.CreatedAt) })
	for _, l := range o.Lines {
		missing := in.Restocked[l.ExternalID] - l.Refunded - o.Restocked(l.ID)
		if missing <= 0 || l.ExternalID == "" {
			continue
		}
		for _, r := range newestFirst {
			names := func(part connector.RefundLine) bool { return part.ExternalLine == l.ExternalID && part.Quantity > 0 }
			if r.ExternalID == "" || !slices.ContainsFunc(r.Lines, names) {
				continue
			}
			at := slices.IndexFunc(list, func(known connector.Return) bool { return known.Refund == r.ExternalID })
			if at < 0 {
				at, list = len(list), append(list, connector.Return{ExternalID: r.ExternalID, Refund: r.ExternalID, Reason: r.Reason,
					CreatedAt: r.CreatedAt})
			}
			list[at].Lines = append(list[at].Lines, connector.ReturnLine{ExternalLine: l.ExternalID, Quantity: missing, Restocked: true})
			break
		}
	}
	return list
}
