// Package ebay connects seller accounts on eBay. README.md says what the platform promises.
//
//	verify.go, outcome.go  notifications: whether they are genuine, and what they mean
//	session.go             requests, tokens and errors; test.go tests the connection
//	orders.go, order.go    orders in; push.go sends shipments and states back, cancel.go cancellations
//	products.go            products out; stock.go has their quantities and prices
//	fakeshop               the platform in memory, for tests and for trying a channel
package ebay

import (
	"net/http"
	"strings"
	"time"

	"entrepot/internal/channels"
	"entrepot/internal/connector"
)

// api is where eBay answers when the channel names no other address.
const api = "https://api.ebay.com"

// Connector translates for eBay. It keeps eBay's public keys and its own application tokens in memory.
type Connector struct {
	client  *http.Client
	keys    *cache[publicKey]
	tokens  *cache[string]
	limits  *cache[*quotas]
	guesses *guesses
	changes *changes
}

// New returns the connector. A channel's baseUrl decides where client connects, so client must refuse forbidden
// addresses. Redirects are followed with no client: the application's secret would go with them.
func New(client *http.Client, now func() time.Time) *Connector {
	own := *client
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Connector{
		client:  &own,
		keys:    newCache[publicKey](now),
		tokens:  newCache[string](now),
		limits:  newCache[*quotas](now),
		guesses: &guesses{now: now},
		changes: newChanges(),
	}
}

// Profile says what the platform is called and what its channels carry.
func (*Connector) Profile() connector.Profile {
	return connector.Profile{
		Slug:     "ebay",
		Platform: channels.EBay,
		Webhooks: connector.Registered,
		Proof:    "verificationToken",
		ByHand: "In eBay's developer account, under marketplace account deletion, enter the address below and the verification token. " +
			"The other notifications are registered by the test of the connection.",
		Fields: []connector.Field{
			{Name: "clientId", Required: true, Form: connector.Text, Note: "App ID of the keyset"},
			{Name: "clientSecret", Required: true, Form: connector.Secret, Note: "Cert ID of the keyset"},
			{Name: "refreshToken", Required: true, Form: connector.Secret, Note: "refresh token of the seller's consent",
				Lasts: 47_304_000 * time.Second, Renew: "have the seller consent again at eBay, where a consent lasts for 18 months, and enter " +
					"the new refresh token"},
			{Name: "marketplaceId", Required: true, Form: connector.Text, Shop: true, Note: "marketplace, such as EBAY_FR"},
			{Name: "verificationToken", Required: true, Form: connector.Secret,
				Note: "token entered beside the notification address; eBay takes 32 to 80 letters, digits, _ and -"},
			{Name: "endpointUrl", Form: connector.Address,
				Note: "notification address exactly as entered at eBay, if it is not the one shown here"},
		},
		Settings: []connector.Setting{
			{Name: "categoryId", Label: "Category", Note: "Id of eBay's category of all products.",
				Default: "the listing's own, else what eBay suggests for the title"},
			{Name: "fulfillmentPolicyId", Label: "Shipping policy", Note: "Id of the account's policy, if it has several.", Default: "the account's own"},
			{Name: "paymentPolicyId", Label: "Payment policy", Note: "Id of the account's policy, if it has several.", Default: "the account's own"},
			{Name: "returnPolicyId", Label: "Return policy", Note: "Id of the account's policy, if it has several.", Default: "the account's own"},
			{Name: "merchantLocationKey", Label: "Location", Note: "Key of the account's location, if it has several.", Default: "the account's own"},
			{Name: "packageWeight", Label: "Package weight",
				Note: "Kilograms, in the United States pounds, where shipping is calculated.", Default: "as entered at eBay"},
			{Name: "packageSize", Label: "Package size", Note: "Centimetres, in the United States inches, such as 20x15x10.",
				Default: "as entered at eBay"},
			{Name: "alertEmail", Label: "Address for warnings", Note: "Where eBay writes when notifications do not arrive.",
				Default: "the address in the developer account"},
			{Name: "sellerUserId", Label: "Seller", Note: "eBay's user id: notifications about other sellers are then ignored.",
				Default: "the seller that the test of the connection found"},
		},
	}
}

// base is the address of eBay's API for a channel, without a slash at the end.
func base(ch connector.Channel) string {
	if other := strings.TrimRight(ch.Credentials["baseUrl"], "/"); other != "" {
		return other
	}
	return api
}

// Capabilities says what eBay can do.
func (*Connector) Capabilities() connector.Capabilities {
	return connector.Capabilities{Products: true, Stock: true, Prices: true, Orders: true, Webhooks: true, Topics: topics, PartialShipments: true,
		Tracking: true, Watched: true,
		Statuses:  []connector.Status{"SHIPPED", "CANCELLED"},
		NoRefunds: "a refund on eBay pays the buyer back: make it there",
		Batch:     connector.Batch{Products: bulkMost, Stock: bulkMost, Prices: bulkMost, Orders: byID},
		Limits:    []connector.Limit{{AtOnce: 4}},
		Time:      connector.Timing{Overlap: 10 * time.Minute, Tail: tail},
	}
}
