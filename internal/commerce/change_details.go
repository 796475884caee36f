package commerce

import (
	"entrepot/internal/db"
	"entrepot/internal/fault"
	"entrepot/internal/orders"
	"entrepot/internal/webhooks"
	"entrepot/internal/wire"
)

// OrderDetails is what a caller asks of PATCH /orders/{id}: what is not set stays, null clears. Addresses and payment metadata are
// free JSON.
type OrderDetails struct {
	Notes           wire.Field[string]
	ShippingAddress wire.Field[string]
	BillingAddress  wire.Field[string]
	PaymentMetadata wire.Field[string]
}

// ChangeDetails changes what a locked order carries beside its lines and amounts, and emits order.updated (interface §4.1). A change
// that changes nothing writes nothing and emits nothing. Errors: Conflict for another address once something was shipped.
func (s *Service) ChangeDetails(tx *db.Tx, o *orders.Order, d OrderDetails) error {
	before := copyOf(o)
	if d.Notes.Set {
		o.Notes = d.Notes.Value
	}
	replace := func(stored *string, f wire.Field[string], normal func(string) string) (changed bool) {
		if !f.Set || sameJSON(*stored, normal(f.Value)) {
			return false
		}
		*stored = normal(f.Value)
		return true
	}
	asGiven := func(text string) string { return text }
	moved := replace(&o.ShippingAddress, d.ShippingAddress, NormalAddress)
	moved = replace(&o.BillingAddress, d.BillingAddress, asGiven) || moved
	paid := replace(&o.PaymentMetadata, d.PaymentMetadata, asGiven)
	switch {
	case moved && o.AnyShipped():
		*o = *before
		return fault.New(fault.Conflict, "order_shipped", "addresses can be changed only while nothing of the order was shipped").With("orderId", o.ID)
	case !moved && !paid && o.Notes == before.Notes:
		return nil
	}
	touch(tx, o)
	orders.SaveDetails(tx, before, o)
	webhooks.Record(tx, webhooks.New("order.updated", string(o.ID), func(w *wire.Writer) { orderUpdatedData(w, o) }))
	return nil
}

// sameJSON tells whether two texts, "" for none, hold the same JSON, however it is written.
func sameJSON(a, b string) bool {
	if a == b || a == "" || b == "" {
		return a == b
	}
	x, errX := wire.Parse([]byte(a))
	y, errY := wire.Parse([]byte(b))
	return errX == nil && errY == nil && x.Fingerprint() == y.Fingerprint()
}
