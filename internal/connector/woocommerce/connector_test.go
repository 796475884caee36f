package woocommerce_test

import (
	"context"
	"net/http"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/woocommerce"
)

const secret = "pickles42"

// headers are those of a delivery beside its signature.
func headers(topic, delivery string) map[string]string {
	return map[string]string{"X-WC-Webhook-Topic": topic, "X-WC-Webhook-Delivery-ID": delivery, "X-WC-Webhook-ID": "3"}
}

func suite() connectortest.Suite {
	return connectortest.Suite{
		Connector: woocommerce.New(),
		Channel: connector.Channel{ID: "ch-1", Platform: "WOOCOMMERCE", Credentials: connector.Credentials{
			"url": "https://shop.example", "consumerKey": "ck_1", "consumerSecret": "cs_1", "webhookSecret": secret,
		}},
		Sign:            func(body []byte) string { return connector.Base64HMAC(secret, body) },
		SignatureHeader: "X-WC-Webhook-Signature",
		SecretField:     "webhookSecret",
		Refusal:         apperr.Invalid,
		Samples: []connectortest.Sample{
			{
				Body: "order_updated.json", Header: headers("order.updated", "d1"),
				Want: connector.About("order.updated", "").PullOrder("5121"),
			}, {
				Body: "order_updated.json", Header: headers("order.created", "d1"), // same second, same bytes, other topic
				Want: connector.About("order.created", "").PullOrder("5121"),
			}, {
				Body: `{"id":24}`, Header: headers("order.deleted", "d2"),
				Want: connector.About("order.deleted", "").PullOrder("24"),
			}, {
				Body: `{"id":25}`, Header: headers("order.deleted", "d2"), // same second, same topic, other bytes
				Want: connector.About("order.deleted", "").PullOrder("25"),
			}, {
				Body: `{"id":25}`, Header: headers("order.restored", "d2"),
				Want: connector.About("order.restored", "").PullOrder("25"),
			}, {
				Body: "order_gone.json", Header: headers("order.created", "d3"),
				Want: connector.About("order.created", "").Ignore("the shop no longer has what it is about"),
			}, {
				Body: "product_updated_variation.json", Header: headers("product.updated", "d4"),
				Want: connector.About("product.updated", "").PushStock("812"),
			}, {
				Body: `{"id":809}`, Header: headers("product.created", "d5"),
				Want: connector.About("product.created", "").PushStock("809"),
			}, {
				Body: `{"id":23}`, Header: headers("product.deleted", "d6"),
				Want: connector.About("product.deleted", "").PushStock("23"),
			}, {
				Body: `{"id":7,"email":"a@example.test"}`, Header: headers("customer.updated", "d7"),
				Want: connector.About("customer.updated", ""),
			}, {
				Body: `{"id":8}`, Header: map[string]string{"X-WC-Webhook-Topic": "order.updated"}, NoKey: true,
				Want: connector.About("order.updated", "").PullOrder("8"),
			},
		},
	}
}

func TestConnector(t *testing.T) { connectortest.Run(t, suite()) }
func FuzzVerify(f *testing.F)    { connectortest.FuzzVerify(f, suite()) }
func FuzzRead(f *testing.F)      { connectortest.FuzzRead(f, suite()) }

// The signature was computed by two programs independent of this one.
func TestSignatureVector(t *testing.T) {
	ch := connector.Channel{Credentials: connector.Credentials{"webhookSecret": "whsec_woo_1"}}
	n := connector.Notification{
		Header: http.Header{"X-Wc-Webhook-Signature": {"DXn5YPiVf/iM57tjmY5AVM6swaIweLbYKLuD55DB5v0="}},
		Body: []byte(
			`{"id":727,"number":"727","status":"processing","currency":"EUR","date_modified_gmt":"2026-09-21T10:15:30","total":"49.90"}`,
		),
	}
	if err := woocommerce.New().Verify(context.Background(), ch, n); err != nil {
		t.Error(err)
	}
}

func TestPing(t *testing.T) {
	form := "application/x-www-form-urlencoded"
	for _, c := range []struct {
		name, kind, body string
		header           string // one more header
		want             bool
	}{
		{"bare form", form, "webhook_id=1", "", true},
		{"with charset", form + "; charset=UTF-8", "webhook_id=482", "", true},
		{"other case", "Application/X-WWW-Form-Urlencoded", "webhook_id=2", "", true},
		{"no type", "", "webhook_id=1", "", false},
		{"json", "application/json", "webhook_id=1", "", false},
		{"no number", form, "webhook_id=", "", false},
		{"letters", form, "webhook_id=x", "", false},
		{"endless number", form, "webhook_id=123456789012345678901", "", false},
		{"another field", form, "webhook_id=1&order=2", "", false},
		{"line after", form, "webhook_id=1\n", "", false},
		{"empty", form, "", "", false},
		{"with signature", form, "webhook_id=1", "X-WC-Webhook-Signature", false},
		{"with topic", form, "webhook_id=1", "X-WC-Webhook-Topic", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := connector.Notification{Header: http.Header{}, Body: []byte(c.body)}
			if c.kind != "" {
				n.Header.Set("Content-Type", c.kind)
			}
			if c.header != "" {
				n.Header.Set(c.header, "x")
			}
			if got := connector.IsPing(woocommerce.New(), n); got != c.want {
				t.Errorf("IsPing = %v", got)
			}
		})
	}
}
