package prestashop_test

import (
	"context"
	"net/http"
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/prestashop"
)

const secret = "module secret"

func about(topic string) connector.Outcome { return connector.About(topic, "") }

func suite() connectortest.Suite {
	return connectortest.Suite{
		Connector: prestashop.New(),
		Channel: connector.Channel{ID: "ch-1", Platform: "PRESTASHOP", Credentials: connector.Credentials{
			"url": "https://shop.example/boutique", "webserviceKey": "ABC", "webhookSecret": secret,
		}},
		Sign:            func(body []byte) string { return connector.HexHMAC(secret, body) },
		SignatureHeader: "X-PrestaShop-Signature",
		SecretField:     "webhookSecret",
		Refusal:         apperr.Invalid,
		AnyCase:         true,
		Samples: []connectortest.Sample{
			{Body: "order_updated.json", Want: about("order.updated").PullOrder("108")},
			{Body: `{"event_id":1,"event":"order.created","id_order":"109"}`, Want: about("order.created").PullOrder("109")},
			{Body: `{"event_id":2,"event":"order.status_changed"}`, Want: about("order.status_changed").PullOrder("")},
			{Body: `{"event_id":3,"event":"stock.updated","id_product":7}`, Want: about("stock.updated").PushStock("7")},
			{Body: `{"event_id":4,"event":"product.updated","id_product":8}`, Want: about("product.updated").PushStock("8")},
			{Body: `{"event_id":5,"event":"cart.updated"}`, Want: about("cart.updated")},
			{
				Body: `{"event":"order.updated","id_order":110}`, Header: map[string]string{"X-PrestaShop-Delivery": "d-6"},
				Want: about("order.updated").PullOrder("110"),
			},
			{Body: `{"event":"order.updated","id_order":111,"date_upd":"2026-10-05 10:00:00"}`, Want: about("order.updated").PullOrder("111")},
			{Body: `{"event":"stock.updated","id_product":9}`, Want: about("stock.updated").PushStock("9"), NoKey: true},
		},
	}
}

func TestConnector(t *testing.T) { connectortest.Run(t, suite()) }
func FuzzVerify(f *testing.F)    { connectortest.FuzzVerify(f, suite()) }
func FuzzRead(f *testing.F)      { connectortest.FuzzRead(f, suite()) }

// The signature was computed by two programs independent of this one.
func TestSignatureVector(t *testing.T) {
	const (
		body = `{"event_id":"evt-0001","event":"order.updated","id_order":42,"date_upd":"2026-09-21 12:15:30"}`
		sign = "9a84c4d964b5f0c3238a946a433d961a722ce1a75e86ec8007c9fde61cbe8b3f"
	)
	secretOnly := connector.Credentials{"webhookSecret": "presta_secret_1"}
	renamed := connector.Credentials{"webhookSecret": "presta_secret_1", "signatureHeader": "X-Hook-Sign"}
	for _, c := range []struct {
		name          string
		ch            connector.Channel
		header, value string
		good          bool
	}{
		{"default header", connector.Channel{Credentials: secretOnly}, "X-PrestaShop-Signature", sign, true},
		{"with prefix", connector.Channel{Credentials: secretOnly}, "X-PrestaShop-Signature", "sha256=" + sign, true},
		{"prefix in capitals", connector.Channel{Credentials: secretOnly}, "X-PrestaShop-Signature", "SHA256=" + sign, true},
		{"prefix twice", connector.Channel{Credentials: secretOnly}, "X-PrestaShop-Signature", "sha256=sha256=" + sign, false},
		{"prefix alone", connector.Channel{Credentials: secretOnly}, "X-PrestaShop-Signature", "sha256=", false},
		{"header by credential", connector.Channel{Credentials: renamed}, "X-Hook-Sign", sign, true},
		{"default after renaming", connector.Channel{Credentials: renamed}, "X-PrestaShop-Signature", sign, false},
		{"header by setting", connector.Channel{Credentials: secretOnly, Settings: map[string]string{"signatureHeader": "x-hook-sign"}},
			"X-Hook-Sign", sign, true},
		{"other header", connector.Channel{Credentials: secretOnly}, "X-Hook-Sign", sign, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := connector.Notification{Header: http.Header{}, Body: []byte(body)}
			n.Header.Set(c.header, c.value)
			if err := prestashop.New().Verify(context.Background(), c.ch, n); (err == nil) != c.good {
				t.Errorf("Verify = %v", err)
			}
		})
	}
}
