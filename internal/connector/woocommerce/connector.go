// Package woocommerce connects shops that run WooCommerce. README.md says what the platform promises.
//
//	verify.go, outcome.go  notifications: whether they are genuine, and what they mean
//	session.go             requests, tokens and errors; test.go tests the connection
//	orders.go, order.go    orders in; push.go sends shipments and states back, cancel.go cancellations
//	products.go            products out; stock.go has their quantities and prices
//	fakeshop               the platform in memory, for tests and for trying a channel
package woocommerce

import (
	"time"

	"entrepot/internal/channels"
	"entrepot/internal/connector"
)

// Connector translates for WooCommerce.
type Connector struct{}

// New returns the connector.
func New() *Connector { return &Connector{} }

// Profile says what the platform is called and what its channels carry.
func (*Connector) Profile() connector.Profile {
	return connector.Profile{
		Slug:     "woocommerce",
		Aliases:  []string{"woo"},
		Platform: channels.WooCommerce,
		Webhooks: connector.Registered,
		Fields: []connector.Field{
			{Name: "url", Required: true, Form: connector.Target, Shop: true, Note: "the shop's address"},
			{Name: "consumerKey", Required: true, Form: connector.Text, Note: "REST API key of the shop, begins with ck_"},
			{Name: "consumerSecret", Required: true, Form: connector.Secret, Note: "secret of that key, begins with cs_"},
			{
				Name: "webhookSecret",
				Form: connector.Secret,
				Note: "secret of the webhooks, letters and digits only; made by the connection test if none is given",
			},
		},
		Settings: []connector.Setting{
			{Name: "tracking", Label: "Tracking numbers", Note: "Where the shop gets carrier and tracking number of a shipment.",
				Default: "what the shop has", Values: []connector.Choice{{Value: "fulfillment", Words: "The shop's own fulfilments"},
					{Value: "extension", Words: "A tracking plugin"}, {Value: "note", Words: "A note to the buyer"}}},
			{Name: "taxClass", Label: "Tax class", Note: "Slug of the shop's tax class for products without one of their own.",
				Default: "new products get the standard rate, others keep theirs"},
			{Name: "shippingClass", Label: "Shipping class",
				Note: "Slug of the shop's shipping class for products without an attribute shippingClass.", Default: "as the shop has it"},
		},
	}
}

// Capabilities says what WooCommerce can do, and its limits.
func (*Connector) Capabilities() connector.Capabilities {
	return connector.Capabilities{
		Products: true, Stock: true, Prices: true, Orders: true, Webhooks: true, Topics: topics, Tracking: true,
		Statuses: []connector.Status{processing, shipped, returned},
		Batch:    connector.Batch{Products: 20, Stock: 100, Prices: 100},
		Limits: []connector.Limit{
			{Every: 100 * time.Millisecond, Burst: 30, AtOnce: 2},
		}, // no limit of its own; PHP on the merchant's host: one of the two for a push, so that buyers and orders have the rest
		Time: connector.Timing{Overlap: 5 * time.Minute},
	}
}
