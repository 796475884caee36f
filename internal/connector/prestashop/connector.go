// Package prestashop connects shops that run PrestaShop. README.md says what the platform promises.
//
//	verify.go, outcome.go  notifications: whether they are genuine, and what they mean
//	session.go             requests, tokens and errors; test.go tests the connection
//	orders.go, order.go    orders in; push.go sends shipments and states back, cancel.go cancellations
//	products.go            products out; stock.go has their quantities, prices.go their prices
//	fakeshop               the platform in memory, for tests and for trying a channel
package prestashop

import (
	"time"

	"entrepot/internal/channels"
	"entrepot/internal/connector"
	"entrepot/internal/orders"
)

// Connector translates for PrestaShop.
type Connector struct{}

// New returns the connector.
func New() *Connector { return &Connector{} }

// Profile says what the platform is called and what its channels carry.
func (*Connector) Profile() connector.Profile {
	return connector.Profile{
		Slug:     "prestashop",
		Platform: channels.PrestaShop,
		Webhooks: connector.Pasted,
		ByHand: "Install a module that sends notifications, and enter the address below in it, with the header and the secret that the test " +
			"of the connection shows. Until then orders are pulled on schedule.",
		Header: defaultSignatureHeader,
		Fields: []connector.Field{
			{Name: "url", Required: true, Form: connector.Target, Shop: true, Note: "the shop's address, with its folder if it has one"},
			{Name: "webserviceKey", Required: true, Form: connector.Secret, Note: "key of the shop's web service, 32 characters"},
			{Name: "webhookSecret", Form: connector.Secret,
				Note: "secret to enter in the shop's webhook module; made by the connection test if none is given"},
			{Name: "signatureHeader", Form: connector.Header, Note: "header in which the module signs, if not " + defaultSignatureHeader},
		},
		Settings: []connector.Setting{
			{Name: "shopNumber", Label: "Shop number", Note: "Which of several shops of the installation this is (id_shop).",
				Default: "the default shop"},
			{Name: "taxRulesGroup", Label: "Tax rules group",
				Note:    "Id or name of the tax rules group of products without an attribute taxRulesGroup; 0 is none.",
				Default: "new products get the one that most products of the shop have"},
			{Name: "keyInAddress", Label: "Key in addresses",
				Note:    "For a web server that takes the key out of the header. The shop's own log has the key then.",
				Default: "in the header", Values: []connector.Choice{{Value: "true", Words: "Send the key in addresses"}}},
		},
	}
}

// Capabilities says what a shop can do. It has no parcels: an order has one field for tracking numbers.
func (*Connector) Capabilities() connector.Capabilities {
	return connector.Capabilities{Products: true, Stock: true, Prices: true, Orders: true, Tracking: true,
		Statuses: []connector.Status{orders.Processing, orders.Shipped, orders.Delivered, orders.Cancelled, orders.Returned},
		Batch:    connector.Batch{Products: 10, Stock: 100, Prices: 50, Orders: byID},
		Limits:   []connector.Limit{{AtOnce: 3}},
		Time:     connector.Timing{Overlap: overlap, Tail: tail},
	}
}

// overlap is how far a pull starts before the last one's end: rows of one second are not all written at once.
const overlap = 5 * time.Minute
