package commerce

import (
	"slices"
	"strconv"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/webhooks"
)

// partsFollow is how far the parts of an order have been followed.
type partsFollow struct {
	*Service
	tx                *db.Tx
	o                 *orders.Order
	in                connector.Order
	left              []connector.Refund // that are not applied yet
	refunded, shipped bool               // something was
}

// followParts applies refunds and parcels in the order of their times: units refunded before they were shipped are
// not left to ship. Then it applies returns and the status.
func (s *Service) followParts(tx *db.Tx, o *orders.Order, in connector.Order, moved bool) (changed bool, err error) {
	f := partsFollow{Service: s, tx: tx, o: o, in: in, left: slices.Clone(in.Refunds)}
	if f.refunded, err = s.followDropped(tx, o, in); err != nil {
		return false, err
	}
	f.shipped = s.followTracking(tx, o, in.Parcels)
	if err := f.parcels(in.Parcels); err != nil {
		return false, err
	}
	counted, err := s.followSent(tx, o, in)
	if err != nil {
		return false, err
	}
	f.shipped = f.shipped || counted
	if moved && (!in.ShippedAt.IsZero() || in.Refunded && (in.Status == orders.Shipped || in.Status == orders.Delivered)) {
		if err := f.shipWhole(in); err != nil {
			return false, err
		}
	}
	if err := f.refunds(f.left); err != nil {
		return false, err
	}
	flagRefunds(tx, o, in)
	back, err := s.followReturns(tx, o, in)
	if err != nil {
		return false, err
	}
	changed = f.refunded || f.shipped || back
	if moved || f.refunded && (in.Refunded || o.RefundedWholly()) {
		status, err := s.followStatus(tx, o, in)
		if err != nil {
			return false, err
		}
		changed = changed || status
	}
	if back && o.ReturnedWholly() && o.Status.May(orders.Returned) == nil {
		return true, s.moveOrder(tx, accounts.Caller{}, o, Move{To: orders.Returned, Source: orders.FromChannel})
	}
	return changed, nil
}

// parcels applies those that are not known yet, each after the refunds made before it.
func (f *partsFollow) parcels(list []connector.Parcel) error {
	parcels, err := unknownParcels(f.tx, f.o, list)
	if err != nil {
		return err
	}
	for _, parcel := range parcels {
		if err := f.refundsUntil(parcel.ShippedAt); err != nil {
			return err
		}
		sent, err := f.followParcel(f.tx, f.o, parcel)
		if err != nil {
			return err
		}
		f.shipped = f.shipped || sent
	}
	return nil
}

// shipWhole ships the remainder, after the refunds made before that, if the time is known.
func (f *partsFollow) shipWhole(in connector.Order) error {
	if !in.ShippedAt.IsZero() {
		if err := f.refundsUntil(in.ShippedAt); err != nil {
			return err
		}
	}
	in.Status, in.Refunded = orders.Shipped, false
	sent, err := f.followStatus(f.tx, f.o, in)
	f.shipped = f.shipped || sent
	return err
}

// refundsUntil applies refunds made until a time.
func (f *partsFollow) refundsUntil(at time.Time) error {
	var early []connector.Refund
	early, f.left = refundsBefore(f.left, at)
	return f.refunds(early)
}

func (f *partsFollow) refunds(list []connector.Refund) error {
	some, err := f.followRefunds(f.tx, f.o, f.in, list)
	f.refunded = f.refunded || some
	return err
}

// refundsBefore divides refunds into those made until a time and those made later. Without a time all count as made
// before it, and so does a refund without a time.
func refundsBefore(list []connector.Refund, at time.Time) (early, late []connector.Refund) {
	for _, r := range list {
		if at.IsZero() || !r.CreatedAt.After(at) {
			early = append(early, r)
		} else {
			late = append(late, r)
		}
	}
	return early, late
}

