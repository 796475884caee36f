package commerce

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"entrepot/internal/accounts"
	"entrepot/internal/apijson"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// followOrder applies what changed of an order on its platform. A version older than the stored one changes nothing;
// one of the same time may differ, because some platforms count whole seconds.
func (s *Service) followOrder(tx *db.Tx, order id.Order, in connector.Order) (bool, error) {
	o, err := orders.Lock(tx, order)
	if err != nil {
		return false, err
	}
	at := micros(in.UpdatedAt)
	if at != 0 && at < o.PlatformUpdatedAt {
		return false, nil
	}
	before, moved := copyOf(o), in.Theirs != o.PlatformStatus
	o.PlatformUpdatedAt, o.PlatformStatus = at, in.Theirs
	content, err := s.followContent(tx, o, in)
	if err != nil {
		return false, err
	}
	changes, err := s.followChanges(tx, o, in, moved)
	if !content && !changes {
		orders.SaveDetails(tx, before, o)
	}
	return content || changes, err
}

// followContent applies lines, amounts and addresses while nothing is shipped (interface §3.1). Later, and after the
// order has ended, a difference becomes an issue.
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
	goods := !sameContent(o, &next)
	if !named && !goods && next.ShippingAddress == o.ShippingAddress && next.BillingAddress == o.BillingAddress {
		return false, nil
	}
	if !open {
		if goods {
			orders.Flag(tx, o, orders.SyncConflict, "items",
				"lines or amounts were changed on the platform after the order was "+string(o.Status)+" here")
		}
		return false, nil
	}
	before := copyOf(o)
	*o = next
	why := stock.Why{Cause: stock.FromChannel, ReferenceType: "order", ReferenceID: string(o.ID), Actor: accounts.Caller{}.Actor()}
	changes, err := holdStock(tx, before, o, why, false)
	if err != nil {
		return false, err
	}
	flagContent(tx, o)
	touch(tx, o)
	orders.RecordEdit(tx, o, orders.FromChannel, accounts.Caller{}.Actor(), orders.Changes(before, o))
	s.saveOrder(tx, before, o)
	webhooks.Record(tx, append([]webhooks.Event{orderUpdated(o)}, stockEvents(tx, changes, "channel")...)...)
	return true, nil
}

// followChanges applies refunds, parcels and the status to a locked order, in this order: refunds determine what is
// left to ship. moved says that the platform's status has changed.
func (s *Service) followChanges(tx *db.Tx, o *orders.Order, in connector.Order, moved bool) (bool, error) {
	refunded, err := s.followRefunds(tx, o, in)
	if err != nil {
		return false, err
	}
	dropped, err := s.followDropped(tx, o, in)
	if err != nil {
		return false, err
	}
	refunded = refunded || dropped
	shipped, err := s.followParcels(tx, o, in)
	if err != nil || !moved && !refunded {
		return refunded || shipped, err
	}
	status, err := s.followStatus(tx, o, in)
	return refunded || shipped || status, err
}

func (s *Service) followRefunds(tx *db.Tx, o *orders.Order, in connector.Order) (bool, error) {
	before := copyOf(o)
	for _, r := range in.Refunds {
		if o.Refunded(r.ExternalID) {
			continue
		}
		refund := orders.Refund{ID: id.New[string](), ExternalID: r.ExternalID, Amount: r.Amount, Reason: r.Reason,
			CreatedAt: micros(r.CreatedAt)}
		if refund.CreatedAt == 0 {
			refund.CreatedAt = tx.Micros()
		}
		for _, l := range r.Lines {
			line := o.LineOf(l.ExternalLine)
			if line == nil || refund.Has(line.ID) {
				continue
			}
			refund.Lines = append(refund.Lines, orders.RefundLine{Line: line.ID, Quantity: l.Quantity, Amount: l.Amount})
		}
		o.Refund(tx, refund)
	}
	if len(o.Refunds) == len(before.Refunds) {
		return false, nil
	}
	o.Reserve()
	why := stock.Why{Cause: stock.FromChannel, ReferenceType: "order", ReferenceID: string(o.ID), Actor: accounts.Caller{}.Actor()}
	changes, err := holdStock(tx, before, o, why, false)
	if err != nil {
		return false, err
	}
	touch(tx, o)
	s.saveOrder(tx, before, o)
	webhooks.Record(tx, append([]webhooks.Event{orderUpdated(o)}, stockEvents(tx, changes, "channel")...)...)
	return true, nil
}

// followDropped notes what the platform has taken out of an order of which a part was shipped, for example a line that was cancelled: it
// would leave the stock with the rest otherwise. The difference itself stays an issue.
func (s *Service) followDropped(tx *db.Tx, o *orders.Order, in connector.Order) (bool, error) {
	if o.Status != orders.PartiallyShipped || len(in.Lines) == 0 || in.Status == orders.Cancelled {
		return false, nil
	}
	there := map[string]int64{}
	for _, l := range in.Lines {
		there[l.ExternalID] += max(l.Quantity, 1)
	}
	before, changed := copyOf(o), false
	for i := range o.Lines {
		l := &o.Lines[i]
		if n := l.Quantity - l.Refunded - max(there[l.ExternalID], l.Shipped); n > 0 && l.ExternalID != "" {
			l.Refunded, changed = l.Refunded+n, true
		}
	}
	if !changed {
		return false, nil
	}
	o.Reserve()
	why := stock.Why{Cause: stock.FromChannel, ReferenceType: "order", ReferenceID: string(o.ID), Actor: accounts.Caller{}.Actor()}
	changes, err := holdStock(tx, before, o, why, false)
	if err != nil {
		return false, err
	}
	touch(tx, o)
	s.saveOrder(tx, before, o)
	webhooks.Record(tx, append([]webhooks.Event{orderUpdated(o)}, stockEvents(tx, changes, "channel")...)...)
	return true, nil
}

