package commerce

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// followOrder applies what changed of a locked order on its platform. A version older than the stored one changes
// nothing; one of the same time may differ, because some platforms count whole seconds. A new issue that keeps the
// order from following its platform is announced by order.updated.
func (s *Service) followOrder(tx *db.Tx, o *orders.Order, in connector.Order) (bool, error) {
	at := micros(in.UpdatedAt)
	if at != 0 && at < o.PlatformUpdatedAt {
		return false, nil
	}
	before, known, moved := copyOf(o), o.Issues, in.Theirs != o.PlatformStatus || remapped(o, in)
	switch {
	case !moved || in.Status == "":
	// it is what was sent there, perhaps in other words: an order that has moved on here stays
	case in.Status == o.SentStatus:
		moved = in.Status == o.Status
	default:
		o.SentStatus = ""
	}
	o.PlatformUpdatedAt, o.PlatformStatus = at, in.Theirs
	content, err := s.followContent(tx, o, in)
	if err != nil {
		return false, err
	}
	changes, err := s.followChanges(tx, o, in, moved)
	if err != nil {
		return false, err
	}
	if !content && !changes {
		orders.SaveDetails(tx, before, o)
	}
	raised := s.announceIssues(tx, o, known)
	return content || changes || raised, nil
}

// announceIssues emits order.updated if an order has an issue that keeps it from following its platform, and that it
// did not have before.
func (s *Service) announceIssues(tx *db.Tx, o *orders.Order, known []orders.Issue) bool {
	if !slices.ContainsFunc(o.Issues, func(i orders.Issue) bool { return i.Stuck() && !slices.Contains(known, i) }) {
		return false
	}
	before := copyOf(o)
	touch(tx, o)
	orders.SaveDetails(tx, before, o)
	webhooks.Record(tx, orderUpdated(o))
	return true
}

// followContent applies lines, amounts and addresses while nothing is shipped (interface §3.1). Later, and after the
// order has ended, a difference becomes an issue. Further facts of the platform, such as that the buyer wants to
// cancel, are always stored.
func (s *Service) followContent(tx *db.Tx, o *orders.Order, in connector.Order) (bool, error) {
	open := (o.Status == orders.Pending || o.Status == orders.Processing) && !o.AnyShipped()
	named := false
	if open {
		var err error
		if named, err = takeBuyer(tx, o, in); err != nil {
			return false, err
		}
	}
	next := *o
	if !forgotten(o) {
		takeAddresses(&next, in)
	}
	if len(in.Lines) > 0 { // some platforms send cancelled orders without lines; the stored lines stay
		takeAmounts(&next, in)
		if err := takeLines(tx, &next, in); err != nil {
			return false, err
		}
	}
	next.Reserve()
	facts := !forgotten(o) && takeFacts(&next, in)
	goods := !sameContent(o, &next)
	if !goods && hasIssue(o, orders.SyncConflict, "items") {
		orders.Unflag(tx, o, orders.SyncConflict, "items")
	}
	if !named && !goods && !facts && next.ShippingAddress == o.ShippingAddress && next.BillingAddress == o.BillingAddress {
		return false, nil
	}
	if !open {
		if goods {
			orders.Flag(tx, o, orders.SyncConflict, "items",
				"lines or amounts were changed on the platform after the order was "+string(o.Status)+" here")
		}
		if !facts {
			return false, nil
		}
		known := next.PaymentMetadata
		next = *copyOf(o)
		next.PaymentMetadata = known
	}
	before := copyOf(o)
	*o = next
	why := stock.Why{Cause: stock.FromChannel, ReferenceType: "order", ReferenceID: string(o.ID), Actor: accounts.Caller{}.Actor()}
	changes, err := holdStock(tx, before, o, why, false)
	if err != nil {
		return false, err
	}
	if open {
		flagContent(tx, o)
		flagUnclear(tx, o, in)
	}
	touch(tx, o)
	orders.RecordEdit(tx, o, orders.FromChannel, accounts.Caller{}.Actor(), orders.Changes(before, o))
	s.saveOrder(tx, before, o)
	webhooks.Record(tx, append([]webhooks.Event{orderUpdated(o)}, stockEvents(tx, changes, "channel")...)...)
	return true, nil
}

// followChanges applies refunds, parcels and the status to a locked order. moved says that the platform's status has
// changed.
func (s *Service) followChanges(tx *db.Tx, o *orders.Order, in connector.Order, moved bool) (changed bool, err error) {
	if changed, err = s.followParts(tx, o, in, moved); err != nil || o.Status != orders.PartiallyShipped || !o.Empty() {
		return changed, err
	}
	// The remainder was refunded. A platform without a status for parts has to be asked to complete its order.
	source := orders.FromChannel
	if in.Undivided {
		source = orders.FromSystem
	}
	return true, s.moveOrder(tx, accounts.Caller{}, o, Move{To: orders.Shipped, Source: source})
}

