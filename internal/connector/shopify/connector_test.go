package shopify_test

import (
	"context"
	"net/http"
	"os"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/shopify"
)

const secret = "shpss_0123456789abcdef"

// headers are those of a delivery beside its signature.
func headers(topic, delivery string) map[string]string {
	return map[string]string{
		"X-Shopify-Topic": topic, "X-Shopify-Webhook-Id": delivery, "X-Shopify-Shop-Domain": "corner.myshopify.com",
	}
}

// from are the headers of a delivery of another shop.
func from(shop, topic, delivery string) map[string]string {
	h := headers(topic, delivery)
	h["X-Shopify-Shop-Domain"] = shop
	return h
}

func about(topic string) connector.Outcome { return connector.About(topic, "") }

func suite() connectortest.Suite {
	return connectortest.Suite{
		Connector: shopify.New(),
		Channel: connector.Channel{ID: "ch-1", Platform: "SHOPIFY", Credentials: connector.Credentials{
			"shop": "corner.myshopify.com", "accessToken": "shpat_1", "webhookSecret": secret,
		}},
		Sign:            func(body []byte) string { return connector.Base64HMAC(secret, body) },
		SignatureHeader: "X-Shopify-Hmac-SHA256",
		SecretField:     "webhookSecret",
		Refusal:         apperr.Invalid,
		Samples: []connectortest.Sample{
			{
				Body: "orders_updated.json", Header: headers("orders/updated", "d1"),
				Want: about("orders/updated").PullOrder("gid://shopify/Order/6871190244001"),
			}, {
				Body: `{"id":820982911946154508}`, Header: headers("orders/create", "d2"), // above 2^53
				Want: about("orders/create").PullOrder("gid://shopify/Order/820982911946154508"),
			}, {
				Body: `{"id":1}`, Header: headers("orders/cancelled", "d3"),
				Want: about("orders/cancelled").PullOrder("gid://shopify/Order/1"),
			}, {
				Body: "fulfillments_update.json", Header: headers("fulfillments/update", "d4"),
				Want: about("fulfillments/update").PullOrder("gid://shopify/Order/6871190244001"),
			}, {
				Body: `{"id":3,"order_id":4}`, Header: headers("refunds/create", "d5"),
				Want: about("refunds/create").PullOrder("gid://shopify/Order/4"),
			}, {
				Body: `{"id":5,"admin_graphql_api_id":"gid://shopify/Product/5"}`, Header: headers("products/update", "d6"),
				Want: about("products/update").PushStock("gid://shopify/Product/5"),
			}, {
				Body: "inventory_levels_update.json", Header: headers("inventory_levels/update", "d7"),
				Want: about("inventory_levels/update").PushStock("gid://shopify/InventoryItem/44001122"),
			}, {
				Body: "app_uninstalled.json", Header: headers("app/uninstalled", "d8"),
				Want: about("app/uninstalled").Reauthorize(),
			}, {
				Body: "customers_redact.json", Header: headers("customers/redact", "d9"),
				Want: about("customers/redact").EraseCustomer(connector.Person{ID: "9988776655", Email: "jon@example.test"}),
			}, {
				Body: `{"id":6}`, Header: headers("products/delete", "d10"),
				Want: about("products/delete").PushStock("gid://shopify/Product/6"),
			}, {
				Body: `{"id":6}`, Header: headers("carts/update", "d13"),
				Want: about("carts/update"),
			}, {
				Body: `{"id":7}`, Header: from("other.myshopify.com", "orders/create", "d11"),
				Want: about("orders/create").Ignore("it is about another shop"),
			}, {
				Body: `{"id":8}`, Header: from("CORNER.myshopify.com", "orders/create", "d12"),
				Want: about("orders/create").PullOrder("gid://shopify/Order/8"),
			}, {
				Body: `{"id":9}`, Header: map[string]string{"X-Shopify-Topic": "orders/create"}, NoKey: true,
				Want: about("orders/create").PullOrder("gid://shopify/Order/9"),
			},
		},
	}
}

func TestConnector(t *testing.T) { connectortest.Run(t, suite()) }
func FuzzVerify(f *testing.F)    { connectortest.FuzzVerify(f, suite()) }
func FuzzRead(f *testing.F)      { connectortest.FuzzRead(f, suite()) }

