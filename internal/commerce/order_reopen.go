package commerce

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/orders"
)

// lockNewest locks and reads a channel's order by its platform's id: the newest, if it was reopened. It is nil if
// there is none.
func lockNewest(tx *db.Tx, channel id.Channel, platformID string) (*orders.Order, error) {
	for {
		known, err := orders.ByPlatformID(tx, channel, platformID)
		if err != nil || known == "" {
			return nil, err
		}
		o, err := orders.Lock(tx, known)
		if err != nil || o.ReopenedBy == "" {
			return o, err
		} // it was reopened while this transaction waited for the lock
	}
}

// reopens reports whether a version of an order reopens it after its platform cancelled it, such as a declined card
// that is paid later (interface §3.1). An order that was cancelled here, by a person or a client, stays cancelled,
// and so does an order of which something was shipped, because the new one would ship it again: followStatus flags
// them. An order whose price was paid back wholly is not reopened either.
func reopens(o *orders.Order, in connector.Order) bool {
	last := o.History[len(o.History)-1]
	return takenUp(o, in) && last.Source == orders.FromChannel && !o.AnyShipped()
}

// takenUp reports whether a version belongs to a cancelled order with which its platform continues.
func takenUp(o *orders.Order, in connector.Order) bool {
	at := micros(in.UpdatedAt)
	return o.Status == orders.Cancelled && in.Theirs != o.PlatformStatus && (at == 0 || at >= o.PlatformUpdatedAt) &&
		in.Status != "" && in.Status != orders.Cancelled && in.Status != orders.Returned && !in.Refunded && !o.RefundedWholly()
}

// reopen links a cancelled order with the one as which its platform reopens it. Facts about the buyer that the
// platform no longer returns are copied from the cancelled order.
func reopen(tx *db.Tx, cancelled, o *orders.Order, in connector.Order) {
	before := copyOf(cancelled)
	o.Reopens, o.Generation, cancelled.ReopenedBy = cancelled.ID, cancelled.Generation+1, o.ID
	o.ShippingAddress, o.BillingAddress = cancelled.ShippingAddress, cancelled.BillingAddress
	if in.Email == "" && cancelled.Customer != "" {
		o.Customer, o.CustomerName, o.CustomerEmail = cancelled.Customer, cancelled.CustomerName, cancelled.CustomerEmail
	}
	closeStatusIssues(tx, cancelled)
	touch(tx, cancelled)
	orders.SaveDetails(tx, before, cancelled)
}

// closeStatusIssues removes the issues of an order's status: order and platform agree again.
func closeStatusIssues(tx *db.Tx, o *orders.Order) {
	for _, i := range o.Issues {
		if i.Path == "status" && i.Stuck() {
			orders.Unflag(tx, o, i.Code, i.Path)
		}
	}
}

// withoutBuyer leaves out everything that leads to the buyer, who was erased.
func withoutBuyer(in connector.Order) connector.Order {
	in.Name, in.Email, in.Phone, in.Buyer, in.Note = "", "", "", "", ""
	in.ShipTo, in.BillTo, in.Payment = nil, nil, nil
	in.Lines = slices.Clone(in.Lines)
	for i := range in.Lines {
		in.Lines[i].Options = nil
	}
	return in
}
