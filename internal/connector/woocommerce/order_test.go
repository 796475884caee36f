package woocommerce

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
)

// read reads an order of one line that costs 20, with other members.
func read(t *testing.T, over map[string]any) (connector.Order, error) {
	t.Helper()
	o := map[string]any{"id": 7, "number": "7", "status": "processing", "currency": "EUR", "discount_total": "0.00", "shipping_total": "0.00",
		"total": "20.00", "total_tax": "0.00", "date_created_gmt": "2026-09-21T10:15:30", "date_modified_gmt": "2026-09-21T10:15:30",
		"billing": map[string]any{"first_name": "Zoë", "email": "zoe@example.test"}, "shipping": map[string]any{},
		"line_items": []any{item(10, 2, "20.00")}, "fee_lines": []any{}, "coupon_lines": []any{}, "shipping_lines": []any{}, "refunds": []any{}}
	maps.Copy(o, over)
	raw, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	out, _, is, err := convert(raw)
	if err == nil && !is {
		t.Fatal("it is no order")
	}
	return out, err
}

func item(id int, quantity any, subtotal string) map[string]any {
	return map[string]any{"id": id, "sku": "MUG", "name": "Mug", "quantity": quantity, "subtotal": subtotal, "total": subtotal,
		"total_tax": "0.00", "product_id": 5, "variation_id": 0, "meta_data": []any{}}
}

// rest is what an order's amounts are short of its total.
func rest(o connector.Order) string {
	rest := o.Total - o.Tax - o.Shipping + o.Discount
	for _, l := range o.Lines {
		rest -= l.Amount
	}
	return rest.String()
}

