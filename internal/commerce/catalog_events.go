package commerce

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// productEvent is product.created or product.deleted (interface §6.1).
func productEvent(name string, p *catalog.Product, currency string) webhooks.Event {
	return records.NewEvent(name, string(p.ID), func(w *apijson.Writer) { records.WriteProductData(w, p, currency) })
}

// productUpdated is product.updated; fields are named as in interface §2.7.1.
func productUpdated(product id.Product, sku, name string, fields []string) webhooks.Event {
	return records.NewEvent(webhooks.ProductUpdated, string(product),
		func(w *apijson.Writer) { records.WriteProductUpdatedData(w, product, sku, name, fields) })
}

// relinked returns the events of products whose categories change because a category is created or deleted.
func relinked(products []catalog.Touched) []webhooks.Event {
	events := make([]webhooks.Event, 0, len(products))
	for _, p := range products {
		events = append(events, productUpdated(p.ID, p.SKU, p.Name, []string{"categoryIds"}))
	}
	return events
}

// categoryEvent is category.created, category.updated or category.deleted.
func categoryEvent(name string, c catalog.Category) webhooks.Event {
	return records.NewEvent(name, string(c.ID), func(w *apijson.Writer) { records.WriteCategoryData(w, c) })
}
