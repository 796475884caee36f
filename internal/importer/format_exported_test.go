package importer

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"entrepot/internal/base/money"
)

// What export writes can be imported as it is: variants, images, stock, dates and statuses are kept.
func TestExportIsImportedAgain(t *testing.T) {
	fake, c := service(t)
	stamps := `"createdAt":"2026-01-02T03:04:05.678Z","updatedAt":"2026-01-02T03:04:05.678Z"`
	products := `{"id":"i1","sku":"A","name":"a","slug":"a","description":null,"status":"DRAFT","price":1.125,"compareAtPrice":null,` +
		`"currency":"EUR","gtin":"4006381333931","weight":0.35,"cost":4.1,"taxClass":"reduced","countryOfOrigin":"PT","options":[],"categoryIds":[],` +
		`"media":[{"id":"m","url":"https://i/1.jpg","position":1}],"variants":[],"attributes":{"brand":"Acme"},` +
		`"stock":[{"warehouseCode":"EAST","onHand":-4,"reserved":1,"available":3}],"publications":[],` + stamps + "}\n" +
		`{"id":"i2","sku":"F","name":"f","slug":"f","description":"x","status":"ACTIVE","price":5,"compareAtPrice":9.5,"currency":"EUR",` +
		`"categoryIds":["c"],"media":[],` +
		`"variants":[{"id":"v","sku":"F-1","name":"f1","price":6,"compareAtPrice":null,"gtin":"96385074","weight":0.2,"stock":7,"attributes":{"Size":"S"}},` +
		`{"id":"v2","sku":"F-2","name":"f2","price":5,"compareAtPrice":null,"stock":7,"attributes":{},"ownPrice":null,` +
		`"levels":[{"warehouseCode":"EAST","onHand":9},{"warehouseCode":"MAIN","onHand":-2}]},` +
		`{"id":"v3","sku":"F-3","name":"f3","price":8,"compareAtPrice":null,"stock":0,"attributes":{},"ownPrice":8,"levels":[]}],` +
		`"attributes":{},` +
		`"stock":[{"warehouseCode":"MAIN","onHand":3,"reserved":0,"available":3}],"publications":[],` + stamps + "}\n" +
		`{"id":"i3","sku":"W","name":"w","slug":"w","description":null,"status":"ACTIVE","price":5,"compareAtPrice":null,"currency":"EUR",` +
		`"categoryIds":[],"media":[],` +
		`"variants":[],"attributes":{},"stock":[{"warehouseCode":"EAST","onHand":1},{"warehouseCode":"MAIN","onHand":2}],"publications":[],` +
		stamps + "}\n"
	s := run(t, Options{Kind: Products, File: write(t, products), To: c})
	if s.Created != 3 || s.Codes["negative_stock"] != 2 {
		t.Fatalf("%+v", s)
	}
	a, f, w := fake.products["A"], fake.products["F"], fake.products["W"]
	if a.Price != "1.125" || a.Status != "DRAFT" || a.Images[0].URL != "https://i/1.jpg" || a.Attributes["brand"] != "Acme" ||
		fmt.Sprint(a.Levels) != "[{EAST 0}]" || a.Stock != nil {
		t.Errorf("%+v", a)
	}
	if fmt.Sprint(a.fakeTrade, f.Variants[0].fakeTrade) != "{4006381333931 0.35 4.1 reduced PT} {96385074 0.2   }" {
		t.Errorf("%v %v", a.fakeTrade, f.Variants[0].fakeTrade)
	}
	if v := f.Variants[0]; string(f.CompareAtPrice) != "9.5" || v.SKU != "F-1" || v.Price != "6" || *v.Stock != 7 ||
		v.Attributes["Size"] != "S" || f.CategoryIDs[0] != "c" || fmt.Sprint(f.Levels) != "[{MAIN 3}]" {
		t.Errorf("%+v", f)
	}
	if v := f.Variants[1]; fmt.Sprint(v.Levels) != "[{EAST 9} {MAIN 0}]" || v.Stock != nil || v.Price != "" {
		t.Errorf("stock by warehouse, and the product's price: %+v", v)
	}
	if v := f.Variants[2]; v.Levels != nil || v.Stock != nil || v.Price != "8" {
		t.Errorf("no stock, and an own price: %+v", v)
	}
	if fmt.Sprint(w.Levels) != "[{EAST 1} {MAIN 2}]" {
		t.Errorf("%+v", w.Levels)
	}

	order := `{"id":"o1","orderNumber":"ORD-000001","status":"CANCELLED","channelId":"elsewhere","channelName":"x","channelType":"CUSTOM",` +
		`"customer":{"name":"Ada","email":null,"phone":null},` +
		`"customerId":"elsewhere","customerName":"Ada","customerEmail":null,"externalReference":%s,"shippingAddress":{"city":"Lyon"},` +
		`"billingAddress":null,"paymentMetadata":{"k":"v"},"notes":null,"tags":["gift"],"assignedTo":"elsewhere",` +
		`"subtotal":2.5,"total":5.5,"currency":"GBP","shippingAmount":3,"discountAmount":0,"taxAmount":null,"taxRate":null,` +
		`"totalAmount":"5.50","itemCount":1,` + stamps + `,` +
		`"items":[{"id":"l","productId":null,"variantId":null,"name":"a","sku":"A","description":null,"metadata":null,"quantity":2,` +
		`"unitPrice":1.25,"lineTotal":2.5}]}` + "\n"
	rounded := strings.NewReplacer(`"quantity":2`, `"quantity":300`, "1.25", "0.0333", `"lineTotal":2.5`, `"lineTotal":10`).Replace(order)
	lines := fmt.Sprintf(order, "null") + fmt.Sprintf(order, `"R-7"`) + fmt.Sprintf(rounded, `"R-8"`)
	s = run(t, Options{Kind: Orders, File: write(t, lines), To: c})
	if s.Created != 3 || s.Notes != 1 {
		t.Fatalf("%+v", s)
	}
	if lines := fake.orders["R-8"].Items; len(lines) != 2 ||
		fmt.Sprintf("%v at %v, at %v", lines[0].Quantity, lines[0].UnitPrice, lines[1].UnitPrice) != "200 at 0.03, at 0.04" {
		t.Errorf("%+v", lines)
	}
	for _, reference := range []string{"ORD-000001", "R-7"} {
		o := fake.orders[reference]
		if o == nil || o.Status != "CANCELLED" || fmt.Sprint(o.Tags) != "[gift]" || o.Currency != "GBP" || o.CreatedAt != "2026-01-02T03:04:05.678Z" || o.ChannelID != "" ||
			o.Items[0].UnitPrice != "1.25" || o.ShippingAddress["city"] != "Lyon" || o.PaymentMetadata["k"] != "v" {
			t.Errorf("%s: %+v", reference, o)
		}
	}
}

// A platform's unit prices are rounded: a line of 300 for 10.00 shows 0.0333. What is imported comes to the total all the same.
func TestExportedTotalsStay(t *testing.T) {
	for _, c := range []struct {
		currency, price, total, want string
	}{
		{"EUR", "0.0333", "10", "[{200 0.03} {100 0.04}]"},
		{"EUR", "0.0333", "9.99", "[{300 0.0333}]"},
		{"EUR", "0.5001", "150.02", "[{298 0.5} {2 0.51}]"},
		{"JPY", "3.3367", "1001", "[{300 3.3367}]"},
	} {
		line := exportedLine{SKU: "A", Quantity: "300", UnitPrice: json.Number(c.price)}
		var got []string
		for _, l := range line.again(json.Number(c.total), money.Digits(c.currency)) {
			got = append(got, "{"+l.Quantity.String()+" "+l.UnitPrice.String()+"}")
		}
		if text := fmt.Sprint(got); text != c.want {
			t.Errorf("%v: %s", c, text)
		}
	}
}
