package apijson

import (
	"testing"

	"entrepot/internal/base/jsonvalue"
)

// BenchmarkParseOrder reads the body of a new order with three lines.
func BenchmarkParseOrder(b *testing.B) {
	body := []byte(`{"customerName":"Ada Lovelace","customerEmail":"ada@example.com","externalReference":"WEB-1001","currency":"EUR",` +
		`"shippingAddress":{"line1":"1 rue de la Paix","city":"Paris","postalCode":"75002","country":"FR"},"items":[{"sku":"TSHIRT-M",` +
		`"quantity":2,"unitPrice":24.95},{"sku":"MUG-RED","quantity":1,"unitPrice":9.9},{"sku":"CAP","quantity":3,"unitPrice":"12.50"}]}`)
	b.ReportAllocs()
	for b.Loop() {
		v, err := jsonvalue.Parse(body)
		if err != nil {
			b.Fatal(err)
		}
		o := Read(v)
		o.Text("customerName", Text{Required: true})
		o.Text("customerEmail", Text{})
		o.Free("shippingAddress", true)
		o.List("items", List{Required: true, Min: 1, Max: 500}, func(_ int, item *Object) {
			item.Text("sku", Text{Required: true})
			item.Int("quantity", Int{Required: true, Min: 1, Max: 1000})
			item.Money("unitPrice", Money{Required: true})
		})
	}
}
