package webhooks

import (
	"strings"

	"entrepot/internal/apijson"
)

// Kind is one kind of event as the catalogue tells it (interface §4.5.9).
type Kind struct {
	Event       string
	Name        string // for people
	Category    string
	Description string
	Since       string                // release in which it appeared
	Sample      func(*apijson.Writer) // writes a sample of its data
}

// Kinds are the 22 events. Their samples are filled in where the events are rendered.
func Kinds() []Kind {
	return []Kind{
		{Event: "product.created", Name: "Product created", Category: "product", Since: "v1.0", Description: "A product was added to the catalog."},
		{Event: "product.updated", Name: "Product updated", Category: "product", Since: "v1.0", Description: "A product changed; updatedFields names what."},
		{Event: "product.deleted", Name: "Product deleted", Category: "product", Since: "v1.0", Description: "A product was removed from the catalog."},
		{Event: "category.created", Name: "Category created", Category: "category", Since: "v1.0", Description: "A category was added."},
		{Event: "category.updated", Name: "Category updated", Category: "category", Since: "v1.0", Description: "A category changed."},
		{Event: "category.deleted", Name: "Category deleted", Category: "category", Since: "v1.0", Description: "A category was removed."},
		{Event: "order.received", Name: "Order received", Category: "order", Since: "v1.0", Description: "A new order arrived, from any channel or by the API."},
		{Event: "order.status_changed", Name: "Order status changed", Category: "order", Since: "v1.0", Description: "An order moved; data has previousStatus and status. Sent for every move."},
		{Event: "order.shipped", Name: "Order shipped", Category: "order", Since: "v1.0", Description: "An order reached SHIPPED for the first time; sent together with order.status_changed."},
		{Event: "order.delivered", Name: "Order delivered", Category: "order", Since: "v2.4", Description: "An order reached DELIVERED; sent together with order.status_changed."},
		{Event: "order.cancelled", Name: "Order cancelled", Category: "order", Since: "v2.4", Description: "An order was cancelled; sent together with order.status_changed."},
		{Event: "order.returned", Name: "Order returned", Category: "order", Since: "v2.4", Description: "An order came back; sent together with order.status_changed."},
		{Event: "order.shipment_created", Name: "Shipment created", Category: "order", Since: "v2.12", Description: "A shipment left, of a part of an order or of all of it; data is the shipment with its lines."},
		{Event: "order.updated", Name: "Order updated", Category: "order", Since: "v2.12", Description: "Lines or amounts of an order changed before preparation."},
		{Event: "stock.updated", Name: "Stock updated", Category: "stock", Since: "v1.0", Description: "What is on hand of a SKU in a warehouse changed."},
		{Event: "stock.low", Name: "Stock low", Category: "stock", Since: "v1.0", Description: "The available stock of a SKU fell below its threshold; once per crossing."},
		{Event: "channel.sync_completed", Name: "Channel synchronised", Category: "channel", Since: "v1.0", Description: "A synchronisation with a channel ended well, or a bulk import is done."},
		{Event: "channel.sync_failed", Name: "Channel synchronisation failed", Category: "channel", Since: "v1.0", Description: "A synchronisation with a channel failed; syncErrors says why."},
		{Event: "customer.created", Name: "Customer created", Category: "customer", Since: "v1.0", Description: "A customer was added, by the API or with an order of an unknown e-mail address."},
		{Event: "customer.updated", Name: "Customer updated", Category: "customer", Since: "v1.0", Description: "A customer or one of its addresses changed."},
		{Event: "customer.merged", Name: "Customers merged", Category: "customer", Since: "v1.0", Description: "Customer records became one; orders and tags moved to the primary."},
		{Event: "customer.erased", Name: "Customer erased", Category: "customer", Since: "v2.11", Description: "A person's data was erased: purge what you cached for this id."},
	}
}

// ReadScope is the scope that shows an event's data to an API key: reading what the event is about (interface §4.5.9).
func ReadScope(event string) string {
	switch category, _, _ := strings.Cut(event, "."); category {
	case "category":
		return "read:categories"
	case "stock":
		return "read:inventory"
	default:
		return "read:" + category + "s"
	}
}

// EventNames are the names of all events.
var EventNames = names()

func names() (list []string) {
	for _, k := range Kinds() {
		list = append(list, k.Event)
	}
	return list
}
