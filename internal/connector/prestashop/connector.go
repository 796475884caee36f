// Package prestashop connects shops that run PrestaShop. README.md says what the platform promises.
//
//	verify.go, outcome.go  notifications: whether they are genuine, and what they mean
//	orders.go, order.go    orders in; push.go sends shipments, states and cancellations back
//	products.go            products out; stock.go has their quantities, prices.go their prices
//	fakeshop               the platform in memory, for tests and for trying a channel
package prestashop

import (
	"entrepot/internal/channels"
	"entrepot/internal/connector"
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
	}
}
