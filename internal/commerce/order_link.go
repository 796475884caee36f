package commerce

import (
	"fmt"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// LinkOrder links lines of an open order to products whose SKUs were created since, and reserves their quantities
// (interface §2.1). Errors: NotFound.
func (s *Service) LinkOrder(tx *db.Tx, order id.Order) error {
	o, err := orders.Lock(tx, order)
	if err != nil {
		return err
	}
	before := copyOf(o)
	var skus []string
	for _, l := range o.Lines {
		if l.Waits() {
			skus = append(skus, l.SKU)
		}
	}
	found, err := catalog.Resolve(tx, skus)
	if err != nil {
		return err
	}
	linked := false
	for i := range o.Lines {
		l := &o.Lines[i]
		product, ok := found[l.SKU]
		if !ok || !l.Waits() {
			continue
		}
		l.Product, l.Variant, linked = product.Product, product.Variant, true
		orders.Unflag(tx, o, orders.UnknownSKU, fmt.Sprintf("items[%d].sku", i))
	}
	if !linked {
		return nil
	}
	o.Reserve()
	changes, err := holdStock(tx, before, o,
		stock.Why{Cause: stock.FromChannel, ReferenceType: "order", ReferenceID: string(o.ID), Actor: accounts.Caller{}.Actor()}, false)
	if err != nil {
		return err
	}
	touch(tx, o)
	s.saveOrder(tx, before, o)
	webhooks.Record(tx, append([]webhooks.Event{orderUpdated(o)}, stockEvents(tx, changes, "channel")...)...)
	return nil
}
