package commerce

import (
	"entrepot/internal/apijson"
	"entrepot/internal/catalog"
	"entrepot/internal/id"
	"entrepot/internal/webhooks"
)

// productEvent is product.created or product.deleted (interface §6.1).
func productEvent(name string, p *catalog.Product, currency string) webhooks.Event {
	return webhooks.New(name, string(p.ID), func(w *apijson.Writer) { productData(w, p, currency) })
}

func productData(w *apijson.Writer, p *catalog.Product, currency string) {
	w.Record("ProductData", "")
	apijson.ID(w, "id", p.ID)
	w.Text("sku", p.SKU)
	w.Text("name", p.Name)
	apijson.Word(w, "status", p.Status)
	w.Money("price", p.Price)
	w.MoneyOrNull("compareAtPrice", p.CompareAt)
	w.Text("currency", currency)
	apijson.Texts(w, "categoryIds", p.CategoryIDs())
	w.End()
}

// productUpdated is product.updated; fields are named as in interface §2.7.1.
func productUpdated(product id.Product, sku, name string, fields []string) webhooks.Event {
	return webhooks.New(webhooks.ProductUpdated, string(product), func(w *apijson.Writer) { productUpdatedData(w, product, sku, name, fields) })
}

func productUpdatedData(w *apijson.Writer, product id.Product, sku, name string, fields []string) {
	w.Record("ProductUpdatedData", "")
	apijson.ID(w, "id", product)
	w.Text("name", name)
	w.Text("sku", sku)
	apijson.Texts(w, "updatedFields", fields)
	w.End()
}

// relinked are the events of products whose categories change because a category comes or goes.
func relinked(products []catalog.Touched) []webhooks.Event {
	events := make([]webhooks.Event, 0, len(products))
	for _, p := range products {
		events = append(events, productUpdated(p.ID, p.SKU, p.Name, []string{"categoryIds"}))
	}
	return events
}

// categoryEvent is category.created, category.updated or category.deleted.
func categoryEvent(name string, c catalog.Category) webhooks.Event {
	return webhooks.New(name, string(c.ID), func(w *apijson.Writer) { categoryData(w, c) })
}

func categoryData(w *apijson.Writer, c catalog.Category) {
	w.Record("CategoryData", "")
	apijson.ID(w, "id", c.ID)
	w.TextOrNull("externalId", c.ExternalID)
	w.Text("name", c.Name)
	w.Text("slug", c.Slug)
	apijson.IDOrNull(w, "parentId", c.Parent)
	w.End()
}
