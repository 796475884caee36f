package commerce

import (
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/jsonvalue"
	"entrepot/internal/base/patch"
	"entrepot/internal/base/postal"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// OrderUpdate is the request of PATCH /orders/{id}: fields that are not set stay, null clears. Addresses and payment
// metadata are free JSON.
type OrderUpdate struct {
	Notes           patch.Field[string]
	ShippingAddress patch.Field[string]
	BillingAddress  patch.Field[string]
	PaymentMetadata patch.Field[string]
	Tags            patch.Field[[]string]
	AssignedTo      patch.Field[id.User]
}

// UpdateOrder changes an order's notes, tags, assigned user, addresses and payment metadata, and emits order.updated
// (interface §4.1). If nothing changes, it writes and emits nothing. Errors: NotFound for the order and for a user whom
// it is newly assigned to; those of Expected; Conflict for another address once something was shipped.
func (s *Service) UpdateOrder(tx *db.Tx, who accounts.Caller, order id.Order, expected Expected, d OrderUpdate) (*orders.Order,
	error) {
	o, err := holdOrder(tx, order, expected)
	if err != nil {
		return nil, err
	}
	return s.updateOrder(tx, who, o, d)
}

// updateOrder is UpdateOrder for a locked order.
func (s *Service) updateOrder(tx *db.Tx, who accounts.Caller, o *orders.Order, d OrderUpdate) (*orders.Order, error) {
	before := copyOf(o)
	d.Notes.Apply(&o.Notes)
	if d.Tags.Set {
		o.Tags = orders.DistinctTags(d.Tags.Value)
	}
	if err := assign(tx, o, d.AssignedTo); err != nil {
		return nil, err
	}
	replace := func(stored *string, f patch.Field[string], normal func(string) string) (changed bool) {
		if !f.Set || jsonvalue.Same(*stored, normal(f.Value)) {
			return false
		}
		*stored = normal(f.Value)
		return true
	}
	asGiven := func(text string) string { return text }
	moved := replace(&o.ShippingAddress, d.ShippingAddress, postal.Normal)
	moved = replace(&o.BillingAddress, d.BillingAddress, asGiven) || moved
	paid := replace(&o.PaymentMetadata, d.PaymentMetadata, asGiven)
	switch {
	case moved && o.AnyShipped():
		return nil, apperr.New(apperr.Conflict, "order_shipped",
			"addresses can be changed only while nothing of the order was shipped").With("orderId", o.ID)
	case !moved && !paid && o.Notes == before.Notes && o.AssignedTo == before.AssignedTo && slices.Equal(o.Tags, before.Tags):
		return before, nil
	}
	touch(tx, o)
	orders.RecordEdit(tx, o, sourceOf(who), who.Actor(), orders.Changes(before, o))
	orders.SaveDetails(tx, before, o)
	if err := customers.MoveOrder(tx, o.Customer, o.CreatedAt, before.ShippingAddress, o.ShippingAddress,
		func() ([]customers.OrderCountry, error) {
			list, err := orders.Destinations(tx, o.Customer, o.ID)
			countries := make([]customers.OrderCountry, len(list))
			for i, d := range list {
				countries[i] = customers.CountryOfOrder(d.Address, d.CreatedAt)
			}
			return countries, err
		}); err != nil {
		return nil, err
	}
	webhooks.Record(tx, records.NewEvent(webhooks.OrderUpdated, string(o.ID), func(w *apijson.Writer) { records.WriteOrderUpdatedData(w, o) }))
	return o, nil
}
