// Package amazon connects seller accounts of Amazon's Selling Partner API. README.md says what the platform promises.
//
//	verify.go, outcome.go  notifications: whether they are genuine, and what they mean
//	orders.go, order.go    orders in; push.go sends shipments, states and cancellations back
//	products.go            products out; levels.go has their quantities and prices
//	fakeshop               the platform in memory, for tests and for trying a channel
package amazon

import (
	"entrepot/internal/channels"
	"entrepot/internal/connector"
)

// Connector translates for Amazon.
type Connector struct{}

// New returns the connector.
func New() *Connector { return &Connector{} }

// Profile says what the platform is called and what its channels carry.
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
			{Name: "clientSecret", Required: true, Form: connector.Secret, Note: "client secret of the app"},
			{Name: "refreshToken", Required: true, Form: connector.Secret, Note: "refresh token of the seller's authorisation, begins with Atzr|"},
			{Name: "relaySecret", Form: connector.Secret, Note: "what the relay puts into X-Relay-Secret; without it anybody can queue pulls"},
		},
	}
}
