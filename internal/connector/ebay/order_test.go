package ebay

import (
	"encoding/json"
	"testing"

	"entrepot/internal/connector"
)

// readOrder reads an order of one line of 20 euros, sent to a place.
func readOrder(t *testing.T, place string) connector.Order {
	t.Helper()
	var o order
	text := `{"orderId":"12-34567-89012","orderPaymentStatus":"PAID","orderFulfillmentStatus":"NOT_STARTED",
		"buyer":{"username":"zoe"},"pricingSummary":{"total":{"value":"20.00","currency":"EUR"}},
		"lineItems":[{"lineItemId":"1","sku":"MUG","title":"Mug","quantity":2,"lineItemCost":{"value":"20.00","currency":"EUR"}}],
		"fulfillmentStartInstructions":[{"shippingStep":{"shipTo":` + place + `}}]}`
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	out, err := o.convert("EBAY_DE")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// An address with parts missing is an address as long as it has a street, in whichever line; one that eBay has forgotten is none.
func TestAddressesWithMissingParts(t *testing.T) {
	for place, want := range map[string]*connector.Place{
		`{"fullName":"Zoë 🙂","contactAddress":{"addressLine1":"Weg 1","addressLine2":"Hof","city":"Bonn","countryCode":"DE"}}`: {
			Name: "Zoë 🙂", Line1: "Weg 1", Line2: "Hof", City: "Bonn", Country: "DE"},
		`{"contactAddress":{"addressLine2":"Weg 1","city":"Bonn","countryCode":"DE"}}`: {Line1: "Weg 1", City: "Bonn", Country: "DE"},
		`{"contactAddress":{"addressLine1":"Weg 1"}}`:                                  {Line1: "Weg 1"},
		`{"contactAddress":{"city":"Bonn","countryCode":"DE"}}`:                        nil,
		`{}`: nil,
	} {
		o := readOrder(t, place)
		if got := o.ShipTo; (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%s: %+v", place, got)
		}
		if want == nil && o.Name != "zoe" {
			t.Errorf("%s: named %q", place, o.Name)
		}
	}
}

// A line of a listing with variants says which one was bought: its title is that of the listing, and the SKU may be unknown here.
func TestLinesNameTheirVariant(t *testing.T) {
	var o order
	text := `{"orderId":"1","orderPaymentStatus":"PAID","orderFulfillmentStatus":"NOT_STARTED",
		"pricingSummary":{"total":{"value":"30.00","currency":"EUR"}},"lineItems":[
		{"lineItemId":"1","title":"Shirt","quantity":1,"lineItemCost":{"value":"20.00","currency":"EUR"},
			"variationAspects":[{"name":"Größe","value":"M"},{"name":"Farbe","value":"Rot"}]},
		{"lineItemId":"2","title":"Mug","quantity":1,"lineItemCost":{"value":"10.00","currency":"EUR"}}]}`
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	out, err := o.convert("EBAY_DE")
	if err != nil || out.Lines[0].Name != "Shirt, M, Rot" || out.Lines[1].Name != "Mug" {
		t.Errorf("%+v, %v", out.Lines, err)
	}
}