// followDropped notes what the platform has removed from an order of which a part was shipped, for example a
// cancelled line: otherwise it would be deducted from stock with the rest. Refunded units are not counted here, also
// if the refund is not noted yet. The difference itself stays an issue.
func (s *Service) followDropped(tx *db.Tx, o *orders.Order, in connector.Order) (bool, error) {
	if o.Status != orders.PartiallyShipped || len(in.Lines) == 0 || in.Status == orders.Cancelled {
		return false, nil
	}
	there := map[string]int64{}
	for _, l := range in.Lines {
		there[l.ExternalID] += max(l.Quantity, 1)
	}
	refunds := map[string]int64{} // that are noted next
	for _, r := range in.Refunds {
		if o.Refunded(r.ExternalID) {
			continue
		}
		for _, l := range r.Lines {
			refunds[l.ExternalLine] += l.Quantity
		}
	}
	before, changed := copyOf(o), false
	for i := range o.Lines {
		l := &o.Lines[i]
		if n := l.Quantity - l.Refunded - refunds[l.ExternalID] - max(there[l.ExternalID], l.Shipped); n > 0 && l.ExternalID != "" {
			l.Refunded, changed = l.Refunded+n, true
		}
	}
	if !changed {
		return false, nil
	}
	return true, s.saveTakenBack(tx, before, o)
}

// followSent ships what has left by the platform's count and is in no parcel that it names. A parcel that it names
// later is then known. Shipments that were deleted here are not made again.
func (s *Service) followSent(tx *db.Tx, o *orders.Order, in connector.Order) (bool, error) {
	deleted := map[id.Line]int64{}
	if len(in.Sent) > 0 {
		list, _, err := orders.DeletedParcels(tx, o.ID)
		if err != nil {
			return false, err
		}
		for _, d := range list {
			for line, quantity := range d.Lines {
				deleted[line] += quantity
			}
		}
	}
	parcel := connector.Parcel{}
	var all int64
	for i := range o.Lines {
		l := &o.Lines[i]
		all += in.Sent[l.ExternalID]
		if n := in.Sent[l.ExternalID] - l.Shipped - deleted[l.ID]; n > 0 && l.ExternalID != "" {
			parcel.Lines = append(parcel.Lines, connector.ParcelLine{ExternalLine: l.ExternalID, Quantity: n})
		}
	}
	if len(parcel.Lines) == 0 {
		return false, nil
	}
	parcel.Key = countedKey + strconv.FormatInt(all, 10)
	return s.followParcel(tx, o, parcel)
}

// countedKey is the beginning of the key of a parcel that is known by the platform's count alone.
const countedKey = "counted "

// followTracking applies the platform's changes of the tracking of its own parcels, which nobody can change here.
// Tracking that it no longer returns stays.
func (s *Service) followTracking(tx *db.Tx, o *orders.Order, parcels []connector.Parcel) (changed bool) {
	before := copyOf(o)
	for _, parcel := range parcels {
		at := slices.IndexFunc(o.Shipments, func(s orders.Shipment) bool { return parcel.Key != "" && s.ExternalID == parcel.Key })
		if at < 0 || parcel.Number == "" || parcel.Number == o.Shipments[at].TrackingNumber {
			continue
		}
		o.Retrack(tx, at, parcel.Carrier, parcel.Number, parcel.URL)
		changed = true
	}
	if changed {
		touch(tx, o)
		s.saveOrder(tx, before, o)
		webhooks.Record(tx, orderUpdated(o))
	}
	return changed
}

// followParcel ships a parcel that the platform reports. Quantities that do not remain to be shipped are left out.
func (s *Service) followParcel(tx *db.Tx, o *orders.Order, parcel connector.Parcel) (changed bool, err error) {
	draft := orders.ShipmentDraft{Carrier: parcel.Carrier, TrackingNumber: parcel.Number, TrackingURL: parcel.URL,
		ShippedAt: min(micros(parcel.ShippedAt), tx.Micros()), ExternalID: parcel.Key, Source: orders.FromChannel, Lines: parcelLines(o, parcel)}
	if len(draft.Lines) == 0 || orders.Way(o.Status, orders.Shipped) == nil && o.Status != orders.PartiallyShipped {
		return false, nil
	}
	if o.Status == orders.Pending {
		if err := s.moveOrder(tx, accounts.Caller{}, o, Move{To: orders.Processing, Source: orders.FromChannel}); err != nil {
			return false, err
		}
	}
	_, err = s.shipOrder(tx, accounts.Caller{}, o, draft)
	return err == nil, err
}
