package webhooks

import (
	"slices"
	"strings"
)

// Kind is one kind of event in the catalogue (interface §4.5.9).
type Kind struct {
	Event       string
	Name        string // for people
	Category    string
	Description string
	Since       string // release in which it appeared
}

// The events (interface §6.1). Code uses these constants only.
const (
	ProductCreated       = "product.created"
	ProductUpdated       = "product.updated"
	ProductDeleted       = "product.deleted"
	CategoryCreated      = "category.created"
	CategoryUpdated      = "category.updated"
	CategoryDeleted      = "category.deleted"
	OrderReceived        = "order.received"
	OrderStatusChanged   = "order.status_changed"
	OrderShipped         = "order.shipped"
	OrderDelivered       = "order.delivered"
	OrderCancelled       = "order.cancelled"
	OrderReturned        = "order.returned"
	OrderShipmentCreated = "order.shipment_created"
	OrderUpdated         = "order.updated"
	StockUpdated         = "stock.updated"
	StockLow             = "stock.low"
	ChannelSyncCompleted = "channel.sync_completed"
	ChannelSyncFailed    = "channel.sync_failed"
	CustomerCreated      = "customer.created"
	CustomerUpdated      = "customer.updated"
	CustomerMerged       = "customer.merged"
	CustomerErased       = "customer.erased"
)

var kinds = []Kind{
	{Event: ProductCreated, Name: "Product created", Since: "v1.0",
		Description: "A product was added to the catalog."},
	{Event: ProductUpdated, Name: "Product updated", Since: "v1.0",
		Description: "A product changed; updatedFields names what."},
	{Event: ProductDeleted, Name: "Product deleted", Since: "v1.0",
		Description: "A product was removed from the catalog."},
	{Event: CategoryCreated, Name: "Category created", Since: "v1.0",
		Description: "A category was added."},
	{Event: CategoryUpdated, Name: "Category updated", Since: "v1.0",
		Description: "A category changed."},
	{Event: CategoryDeleted, Name: "Category deleted", Since: "v1.0",
		Description: "A category was removed."},
	{Event: OrderReceived, Name: "Order received", Since: "v1.0",
		Description: "A new order arrived, from any channel or by the API."},
	{Event: OrderStatusChanged, Name: "Order status changed", Since: "v1.0",
		Description: "An order moved; data has previousStatus and status. Sent for every move."},
	{Event: OrderShipped, Name: "Order shipped", Since: "v1.0",
		Description: "An order reached SHIPPED for the first time; sent together with order.status_changed."},
	{Event: OrderDelivered, Name: "Order delivered", Since: "v2.4",
		Description: "An order reached DELIVERED; sent together with order.status_changed."},
	{Event: OrderCancelled, Name: "Order cancelled", Since: "v2.4",
		Description: "An order was cancelled; sent together with order.status_changed."},
	{Event: OrderReturned, Name: "Order returned", Since: "v2.4",
		Description: "An order came back; sent together with order.status_changed."},
	{Event: OrderShipmentCreated, Name: "Shipment created", Since: "v2.12",
		Description: "A shipment left, of a part of an order or of all of it; data is the shipment with its lines."},
	{Event: OrderUpdated, Name: "Order updated", Since: "v2.12",
		Description: "Lines or amounts of an order changed before preparation."},
	{Event: StockUpdated, Name: "Stock updated", Since: "v1.0",
		Description: "What is on hand of a SKU in a warehouse changed."},
	{Event: StockLow, Name: "Stock low", Since: "v1.0",
		Description: "The available stock of a SKU fell below its threshold; once per crossing."},
	{Event: ChannelSyncCompleted, Name: "Channel synchronised", Since: "v1.0",
		Description: "A synchronisation with a channel ended well, or a bulk import is done."},
	{Event: ChannelSyncFailed, Name: "Channel synchronisation failed", Since: "v1.0",
		Description: "A synchronisation with a channel failed; syncErrors says why."},
	{Event: CustomerCreated, Name: "Customer created", Since: "v1.0",
		Description: "A customer was added, by the API or with an order of an unknown e-mail address."},
	{Event: CustomerUpdated, Name: "Customer updated", Since: "v1.0",
		Description: "A customer or one of its addresses changed."},
	{Event: CustomerMerged, Name: "Customers merged", Since: "v1.0",
		Description: "Customer records became one; orders and tags moved to the primary."},
	{Event: CustomerErased, Name: "Customer erased", Since: "v2.11",
		Description: "A person's data was erased: purge what you cached for this id."},
}

// Kinds are the 22 events.
func Kinds() []Kind {
	list := slices.Clone(kinds)
	for i := range list {
		list[i].Category, _, _ = strings.Cut(list[i].Event, ".")
	}
	return list
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

// ReadScopes are the scopes that show the data of some events, or of All, each once.
func ReadScopes(events []string) (scopes []string) {
	if slices.Contains(events, All) {
		events = EventNames
	}
	for _, event := range events {
		if scope := ReadScope(event); !slices.Contains(scopes, scope) {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

// EventNames are the names of all events.
var EventNames = names()

func names() (list []string) {
	for _, k := range kinds {
		list = append(list, k.Event)
	}
	return list
}
