package commerce

import (
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/webhooks"
)

// ShipmentUpdate is the request of PATCH shipments: fields that are not set stay, null clears. ShippedAt is in
// microseconds; without a time, a shipment was shipped when it was recorded.
type ShipmentUpdate struct {
	Carrier        patch.Field[string]
	TrackingNumber patch.Field[string]
	TrackingURL    patch.Field[string]
	Notes          patch.Field[string]
	ShippedAt      patch.Field[int64]
}

// UpdateShipment changes the details of a shipment and emits order.updated; changed tracking is sent to the order's
// platform (interface §4.1). If nothing changes, it writes and emits nothing. Errors: NotFound; those of Expected;
// Conflict when the order is cancelled or returned.
func (s *Service) UpdateShipment(tx *db.Tx, who accounts.Caller, order id.Order, expected Expected, shipment id.Shipment,
	d ShipmentUpdate) (*orders.Order, orders.Shipment, error) {
	invalid := expected.Invalid
	if expected.Invalid = nil; invalid != nil {
		expected.Versions = nil // an invalid body is reported before them, and a missing shipment before it
	}
	o, err := holdOrder(tx, order, expected)
	if err != nil {
		return nil, orders.Shipment{}, err
	}
	at := slices.IndexFunc(o.Shipments, func(s orders.Shipment) bool { return s.ID == shipment })
	switch {
	case at < 0:
		return nil, orders.Shipment{}, apperr.Missing("shipment")
	case invalid != nil:
		return nil, orders.Shipment{}, invalid
	}
	before, old := copyOf(o), o.Shipments[at]
	is, changes := d.of(old)
	switch {
	case len(changes) == 0:
		return o, old, nil
	case o.Status == orders.Cancelled || o.Status == orders.Returned:
		return nil, old, apperr.New(apperr.Conflict, "shipment_locked", "a shipment of a %s order cannot be changed", o.Status).With("orderId",
			o.ID)
	}
	// the platform may still show the old one
	if is.TrackingNumber != old.TrackingNumber && o.PlatformID != "" && old.ExternalID == "" {
		changes[0].Parcel = &orders.DeletedParcel{Mark: numberMark(old.TrackingNumber)}
	}
	o.Shipments = slices.Clone(o.Shipments)
	o.SaveShipment(tx, at, is)
	touch(tx, o)
	orders.RecordEdit(tx, o, sourceOf(who), who.Actor(), changes)
	if old.Carrier != is.Carrier || old.TrackingNumber != is.TrackingNumber || old.TrackingURL != is.TrackingURL {
		pushTracking(tx, o, is)
	}
	orders.SaveDetails(tx, before, o)
	webhooks.Record(tx, orderUpdated(o))
	return o, is, nil
}

// of is the shipment with the change, and what differs.
func (d ShipmentUpdate) of(old orders.Shipment) (s orders.Shipment, changes []orders.Change) {
	s = old
	for _, text := range []struct {
		field string
		given patch.Field[string]
		at    *string
	}{{"carrier", d.Carrier, &s.Carrier}, {"trackingNumber", d.TrackingNumber, &s.TrackingNumber},
		{"trackingUrl", d.TrackingURL, &s.TrackingURL}, {"notes", d.Notes, &s.Notes}} {
		if text.given.Set && text.given.Value != *text.at {
			*text.at = text.given.Value
			changes = append(changes, orders.Change{Field: text.field, Shipment: old.ID})
		}
	}
	if d.ShippedAt.Set {
		if s.ShippedAt = d.ShippedAt.Value; d.ShippedAt.Null {
			s.ShippedAt = s.CreatedAt
		}
		if orders.Shown(s.ShippedAt) == orders.Shown(old.ShippedAt) { // as it was read
			s.ShippedAt = old.ShippedAt
		} else {
			changes = append(changes, orders.Change{Field: "shippedAt", Shipment: old.ID})
		}
	}
	return s, changes
}

// pushTracking queues that an order's platform is sent the tracking of a shipment. A parcel that the platform packed
// itself is known there by its own tracking, which cannot be changed from here.
func pushTracking(tx db.Writer, o *orders.Order, s orders.Shipment) {
	switch {
	case s.ExternalID == "":
		pushToPlatform(tx, o, orders.FromShipment)
	case o.PlatformID != "" && o.Sync.State != orders.SyncPending:
		o.Sync = orders.Sync{State: orders.SyncSkipped, Error: "the platform packed this parcel: change its tracking there",
			UpdatedAt: tx.Micros()}
	}
}
