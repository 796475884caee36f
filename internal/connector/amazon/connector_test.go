package amazon_test

import (
	"context"
	"net/http"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/connector"
	"entrepot/internal/connector/amazon"
	"entrepot/internal/connector/connectortest"
)

const secret = "Relay-Secret-77"

func about(topic string) connector.Outcome { return connector.About(topic, "") }

func suite() connectortest.Suite {
	return connectortest.Suite{
		Connector: amazon.New(),
		Channel: connector.Channel{ID: "ch-1", Platform: "AMAZON", Credentials: connector.Credentials{
			"sellerId": "A1SELLER", "marketplaceId": "A13V1IB3VIYZZH", "clientId": "c", "clientSecret": "d",
			"refreshToken": "Atzr|e", "relaySecret": secret,
		}},
		Sign:            func([]byte) string { return secret },
		SignatureHeader: "X-Relay-Secret",
		SecretField:     "relaySecret",
		Refusal:         apperr.Invalid,
		BodyUnsigned:    true,
		Samples: []connectortest.Sample{
			{Body: "order_change.json", Want: about("ORDER_CHANGE").PullOrder("402-1111111-2222222")},
			{ // wrapped by EventBridge
				Body: `{"version":"0","id":"e","detail-type":"ORDER_CHANGE","detail":{"NotificationType":"ORDER_CHANGE",` +
					`"Payload":{"OrderChangeNotification":{"SellerId":"A1SELLER","AmazonOrderId":"402-3"}},` +
					`"NotificationMetadata":{"NotificationId":"a-0002"}}}`,
				Want: about("ORDER_CHANGE").PullOrder("402-3"),
			}, {
				Body: `{"NotificationType":"LISTINGS_ITEM_MFN_QUANTITY_CHANGE","Payload":{"SellerId":"A1SELLER","Sku":"MUG-BLUE","Quantity":3},` +
					`"NotificationMetadata":{"NotificationId":"a-0003"}}`,
				Want: about("LISTINGS_ITEM_MFN_QUANTITY_CHANGE").PushStock("MUG-BLUE"),
			}, {
				Body: `{"NotificationType":"LISTINGS_ITEM_STATUS_CHANGE","Payload":{"SellerId":"A1SELLER","Sku":"MUG-BLUE","Status":["BUYABLE"]},` +
					`"NotificationMetadata":{"NotificationId":"a-0004"}}`,
				Want: about("LISTINGS_ITEM_STATUS_CHANGE").PushStock("MUG-BLUE"),
			}, {
				Body: `{"NotificationType":"LISTINGS_ITEM_ISSUES_CHANGE","Payload":{"SellerId":"A1SELLER","Sku":"MUG-BLUE","Severities":["ERROR"]},` +
					`"NotificationMetadata":{"NotificationId":"a-0014"}}`,
				Want: about("LISTINGS_ITEM_ISSUES_CHANGE").PushStock("MUG-BLUE"),
			},
			{
				Body: `{"NotificationType":"ORDER_CHANGE","Payload":{"OrderChangeNotification":{"AmazonOrderId":"402-4",` +
					`"Summary":{"MarketplaceId":"A13V1IB3VIYZZH","FulfillmentType":"AFN"}}},"NotificationMetadata":{"NotificationId":"a-0007"}}`,
				Want: about("ORDER_CHANGE").Ignore("Amazon ships the order itself"),
			}, {
				Body: `{"NotificationType":"ORDER_CHANGE","Payload":{"OrderChangeNotification":{"AmazonOrderId":"402-5",` +
					`"Summary":{"MarketplaceId":"A1PA6795UKMFR9","FulfillmentType":"MFN"}}},"NotificationMetadata":{"NotificationId":"a-0008"}}`,
				Want: about("ORDER_CHANGE").Ignore("the order is of another marketplace"),
			},
			{Body: "any_offer_changed.json", Want: about("ANY_OFFER_CHANGED")}, // rivals' offers are no reason to refuse
			{ // lower camel case
				Body: `{"notificationType":"FEED_PROCESSING_FINISHED","payload":{"feedProcessingFinishedNotification":{"sellerId":"A1SELLER",` +
					`"feedId":"1"}},"notificationMetadata":{"notificationId":"a-0006"}}`,
				Want: about("FEED_PROCESSING_FINISHED"),
			},
			{Body: `{"NotificationVersion":"1.0","NotificationType":"ORDER_CHANGE"}`, Want: about("ORDER_CHANGE").PullOrder(""), NoKey: true},
		},
	}
}