// The signature was computed by two programs independent of this one.
func TestSignatureVector(t *testing.T) {
	body :=
		`{"id":820982911946154508,"admin_graphql_api_id":"gid://shopify/Order/820982911946154508","name":"#1001",` +
			`"updated_at":"2026-09-21T12:15:30+02:00"}`
	n := connector.Notification{
		Header: http.Header{"X-Shopify-Hmac-Sha256": {"/i1UnW16tXVDdnf1agP4RTWHWV3rUowIBEi9hG3ojLg="}},
		Body:   []byte(body),
	}
	for name, c := range map[string]struct {
		credentials connector.Credentials
		good        bool
	}{
		"current secret":   {connector.Credentials{"webhookSecret": "shpss_client_secret"}, true},
		"previous secret":  {connector.Credentials{"webhookSecret": "new", "previousWebhookSecret": "shpss_client_secret"}, true},
		"forgotten secret": {connector.Credentials{"webhookSecret": "new", "previousWebhookSecret": "newer"}, false},
		"no secret":        {connector.Credentials{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			err := shopify.New().Verify(context.Background(), connector.Channel{Credentials: c.credentials}, n)
			if (err == nil) != c.good {
				t.Errorf("Verify = %v", err)
			}
		})
	}
}

// The topic is not signed, so a signed body of one topic must not do damage under another.
func TestTopicMustFitBody(t *testing.T) {
	s := suite()
	for _, c := range []struct{ topic, body string }{
		{"app/uninstalled", "orders_updated.json"},
		{"app/uninstalled", "fulfillments_update.json"},
		{"customers/redact", "orders_updated.json"},
		{"customers/redact", "app_uninstalled.json"},
		{"customers/redact",
			`{"shop_id":55667788,"shop_domain":"corner.myshopify.com","customer":{"id":1,"email":"a@example.test"},"orders_requested":[],` +
				`"data_request":{"id":2}}`},
		{"customers/redact",
			`{"shop_id":1,"shop_domain":"other.myshopify.com","customer":{"id":1,"email":"a@example.test"},"orders_to_redact":[]}`},
		{"customers/redact", `{"shop_id":55667788,"shop_domain":"corner.myshopify.com","customer":{},"orders_to_redact":[]}`},
		{"customers/redact", `{"customer":{"id":1,"email":"a@example.test"},"orders_to_redact":[]}`},
		{"app/uninstalled", `{"id":1,"myshopify_domain":"other.myshopify.com"}`},
	} {
		n := s.Notification(t, connectortest.Sample{Body: c.body, Header: headers(c.topic, "d1")})
		outcome, err := s.Connector.Read(s.Channel, n)
		if err != nil || outcome.Action != connector.Ignored {
			t.Errorf("%s with the body %.60s: %+v, %v", c.topic, c.body, outcome, err)
		}
	}
}

func TestSameShop(t *testing.T) {
	body, err := os.ReadFile("testdata/orders_updated.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		shop, header string
		same         bool
	}{
		{"corner.myshopify.com", "corner.myshopify.com", true},
		{"corner", "corner.myshopify.com", true},
		{"https://Corner.myshopify.com/admin", "corner.myshopify.com", true},
		{"corner", "corner2.myshopify.com", false},
		{"corner", "", true},
		{"corner.example", "corner.myshopify.com", true},   // the shop's public domain says nothing
		{"127.0.0.1:8500", "corner.myshopify.com", true},   // nor does an address
		{"corner", "evil.example/.myshopify.com", true},    // cannot be compared
		{"corner", "corner.myshopify.com.evil.test", true}, // cannot be compared
		{"", "corner.myshopify.com", true},
	} {
		ch := connector.Channel{Credentials: connector.Credentials{"shop": c.shop}}
		n := connector.Notification{Header: http.Header{"X-Shopify-Topic": {"orders/updated"}, "X-Shopify-Shop-Domain": {c.header}}, Body: body}
		outcome, err := shopify.New().Read(ch, n)
		if err != nil || (outcome.Action == connector.OrderPullQueued) != c.same {
			t.Errorf("shop %q, header %q: %+v, %v", c.shop, c.header, outcome, err)
		}
	}
}

func TestCredentials(t *testing.T) {
	p := shopify.New().Profile()
	for name, c := range map[string]struct {
		credentials connector.Credentials
		faults      int
	}{
		"token":       {connector.Credentials{"shop": "a", "webhookSecret": "b", "accessToken": "c"}, 0},
		"client":      {connector.Credentials{"shop": "a", "webhookSecret": "b", "clientId": "c", "clientSecret": "d"}, 0},
		"half client": {connector.Credentials{"shop": "a", "webhookSecret": "b", "clientId": "c"}, 1},
		"neither":     {connector.Credentials{"shop": "a", "webhookSecret": "b"}, 1},
	} {
		if faults := p.Check(c.credentials, false); len(faults) != c.faults {
			t.Errorf("%s: %v", name, faults)
		}
	}
}
