// Package amazon connects seller accounts of Amazon's Selling Partner API. README.md says what the platform promises.
//
//	verify.go, outcome.go  notifications: whether they are genuine, and what they mean
//	session.go             requests, tokens and errors; test.go tests the connection
//	orders.go, order.go    orders in; push.go sends shipments and states back, cancel.go cancellations
//	products.go            products out; stock.go has their quantities and prices
//	fakeshop               the platform in memory, for tests and for trying a channel
package amazon

import (
	"time"

	"entrepot/internal/channels"
	"entrepot/internal/connector"
)

// Connector translates for Amazon.
type Connector struct{}

// New returns the connector.
func New() *Connector { return &Connector{} }

// Profile returns the platform's names and the credentials of its channels.
func (*Connector) Profile() connector.Profile {
	return connector.Profile{
		Slug:     "amazon",
		Platform: channels.Amazon,
		Webhooks: connector.Relayed,
		ByHand: "Amazon sends no webhooks. A relay of yours may post its notifications to the address below, with the relay secret in the " +
			"header X-Relay-Secret; without one, orders are pulled on schedule. Authorise the app again once a year.",
		Fields: []connector.Field{
			{Name: "sellerId", Required: true, Form: connector.Text, Shop: true, Note: "merchant token of the seller account"},
			{Name: "marketplaceId", Required: true, Form: connector.Text, Shop: true,
				Note: "marketplace id, such as A13V1IB3VIYZZH for France"},
			{Name: "clientId", Required: true, Form: connector.Text, Note: "client id of the app, begins with amzn1.application-oa2-client"},
			{Name: "clientSecret", Required: true, Form: connector.Secret, Note: "client secret of the app",
				Lasts: 180 * 24 * time.Hour, Renew: "make a new client secret in the app's credentials at Amazon, which takes one for 180 days, " +
					"and enter it"},
			{Name: "refreshToken", Required: true, Form: connector.Secret, Note: "refresh token of the seller's authorisation, begins with Atzr|",
				Lasts: 365 * 24 * time.Hour, Renew: "authorise the app again at Amazon, where an authorisation lasts for a year, and enter the " +
					"new refresh token"},
			{Name: "relaySecret", Form: connector.Secret, Note: "what the relay puts into X-Relay-Secret; without it anybody can queue pulls"},
		},
		Settings: []connector.Setting{
			{Name: "fba", Label: "Orders that Amazon ships", Note: "Orders of FBA reserve no stock here and are never changed from here.",
				Default: "they stay out", Values: []connector.Choice{{Value: "take", Words: "Take them as well"}}},
			{Name: "listing", Label: "Listings", Note: "Whether texts and pictures are sent, or only an offer for what Amazon's catalog has.",
				Default: "only offers", Values: []connector.Choice{{Value: "full", Words: "Whole listings with texts and pictures"}}},
			{Name: "productType", Label: "Product type", Note: "Amazon's product type of whole listings.", Default: "none: whole listings need one"},
			{Name: "variationTheme", Label: "Variation theme", Note: "By what variants of whole listings differ, in Amazon's word.",
				Default: "none: products with variants need one"},
			{Name: "brand", Label: "Brand", Note: "Brand of whole listings for products without an attribute Brand.", Default: "none"},
			{Name: "attributes", Label: "Attributes", Note: "Our attributes by Amazon's names, such as Material=material,Size=size.",
				Default: "none are sent"},
			{Name: "cancelReason", Label: "Reason of cancelling", Note: "The reason that Amazon gets when an order is cancelled here.", Default: "NoInventory"},
		},
	}
}

// Capabilities says what Amazon can do. It sends no notifications by itself, so orders depend on the scheduled pull,
// one search in five minutes.
func (*Connector) Capabilities() connector.Capabilities {
	return connector.Capabilities{Products: true, Stock: true, Prices: true, Orders: true, Async: true, Watched: true,
		PartialShipments: true, Tracking: true,
		Statuses:  []connector.Status{"SHIPPED", "CANCELLED"},
		NoRefunds: "Amazon takes no refunds from here: make it in Seller Central",
		Batch:     connector.Batch{Products: 500, Stock: 2500, Prices: 2500, Notified: getOrder.burst},
		Limits:    limits(),
		Time:      connector.Timing{Overlap: 5 * time.Minute, Tail: tail, Every: 5 * time.Minute, Poll: 10 * time.Second},
	}
}