// followStatus changes the order to the platform's status, by as many allowed changes as needed. If no sequence leads
// there, it is an issue, unless the order is only ahead of what its platform has received, or waits for its carrier.
func (s *Service) followStatus(tx *db.Tx, o *orders.Order, in connector.Order) (changed bool, err error) {
	target := in.Status
	if in.Refunded || o.RefundedWholly() {
		target = orders.Cancelled
		if o.Status == orders.Shipped || o.Status == orders.Delivered || o.Status == orders.Returned {
			target = orders.Returned
		}
	}
	way := orders.Way(o.Status, target)
	switch behind := orders.Way(target, o.Status); { // what its platform lacks
	case target == "":
		orders.Flag(tx, o, orders.IllegalTransition, "status", unknownStatus(in.Theirs))
		return false, nil
	case o.Status == target, behind != nil && (o.Sync.State == orders.SyncPending || in.Trails && trails(o)):
	case o.Status == orders.Cancelled && target != orders.Returned:
		orders.Flag(tx, o, orders.SyncConflict, "status", notReopened(o, in.Theirs))
	case target == orders.PartiallyShipped && (orders.Way(o.Status, orders.Shipped) != nil || partsTakenBack(o)): // parcels say what has left
	case o.Sync.State == orders.SyncSkipped && len(behind) == 1: // it has no word for the last move
	case in.Undivided && o.Status == orders.PartiallyShipped && target == orders.Processing:
	case o.Status == orders.Returned && behind != nil && o.ReturnedWholly(): // the platform has units back, and no word for it
	case way == nil:
		orders.Flag(tx, o, orders.IllegalTransition, "status",
			fmt.Sprintf("the platform says %q; an order cannot go from %s to %s", in.Theirs, o.Status, target))
	}
	if way != nil || o.Status == target {
		closeStatusIssues(tx, o)
	}
	for _, to := range way {
		if err := s.moveOrder(tx, accounts.Caller{}, o, Move{To: to, Source: orders.FromChannel}); err != nil {
			return changed, err
		}
		changed = true
	}
	return changed, nil
}

// trails reports whether an order may be ahead of a platform that shows shipments late. One that the platform itself
// has cancelled or delivered is not.
func trails(o *orders.Order) bool {
	switch o.Status {
	case orders.PartiallyShipped, orders.Shipped:
		return true
	case orders.Delivered:
		return len(o.History) > 0 && o.History[len(o.History)-1].Source != orders.FromChannel
	}
	return false
}

// partsTakenBack reports whether some of the order is not to be shipped any more: its platform may count that as a
// missing part.
func partsTakenBack(o *orders.Order) bool {
	return slices.ContainsFunc(o.Lines, func(l orders.Line) bool { return l.Refunded > 0 })
}

// unknownStatus is the message of the issue of an order in a status of the platform that has no meaning here.
func unknownStatus(theirs string) string {
	return fmt.Sprintf("nothing is known of the platform's status %q: settings.statusMap can say what it means", theirs)
}

// notReopened is the message of the issue of a cancelled order with which its platform continues, see reopens.
func notReopened(o *orders.Order, theirs string) string {
	why := "it was cancelled here"
	if o.AnyShipped() {
		why = "a part of it was shipped before it was cancelled"
	}
	return fmt.Sprintf("the platform goes on with the order (%q), but %s", theirs, why)
}

// remapped reports whether the platform's unchanged status has another meaning than before, because the channel's
// statusMap has changed. An order that was moved here since stays in its status.
func remapped(o *orders.Order, in connector.Order) bool {
	last := len(o.History) - 1
	return last >= 0 && o.History[last].Source == orders.FromChannel && in.Theirs == o.PlatformStatus && orders.Way(o.Status, in.Status) != nil
}

// hasIssue reports whether an order has an issue, closed or not.
func hasIssue(o *orders.Order, code orders.IssueCode, path string) bool {
	return slices.ContainsFunc(o.Issues, func(i orders.Issue) bool { return i.Code == code && i.Path == path })
}

func orderUpdated(o *orders.Order) webhooks.Event {
	return records.NewEvent(webhooks.OrderUpdated, string(o.ID), func(w *apijson.Writer) { records.WriteOrderUpdatedData(w, o) })
}

// micros is a time in the store's form, 0 for none.
func micros(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMicro()
}

// takeFacts copies the platform's further facts about an order into its payment metadata and leaves other members
// alone. A nil fact is removed. It reports whether something changed.
func takeFacts(o *orders.Order, in connector.Order) bool {
	all := map[string]json.RawMessage{}
	// a client made it something else
	if o.PaymentMetadata != "" && (json.Unmarshal([]byte(o.PaymentMetadata), &all) != nil || all == nil) {
		return false
	}
	changed := false
	for name, fact := range in.Payment {
		is, err := json.Marshal(fact)
		was, known := all[name]
		switch {
		case fact == nil && known:
			delete(all, name)
		case fact == nil || err != nil || known && jsonvalue.Same(string(was), string(is)):
			continue
		default:
			all[name] = is
		}
		changed = true
	}
	if !changed {
		return false
	}
	text, err := json.Marshal(all)
	if err == nil {
		o.PaymentMetadata = string(text)
	}
	return err == nil
}

// freeJSON encodes free members; "" for none.
func freeJSON(members map[string]any) string {
	if len(members) == 0 {
		return ""
	}
	text, err := json.Marshal(members)
	if err != nil {
		return ""
	}
	return string(text)
}