func TestConnector(t *testing.T) { connectortest.Run(t, suite()) }
func FuzzVerify(f *testing.F)    { connectortest.FuzzVerify(f, suite()) }
func FuzzRead(f *testing.F)      { connectortest.FuzzRead(f, suite()) }

// The signature was computed by two programs independent of this one.
func TestRelay(t *testing.T) {
	const (
		body = `{"NotificationVersion":"1.0","NotificationType":"ORDER_CHANGE"}`
		sign = "9451f7041c154f9dd77a07ff5fb7c2ac82d7148e144f6b90e4bdca710363b00a"
	)
	for _, c := range []struct {
		name, secret string
		header       http.Header
		good         bool
	}{
		{"no secret set", "", http.Header{}, true},
		{"no secret set, one sent", "", http.Header{"X-Relay-Secret": {"anything"}}, true},
		{"secret", "relay_secret_1", http.Header{"X-Relay-Secret": {"relay_secret_1"}}, true},
		{"secret and signature", "relay_secret_1", http.Header{"X-Relay-Secret": {"relay_secret_1"}, "X-Relay-Signature": {sign}}, true},
		{"secret and wrong signature", "relay_secret_1",
			http.Header{"X-Relay-Secret": {"relay_secret_1"}, "X-Relay-Signature": {sign[1:] + "0"}}, false},
		{"secret and empty signature", "relay_secret_1", http.Header{"X-Relay-Secret": {"relay_secret_1"}, "X-Relay-Signature": {""}}, false},
		{"wrong secret and signature", "relay_secret_1", http.Header{"X-Relay-Secret": {"relay_secret_2"}, "X-Relay-Signature": {sign}}, false},
		{"signature alone", "relay_secret_1", http.Header{"X-Relay-Signature": {sign}}, false},
		{"nothing", "relay_secret_1", http.Header{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			ch := connector.Channel{Credentials: connector.Credentials{"relaySecret": c.secret}}
			err := amazon.New().Verify(context.Background(), ch, connector.Notification{Header: c.header, Body: []byte(body)})
			if (err == nil) != c.good {
				t.Errorf("Verify = %v", err)
			}
		})
	}
}

func TestSellerMustBeTheChannels(t *testing.T) {
	ch := suite().Channel
	for _, c := range []struct {
		body string
		good bool
	}{
		{`{"NotificationType":"ORDER_CHANGE"}`, true},
		{`{"SellerId":"A1SELLER"}`, true},
		{`{"SellerId":""}`, true},
		{`{"SellerId":null}`, true},
		{`{"SellerId":"A2OTHER"}`, false},
		{`{"sellerId":"a1seller"}`, false},
		{`{"Payload":{"SellerId":"A2OTHER"}}`, false},
		{`{"Payload":{"SellerId":"A1SELLER","sellerid":"A2OTHER"}}`, false},
		{`{"payload":{"orderChangeNotification":{"sellerId":"A2OTHER"}}}`, false},
		{`{"Payload":{"A":{"SellerId":"A1SELLER"},"B":{"SellerId":"A2OTHER"}}}`, false},
		{`{"detail":{"NotificationType":"ORDER_CHANGE","Payload":{"SellerId":"A2OTHER"}}}`, false},
		{`{"Payload":{"A":{"Offers":[{"SellerId":"A2OTHER"}]}}}`, true},
		{`{"Payload":{"A":{"BuyBoxWinner":{"SellerId":"A2OTHER"}}}}`, true},
	} {
		_, err := amazon.New().Read(ch, connector.Notification{Header: http.Header{}, Body: []byte(c.body)})
		if (err == nil) != c.good || err != nil && !apperr.Is(err, apperr.Invalid) {
			t.Errorf("Read of %s gave %v", c.body, err)
		}
	}
}
