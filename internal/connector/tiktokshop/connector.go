// Package tiktokshop connects shops on TikTok Shop. README.md says what the platform promises.
//
//	verify.go, outcome.go  notifications: whether they are genuine, and what they mean
//	session.go             requests, tokens and errors; test.go tests the connection
//	orders.go, order.go    orders in; push.go sends shipments and states back, cancel.go cancellations
//	products.go            products out; stock.go has their quantities and prices
//	fakeshop               the platform in memory, for tests and for trying a channel
package tiktokshop

import (
	"time"

	"entrepot/internal/channels"
	"entrepot/internal/connector"
	"entrepot/internal/orders"
)

// Connector translates for TikTok Shop.
type Connector struct{}

// New returns the connector.
func New() *Connector { return &Connector{} }

// Profile says what the platform is called and what its channels carry.
func (*Connector) Profile() connector.Profile {
	return connector.Profile{
		Slug:     "tiktok-shop",
		Aliases:  []string{"tiktok", "tiktok_shop", "tiktokshop"},
		Platform: channels.TikTokShop,
		Webhooks: connector.Registered,
		ByHand: "In Partner Center, make an app with the scopes for orders, products, logistics, fulfillment, returns and webhooks, and have " +
			"the seller authorise it. Notifications are registered by the test of the connection.",
		Fields: []connector.Field{
			{Name: "appKey", Required: true, Form: connector.Text, Note: "key of the app in Partner Center"},
			{Name: "appSecret", Required: true, Form: connector.Secret, Note: "secret of the app, which signs its webhooks too"},
			{Name: "accessToken", Required: true, Form: connector.Secret, Note: "access token of the seller's authorisation"},
			{Name: "refreshToken", Required: true, Form: connector.Secret, Note: "refresh token of the seller's authorisation",
				Renew: "authorise the app again at TikTok Shop, and enter both new tokens"},
			{Name: "shopCipher", Required: true, Form: connector.Text, Shop: true,
				Note: "cipher of the shop, from the list of authorised shops"},
			{Name: "shopId", Form: connector.Text, Note: "id of the shop; notifications about other shops of the app are then ignored"},
		},
		Settings: []connector.Setting{
			{Name: "categoryId", Label: "Category", Note: "TikTok's id of the category of all products.", Default: "what TikTok recommends for the title"},
			{Name: "brandId", Label: "Brand", Note: "TikTok's id of the brand of all products.", Default: "the attribute Brand of each product"},
			{Name: "manufacturerId", Label: "Manufacturer", Note: "TikTok's id, where a category demands it.", Default: "none"},
			{Name: "responsiblePersonId", Label: "Responsible person", Note: "TikTok's id, where a category demands it.", Default: "none"},
			{Name: "warehouseId", Label: "TikTok's warehouse", Note: "Id of the warehouse whose stock is set.", Default: "the default one"},
			{Name: "packageWeight", Label: "Package weight", Note: "Kilograms, in the United States pounds.", Default: "0.5"},
			{Name: "packageSize", Label: "Package size", Note: "Centimetres, in the United States inches, such as 20x15x10.", Default: "none"},
			{Name: "carrier", Label: "Carrier", Note: "Carrier of parcels that come without one.", Default: "none"},
			{Name: "handoverMethod", Label: "Handover", Note: "How parcels come to the carrier, where TikTok ships.", Default: "dropped off",
				Values: []connector.Choice{{Value: "PICKUP", Words: "Picked up"}}},
			{Name: "cancelReason", Label: "Reason of cancelling", Note: "The reason that TikTok gets when an order is cancelled here.",
				Default: "TikTok's word for an item that is out of stock"},
		},
	}
}

// Capabilities says what TikTok Shop can do. It documents no limits: five requests a second for each shop were
// accepted in tests.
func (*Connector) Capabilities() connector.Capabilities {
	return connector.Capabilities{Products: true, Stock: true, Prices: true, Orders: true, Webhooks: true, Topics: topics, Async: true, Watched: true,
		PartialShipments: true, Tracking: true,
		Statuses:  []connector.Status{orders.Shipped, orders.Cancelled},
		NoRefunds: "a refund on TikTok Shop pays the buyer back: make it in Seller Center",
		Batch:     connector.Batch{Products: 24, Stock: 250, Prices: 250, Orders: byID},
		Limits:    []connector.Limit{{Every: time.Second / 5, Burst: 10, AtOnce: 4}, {Name: connector.PictureLimit, AtOnce: 4}},
		Time:      connector.Timing{Overlap: 10 * time.Minute, Tail: tail, Poll: time.Minute},
	}
}
