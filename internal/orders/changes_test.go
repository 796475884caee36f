package orders

import (
	"reflect"
	"testing"

	"entrepot/internal/base/money"
)

// A change names what differs, with amounts and quantities, and never a text that may hold a person's name.
func TestChanges(t *testing.T) {
	base := func() *Order {
		return &Order{Given: Given{Notes: "for Ada"}, ShippingAddress: `{"line1":"Ada's"}`, Totals: Totals{Total: 30 * money.Scale},
			Lines: []Line{{ID: "a", SKU: "A", Name: "Ada's mug", Quantity: 3, UnitPrice: 10 * money.Scale}, {ID: "b", SKU: "B", Quantity: 1}}}
	}
	for name, c := range map[string]struct {
		change func(o *Order)
		want   []Change
	}{
		"nothing":  {func(*Order) {}, nil},
		"quantity": {func(o *Order) { o.Lines[0].Quantity = 2 }, []Change{{Field: "quantity", Line: "a", SKU: "A", From: "3", To: "2"}}},
		"price": {func(o *Order) { o.Lines[0].UnitPrice = 95_000 },
			[]Change{{Field: "unitPrice", Line: "a", SKU: "A", From: "10", To: "9.5"}}},
		"texts of a line": {func(o *Order) { o.Lines[0].Name, o.Lines[0].Metadata = "Bob's mug", "{}" },
			[]Change{{Field: "name", Line: "a", SKU: "A"}, {Field: "metadata", Line: "a", SKU: "A"}}},
		"added": {func(o *Order) { o.Lines = append(o.Lines, Line{ID: "c", SKU: "C", Quantity: 4}) },
			[]Change{{Field: "quantity", Line: "c", SKU: "C", To: "4"}}},
		"removed": {func(o *Order) { o.Lines = o.Lines[:1] }, []Change{{Field: "quantity", Line: "b", SKU: "B", From: "1"}}},
		"amounts": {func(o *Order) { o.DiscountAmount, o.Total = 50_000, 25*money.Scale },
			[]Change{{Field: "discountAmount", From: "0", To: "5"}, {Field: "total", From: "30", To: "25"}}},
		"texts": {func(o *Order) { o.Notes, o.ShippingAddress, o.BillingAddress, o.PaymentMetadata = "", "{}", "{}", "{}" },
			[]Change{{Field: "shippingAddress"}, {Field: "billingAddress"}, {Field: "paymentMetadata"}, {Field: "notes"}}},
		"status and shipped": {func(o *Order) { o.Status = Shipped; o.Lines[0].Shipped = 3 }, nil},
	} {
		after := base()
		c.change(after)
		if got := Changes(base(), after); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, not %+v", name, got, c.want)
		}
	}
}
