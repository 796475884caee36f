package amazon

import (
	"context"
	"hash/fnv"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/orders"
)

// beforeWrite is an order before a write. Errors: Cannot when Amazon ships it.
func (s *session) beforeWrite(ctx context.Context, id string) (*order, error) {
	if s.last == nil || s.last.OrderID != id {
		o, err := s.readOrder(ctx, id)
		if err != nil {
			return nil, err
		}
		s.last = o
	}
	if s.last.byAmazon() {
		return nil, connector.Failf(connector.Cannot, "Amazon ships this order itself")
	}
	return s.last, nil
}

// reference is Amazon's number of a parcel within its order, derived from the parcel's key: a repeated confirmation
// edits the parcel and does not add one.
func reference(key string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	return strconv.Itoa(int(h.Sum32()>>1) + 1)
}

// PushShipment confirms a parcel, which needs a tracking number. It leaves out what is in another package on Amazon
// already, because a label that was bought at Amazon confirms its package by itself.
func (s *session) PushShipment(ctx context.Context, ref connector.OrderRef, sent connector.Parcel) error {
	o, err := s.beforeWrite(ctx, ref.ExternalID)
	if err != nil {
		return err
	}
	key := reference(sent.Key)
	if o.shows(ref, sent) && !(sent.Corrected && o.carriedByOther(key, sent)) {
		return nil
	}
	left := o.unpacked(key)
	if replaced := replacedBy(ref, sent, o.Packages); replaced != nil {
		key = replaced.PackageReferenceID
		for _, l := range replaced.PackageItems {
			left[l.OrderItemID] += l.Quantity
		}
	}
	due := undeleted(ref, sent, key, o.Packages)
	confirmed := parcel{PackageReferenceID: key, TrackingNumber: sent.Number, Carrier: sent.Carrier}
	var lines []fields
	for _, l := range sent.Lines {
		// fees are none of Amazon's lines
		if n := min(l.Quantity, left[l.ExternalLine], due(l.ExternalLine, l.Quantity)); n > 0 {
			lines = append(lines, fields{"orderItemId": l.ExternalLine, "quantity": n})
			confirmed.PackageItems = append(confirmed.PackageItems, packageItem{l.ExternalLine, n})
		}
	}
	switch {
	case o.Fulfillment.FulfillmentStatus == "CANCELLED":
		return connector.Failf(connector.Rejected, "the order was cancelled on Amazon")
	case len(lines) == 0:
		return nil
	case sent.Number == "":
		return connector.Failf(connector.Rejected, "Amazon takes no shipment without a tracking number: delete it and make it again with one")
	}
	at := sent.ShippedAt
	if at.IsZero() {
		at = s.link.Now()
	}
	detail := fields{"packageReferenceId": key, "trackingNumber": sent.Number, "shipDate": at.UTC().Format(time.RFC3339), "orderItems": lines}
	detail["carrierCode"], detail["carrierName"] = carrier(sent.Carrier)
	err = s.call(connector.Repeatable(ctx), request{confirmShipment, http.MethodPost,
		"/orders/v0/orders/" + url.PathEscape(ref.ExternalID) + "/shipmentConfirmation", nil,
		fields{"marketplaceId": s.market.id, "packageDetail": detail}}, nil)
	if err == nil {
		o.Packages = slices.DeleteFunc(o.Packages, func(p parcel) bool { return p.PackageReferenceID == key })
		o.Packages = append(o.Packages, confirmed) // Amazon itself shows it a little later
	} else {
		s.last = nil
	}
	return err
}

// shows reports whether a package has a parcel's number: the parcel's own package, or one that is none of ours.
func (o *order) shows(ref connector.OrderRef, sent connector.Parcel) bool {
	others := map[string]bool{}
	for _, p := range ref.Shipped {
		others[reference(p.Key)] = p.Key != sent.Key
	}
	return slices.ContainsFunc(o.Packages, func(p parcel) bool {
		return sent.Number != "" && p.TrackingNumber == sent.Number && !others[p.PackageReferenceID]
	})
}

// carriedByOther reports whether the package of a key has a parcel's number and another carrier.
func (o *order) carriedByOther(key string, sent connector.Parcel) bool {
	return slices.ContainsFunc(o.Packages, func(p parcel) bool {
		return p.PackageReferenceID == key && p.TrackingNumber == sent.Number && sent.Carrier != "" && !strings.EqualFold(p.Carrier, sent.Carrier)
	})
}

// unpacked is how many units of each line are in no package other than that of a key.
func (o *order) unpacked(key string) map[string]int64 {
	left := map[string]int64{}
	for _, it := range o.OrderItems {
		left[it.OrderItemID] = it.QuantityOrdered
	}
	for _, p := range o.Packages {
		for _, l := range p.PackageItems {
			if p.PackageReferenceID != key && p.PackageStatus.Status != "CANCELLED" {
				left[l.OrderItemID] -= l.Quantity
			}
		}
	}
	return left
}

// undeleted says how much of a line's quantity in a parcel is in no package of a shipment that was deleted here.
// Amazon keeps such packages, so their units count as shipped there. key is the parcel's own package.
func undeleted(ref connector.OrderRef, sent connector.Parcel, key string, packages []parcel) func(line string, quantity int64) int64 {
	if ref.Deleted == nil {
		return func(_ string, quantity int64) int64 { return quantity }
	}
	later := map[string]bool{} // references and numbers
	for _, p := range slices.Backward(ref.Shipped) {
		if p.Key == sent.Key {
			break
		}
		later[reference(p.Key)], later[p.Number] = true, p.Number != ""
	}
	due := ref.ShippedThrough(sent.Key)
	for _, p := range packages {
		for _, l := range p.PackageItems {
			other := p.PackageReferenceID != key && !later[p.PackageReferenceID] && !later[p.TrackingNumber]
			if other && p.PackageStatus.Status != "CANCELLED" {
				due[l.OrderItemID] -= l.Quantity
			}
		}
	}
	return func(line string, _ int64) int64 { return due[line] }
}

// replacedBy is the package of a deleted shipment that a parcel replaces; nil for none. It is confirmed again under
// its own number, which edits it.
func replacedBy(ref connector.OrderRef, sent connector.Parcel, packages []parcel) *parcel {
	for i := range packages {
		contents := map[string]int64{}
		for _, l := range packages[i].PackageItems {
			contents[l.OrderItemID] += l.Quantity
		}
		if packages[i].PackageStatus.Status != "CANCELLED" && ref.Replaces(sent, []string{packages[i].TrackingNumber}, contents) {
			return &packages[i]
		}
	}
	return nil
}

// PushStatus cancels the order, or confirms the parcels that are missing: an order's status on Amazon follows from its
// parcels.
func (s *session) PushStatus(ctx context.Context, ref connector.OrderRef, to connector.Status) error {
	switch to {
	case orders.Cancelled:
		return s.PushCancel(ctx, ref, "")
	case orders.Shipped:
		for _, sent := range ref.Shipped {
			if err := s.PushShipment(ctx, ref, sent); err != nil {
				return err
			}
		}
	case orders.Delivered, orders.Returned:
		return connector.Failf(connector.Cannot, "Amazon learns of %s from the carrier or the buyer", to)
	}
	return nil
}