// An order whose members have other types than documented, as plugins make them, is read all the same.
func TestOrdersWithOtherTypes(t *testing.T) {
	for name, over := range map[string]map[string]any{
		"numbers for texts": {"transaction_id": 4711, "number": 7, "coupon_lines": []any{map[string]any{"code": 10}}, "customer_note": 5,
			"payment_method": 1, "payment_method_title": true},
		"objects for lists": {"line_items": map[string]any{"3": item(10, 2, "20.00")}, "fee_lines": map[string]any{},
			"refunds": map[string]any{}},
		"nothing for lists": {"fee_lines": nil, "coupon_lines": false, "shipping_lines": "", "refunds": nil},
		"lists for objects": {"shipping": []any{}, "billing": []any{}},
		"numbers in an address": {"billing": map[string]any{"first_name": "Zoë", "city": 12, "postcode": 10115, "company": nil,
			"email": "zoe@example.test"}},
		"numbers in options": {"line_items": []any{func() map[string]any {
			l := item(10, "2", "20.00")
			l["meta_data"] = map[string]any{"1": map[string]any{"key": 1, "value": 2, "display_key": 3, "display_value": 4}}
			return l
		}()}},
	} {
		o, err := read(t, over)
		if err != nil || o.ExternalID != "7" || len(o.Lines) != 1 || o.Lines[0].Quantity != 2 || o.Lines[0].Amount != 200_000 ||
			o.Total != 200_000 || len(o.Refunds) != 0 {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
	}
	if _, err := read(t, map[string]any{"line_items": []any{7}}); !connector.Is(err, connector.Rejected) {
		t.Errorf("lines that are none: %v", err)
	}
}

// Amounts of a shop that calculates with more digits than its currency has are rounded, and add up.
func TestOrdersWithMoreDigits(t *testing.T) {
	o, err := read(t, map[string]any{"total": "12.345678", "total_tax": "2.345678", "line_items": []any{item(1, 1, "3.333333"),
		item(2, 1, "3.333333"), item(3, 1, "3.333334")}})
	if err != nil || o.Total != 123_500 || o.Tax != 23_500 || rest(o) != "0" || o.Lines[1].Amount != 33_300 {
		t.Errorf("%+v, %v: %s are missing", o, err, rest(o))
	}
	o, err = read(t, map[string]any{"currency": "JPY", "total": "1999.6", "line_items": []any{item(1, 2, "1999.6")}})
	if err != nil || o.Total != 20_000_000 || rest(o) != "0" {
		t.Errorf("%+v, %v: %s are missing", o, err, rest(o))
	}
	o, err = read(t, map[string]any{"total": "20.01"})
	if err != nil || rest(o) != "0.01" {
		t.Errorf("%+v, %v: a difference that the shop has is hidden", o, err)
	}
	if _, err = read(t, map[string]any{"total": "twelve"}); !connector.Is(err, connector.Rejected) {
		t.Errorf("an amount of letters: %v", err)
	}
}

// A line that the merchant made dearer costs that, and gives no discount below zero; beside it a real discount stays.
func TestLinesThatWereMadeDearer(t *testing.T) {
	dearer := item(10, 2, "20.00")
	dearer["total"] = "25.00"
	o, err := read(t, map[string]any{"discount_total": "-5.00", "total": "25.00", "line_items": []any{dearer}})
	if err != nil || o.Discount != 0 || o.Lines[0].Amount != 250_000 || rest(o) != "0" {
		t.Errorf("%+v, %v", o, err)
	}
	cheaper := item(11, 1, "10.00")
	cheaper["total"] = "7.00"
	o, err = read(t, map[string]any{"discount_total": "-2.00", "total": "32.00", "line_items": []any{dearer, cheaper}})
	if err != nil || o.Discount != 30_000 || o.Lines[0].Amount != 250_000 || o.Lines[1].Amount != 100_000 || rest(o) != "0" {
		t.Errorf("%+v, %v", o, err)
	}
}

// A shop that rounds only the sum of its lines gives them unrounded, and they add up to its total. A line that was raised has the higher
// price before the discount, too, in a real shop, which says that the discount is below zero. A shop may have fewer decimals than its
// currency.
func TestAmountsAsShopsCalculateThem(t *testing.T) {
	raised := item(10, 1, "15.55")
	coupon := item(11, 1, "10.00")
	coupon["total"] = "7.00"
	for name, c := range map[string]struct {
		over     map[string]any
		discount money.Amount
		rest     string
	}{
		"rounded by sums": {map[string]any{"total": "25.20", "total_tax": "4.023529", "line_items": []any{item(1, 1, "7.058824"),
			item(2, 1, "7.058824"), item(3, 1, "7.058824")}}, 0, "0"},
		"rounded by sums, in pennies": {map[string]any{"total": "0.02", "line_items": []any{item(1, 1, "0.004"), item(2, 1, "0.004"),
			item(3, 1, "0.004"), item(4, 1, "0.004")}}, 0, "0"},
		"rounded line by line": {map[string]any{"total": "21.18", "line_items": []any{item(1, 1, "7.0588"), item(2, 1, "7.0588"),
			item(3, 1, "7.0588")}}, 0, "0"},
		"off by a cent":       {map[string]any{"total": "21.20", "line_items": []any{item(1, 1, "7.06"), item(2, 1, "14.13")}}, 0, "0.01"},
		"raised":              {map[string]any{"total": "15.55", "discount_total": "-5.55", "line_items": []any{raised}}, 0, "0"},
		"raised and reduced":  {map[string]any{"total": "22.55", "discount_total": "-2.55", "line_items": []any{raised, coupon}}, 30_000, "0"},
		"reduced and raised":  {map[string]any{"total": "22.55", "discount_total": "1.00", "line_items": []any{raised, coupon}}, 30_000, "0"},
		"raised, and a cent":  {map[string]any{"total": "15.56", "discount_total": "-5.55", "line_items": []any{raised}}, 0, "0.01"},
		"no decimals":         {map[string]any{"total": "21", "total_tax": "0", "line_items": []any{item(1, 1, "7.4118"), item(2, 1, "6.6124"), item(3, 1, "7.1328")}}, 0, "0"},
		"lines without total": {map[string]any{"line_items": []any{map[string]any{"id": 1, "quantity": 1, "subtotal": "20.00"}}}, 0, "0"},
	} {
		o, err := read(t, c.over)
		if err != nil || o.Discount != c.discount || rest(o) != c.rest {
			t.Errorf("%s: %+v, %v: %s are missing", name, o, err, rest(o))
		}
	}
}

// Times are UTC without saying so; some plugins write them with an offset, and some lose them.
func TestTimesOfOrders(t *testing.T) {
	want := time.Date(2026, 9, 21, 10, 15, 30, 0, time.UTC)
	for text, is := range map[any]time.Time{"2026-09-21T10:15:30": want, "2026-09-21T10:15:30Z": want, "2026-09-21T12:15:30+02:00": want,
		"2026-09-21T10:15:30.000Z": want, "": {}, nil: {}, "soon": {}} {
		if o, err := read(t, map[string]any{"date_created_gmt": text}); err != nil || !o.CreatedAt.Equal(is) {
			t.Errorf("%v: %v, not %v; %v", text, o.CreatedAt, is, err)
		}
	}
}

// A buyer who chose several things under one name is noted with all of them.
func TestSeveralOptionsOfOneName(t *testing.T) {
	l := item(10, 2, "20.00")
	l["meta_data"] = []any{}
	for _, value := range []string{"Ham", "Cheese &amp; onion", ""} {
		l["meta_data"] = append(l["meta_data"].([]any), map[string]any{"key": "Topping", "display_key": "Topping", "display_value": value})
	}
	o, err := read(t, map[string]any{"line_items": []any{l}})
	if err != nil || len(o.Lines) != 1 || o.Lines[0].Options["Topping"] != "Ham, Cheese & onion" {
		t.Errorf("%+v, %v", o, err)
	}
}

// What is not shipped may have a country preset as its address: it goes to the buyer's.
func TestPresetAddresses(t *testing.T) {
	full := map[string]any{"first_name": "Zoë", "last_name": "🙂", "address_1": "Weg 1", "city": "Bonn", "country": "de"}
	bare, second := map[string]any{"country": "DE", "state": ""}, map[string]any{"address_2": "Hof 2", "country": "FR"}
	for name, c := range map[string]struct {
		billing, shipping map[string]any
		line1, country    string
	}{
		"preset": {full, bare, "Weg 1", "DE"}, "nothing": {full, map[string]any{}, "Weg 1", "DE"}, "its own": {bare, full, "Weg 1", "DE"},
		"no more than that": {bare, bare, "", "DE"}, "only there": {map[string]any{}, bare, "", "DE"}, "a second line": {full, second, "", "FR"},
	} {
		o, err := read(t, map[string]any{"billing": c.billing, "shipping": c.shipping})
		if err != nil || o.ShipTo == nil || o.ShipTo.Line1 != c.line1 || o.ShipTo.Country != c.country {
			t.Errorf("%s: %+v, %v", name, o.ShipTo, err)
		}
	}
}

// A SKU that the shop takes for another product's says which one has it, and what to do.
func TestSKUsThatAreTaken(t *testing.T) {
	var f found
	text := `{"id":0,"error":{"code":"product_invalid_sku","message":"Invalid or duplicated SKU.","data":{"status":400,"resource_id":11}}}`
	if err := json.Unmarshal([]byte(text), &f); err != nil || !strings.Contains(f.Error.text(), "Product 11 of the shop has it") {
		t.Errorf("%v, %v", f.Error, err)
	}
}
