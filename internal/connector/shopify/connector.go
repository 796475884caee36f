// Package shopify connects hosted storefronts of Shopify. README.md says what the platform promises.
//
//	verify.go, outcome.go  notifications: whether they are genuine, and what they mean
//	session.go             requests, tokens and errors; test.go tests the connection
//	orders.go, order.go    orders in; push.go sends shipments and states back, cancel.go cancellations
//	products.go            products out; stock.go has their quantities and prices
//	fakeshop               the platform in memory, for tests and for trying a channel
package shopify

import (
	"time"

	"entrepot/internal/channels"
	"entrepot/internal/connector"
	"entrepot/internal/orders"
)

// Connector translates for Shopify.
type Connector struct{}

// New returns the connector.
func New() *Connector { return &Connector{} }

// Profile says what the platform is called and what its channels carry.
func (*Connector) Profile() connector.Profile {
	return connector.Profile{
		Slug:     "shopify",
		Platform: channels.Shopify,
		Webhooks: connector.Registered,
		Fields: []connector.Field{
			{Name: "shop", Required: true, Form: connector.Text, Shop: true, Host: shopDomain,
				Note: "the shop's own domain, name.myshopify.com"},
			{Name: "accessToken", Required: true, Or: []string{"clientId", "clientSecret"}, Form: connector.Secret,
				Note: "token of an app installed in the shop, begins with shpat_"},
			{Name: "clientId", Form: connector.Text, Note: "id of an app of the shop's own organisation"},
			{Name: "clientSecret", Form: connector.Secret, Note: "secret of that app"},
			{Name: "webhookSecret", Required: true, Form: connector.Secret, Note: "the app's client secret, which signs its webhooks"},
			{Name: "previousWebhookSecret", Form: connector.Secret,
				Note: "the client secret before it was rotated; remove it an hour after the rotation"},
		},
		Settings: []connector.Setting{
			{Name: "locationId", Label: "Location", Note: "Id of the shop's location where stock is kept.",
				Default: "the oldest active one that ships online orders"},
			{Name: "refundOnCancel", Label: "Money of cancelled orders", Note: "Whether cancelling an order here refunds the buyer in Shopify.",
				Default: "no money moves", Values: []connector.Choice{{Value: "true", Words: "Refund the buyer"}}},
			{Name: "testOrders", Label: "Test orders", Note: "Whether orders of Shopify's test mode come in.",
				Default: "they stay out", Values: []connector.Choice{{Value: "true", Words: "Take them as well"}}},
		},
	}
}

// Capabilities says what a shop can do. Limits are points, which the shop counts itself: see session.go.
func (*Connector) Capabilities() connector.Capabilities {
	return connector.Capabilities{Products: true, Stock: true, Prices: true, Orders: true, Webhooks: true, Topics: topics, PartialShipments: true,
		Tracking: true, Async: true,
		Statuses:  []connector.Status{orders.Shipped, orders.Delivered, orders.Cancelled},
		NoRefunds: "Shopify keeps no refund without paying it back: make it there",
		Batch:     connector.Batch{Products: 20, Stock: 250, Prices: 250, Orders: sizes[0].orders},
		Limits:    []connector.Limit{{AtOnce: 4}},
		// of pictures, and of what the shop holds back
		Time: connector.Timing{Overlap: 2 * time.Minute, Tail: tail, Poll: 2 * time.Minute},
	}
}