// followParcels ships the parcels that the platform reports. A parcel with a known key or tracking number came from
// this service and is skipped. The platform may show one of this service's under a name of its own and without a number, so no more is
// shipped than has left there beyond what has left here; quantities that do not remain to be shipped are left out.
func (s *Service) followParcels(tx *db.Tx, o *orders.Order, in connector.Order) (changed bool, err error) {
	more := leftThere(o, in.Parcels)
	for _, parcel := range in.Parcels {
		if knownParcel(o, parcel) {
			continue
		}
		draft := orders.ShipmentDraft{Carrier: parcel.Carrier, TrackingNumber: parcel.Number, TrackingURL: parcel.URL,
			ShippedAt: min(micros(parcel.ShippedAt), tx.Micros()), ExternalID: parcel.Key, Source: orders.FromChannel,
			Lines: parcelLines(o, parcel, more)}
		if len(draft.Lines) == 0 || orders.Way(o.Status, orders.Shipped) == nil && o.Status != orders.PartiallyShipped {
			continue
		}
		if o.Status == orders.Pending {
			if err := s.moveOrder(tx, accounts.Caller{}, o, Move{To: orders.Processing, Source: orders.FromChannel}); err != nil {
				return changed, err
			}
		}
		if _, err := s.shipOrder(tx, accounts.Caller{}, o, draft); err != nil {
			return changed, err
		}
		changed = true
	}
	return changed, nil
}

func knownParcel(o *orders.Order, parcel connector.Parcel) bool {
	for _, shipment := range o.Shipments {
		switch {
		case parcel.Key != "" && (parcel.Key == shipment.ExternalID || parcel.Key == string(shipment.ID)):
			return true
		case plainNumber(parcel.Number) != "" && plainNumber(parcel.Number) == plainNumber(shipment.TrackingNumber):
			return true
		}
	}
	return false
}

// plainNumber is a tracking number in letters and digits, because platforms store numbers without blanks and dashes.
func plainNumber(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, text)
}

// leftThere is how many more of each line have left by all of the platform's parcels than by the shipments here.
func leftThere(o *orders.Order, parcels []connector.Parcel) map[id.Line]int64 {
	more := map[id.Line]int64{}
	for _, l := range o.Lines {
		more[l.ID] = -l.Shipped
	}
	for _, parcel := range parcels {
		for _, p := range parcel.Lines {
			if line := parcelLine(o, p); line != nil {
				more[line.ID] += p.Quantity
			}
		}
	}
	return more
}

// parcelLine is the line that a parcel's line is about: by the platform's id, else by its SKU; nil for none.
func parcelLine(o *orders.Order, p connector.ParcelLine) *orders.Line {
	line := o.LineOf(p.ExternalLine)
	for i := range o.Lines {
		if line == nil && p.SKU != "" && o.Lines[i].SKU == p.SKU {
			line = &o.Lines[i]
		}
	}
	return line
}

// parcelLines is the part of a parcel that remains to be shipped here, of each line no more than more, from which it is taken; a parcel
// without lines has all that remains.
func parcelLines(o *orders.Order, parcel connector.Parcel, more map[id.Line]int64) (lines []orders.DraftLine) {
	left := map[id.Line]int64{}
	for _, l := range o.Lines {
		left[l.ID] = l.Remaining()
	}
	take := func(l *orders.Line, quantity int64) {
		if quantity = min(quantity, left[l.ID]); quantity > 0 {
			left[l.ID] -= quantity
			lines = append(lines, orders.DraftLine{Line: l.ID, Quantity: quantity})
		}
	}
	if len(parcel.Lines) == 0 {
		for i := range o.Lines {
			take(&o.Lines[i], o.Lines[i].Remaining())
		}
	}
	for _, p := range parcel.Lines {
		if line := parcelLine(o, p); line != nil {
			n := min(p.Quantity, max(0, more[line.ID]))
			more[line.ID] -= n
			take(line, n)
		}
	}
	return lines
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
	switch ahead := (o.Sync.State == orders.SyncPending || in.Trails) && orders.Way(target, o.Status) != nil; {
	case target == "":
		orders.Flag(tx, o, orders.IllegalTransition, "status",
			fmt.Sprintf("nothing is known of the platform's status %q: settings.statusMap can say what it means", in.Theirs))
	case o.Status == target, target == orders.PartiallyShipped, ahead:
	case way == nil:
		orders.Flag(tx, o, orders.IllegalTransition, "status",
			fmt.Sprintf("the platform says %q; an order cannot go from %s to %s", in.Theirs, o.Status, target))
	}
	for _, to := range way {
		if err := s.moveOrder(tx, accounts.Caller{}, o, Move{To: to, Source: orders.FromChannel}); err != nil {
			return changed, err
		}
		changed = true
	}
	return changed, nil
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
