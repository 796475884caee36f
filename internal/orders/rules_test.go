package orders_test

import (
	"testing"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/orders"
)

// code returns an error's code; "" for none.
func code(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	f, ok := apperr.As(err)
	if !ok {
		t.Fatal(err)
	}
	return f.Code
}

// ordered returns an order of lines A (3 pieces) and B (2), in a state.
func ordered(status orders.Status) *orders.Order {
	return &orders.Order{ID: "o", Status: status, Totals: orders.Totals{}, Currency: "EUR",
		Lines: []orders.Line{{ID: "A", Product: "P", SKU: "A", Quantity: 3, UnitPrice: 100_000},
			{ID: "B", Product: "P", SKU: "B", Quantity: 2, UnitPrice: 100_000}}}
}

func parcel(tracking string, lines ...orders.DraftLine) orders.ShipmentDraft {
	return orders.ShipmentDraft{Carrier: "C" + tracking, TrackingNumber: tracking, TrackingURL: "https://" + tracking, Lines: lines}
}

// Shipments move the order and its lines on, and back when they go; the order shows the tracking of the last that is left.
func TestShipmentsComeAndGo(t *testing.T) {
	o := ordered("PROCESSING")
	ship := func(tracking string, lines ...orders.DraftLine) id.Shipment {
		t.Helper()
		s, err := o.Ship(parcel(tracking, lines...), 5)
		if err != nil {
			t.Fatal(err)
		}
		if s.ShippedAt != 5 || s.Automatic {
			t.Errorf("%+v", s)
		}
		return s.ID
	}
	is := func(when string, status orders.Status, tracking string, a, b int64) {
		t.Helper()
		if o.Status != status || o.TrackingNumber != tracking || o.Lines[0].Shipped != a || o.Lines[1].Shipped != b {
			t.Errorf("%s: %s, tracking %q, %d and %d shipped", when, o.Status, o.TrackingNumber, o.Lines[0].Shipped, o.Lines[1].Shipped)
		}
		if tracking != "" && (o.TrackingCarrier != "C"+tracking || o.TrackingURL != "https://"+tracking) {
			t.Errorf("%s: carrier %q, %q", when, o.TrackingCarrier, o.TrackingURL)
		}
		o.Reserve()
		if o.Lines[0].Reserved != 3-a || o.Lines[1].Reserved != 2-b {
			t.Errorf("%s: %d and %d held", when, o.Lines[0].Reserved, o.Lines[1].Reserved)
		}
	}
	for _, c := range []struct {
		lines []orders.DraftLine
		want  string
	}{
		{[]orders.DraftLine{{Line: "A", Quantity: 4}}, "quantity_exceeds_remaining"},
		{[]orders.DraftLine{{Line: "A", Quantity: 2}, {Line: "A", Quantity: 2}}, "quantity_exceeds_remaining"},
		{[]orders.DraftLine{{Line: "C", Quantity: 1}}, "validation_failed"},
	} {
		if _, err := o.Ship(parcel("no", c.lines...), 5); code(t, err) != c.want {
			t.Errorf("%v: %v", c.lines, err)
		}
	}
	is("after refusals", "PROCESSING", "", 0, 0)
	first := ship("T1", orders.DraftLine{Line: "A", Quantity: 1}, orders.DraftLine{Line: "A", Quantity: 1})
	is("one", "PARTIALLY_SHIPPED", "T1", 2, 0)
	second := ship("T2", orders.DraftLine{Line: "B", Quantity: 1})
	third := ship("T3", orders.DraftLine{Line: "A", Quantity: 1}, orders.DraftLine{Line: "B", Quantity: 1})
	is("three", "SHIPPED", "T3", 3, 2)
	unship := func(s id.Shipment) {
		t.Helper()
		if _, err := o.Unship(s); err != nil {
			t.Fatal(err)
		}
	}
	unship(third)
	is("the last gone", "PARTIALLY_SHIPPED", "T2", 2, 1)
	unship(first)
	is("the first gone", "PARTIALLY_SHIPPED", "T2", 0, 1)
	if _, err := o.Unship(first); code(t, err) != "not_found" {
		t.Errorf("one that is gone: %v", err)
	}
	unship(second)
	is("all gone", "PROCESSING", "", 0, 0)
	rest, ok := o.ShipRest(parcel("T4"), 9)
	if !ok || !rest.Automatic || !o.Shipments[0].Automatic || len(rest.Lines) != 2 {
		t.Errorf("%+v", rest)
	}
	is("the rest", "SHIPPED", "T4", 3, 2)
	if _, ok := o.ShipRest(parcel("T5"), 9); ok || len(o.Shipments) != 1 {
		t.Error("a shipment without lines was made")
	}
}

// Totals follow from the lines; discounts, rates and bounds are checked at their edges.
func TestPrices(t *testing.T) {
	amount := func(units int64) *money.Amount { a := money.Amount(units); return &a }
	const lines = 500_000 // of the order's lines
	for _, c := range []struct {
		name               string
		discount, shipping money.Amount
		rate, tax          *money.Amount
		unit               money.Amount // of line A, 0: as it is
		total              money.Amount
		want               string
	}{
		{name: "plain", total: lines},
		{name: "shipping", shipping: 70_000, total: lines + 70_000},
		{name: "a discount of all", discount: lines, total: 0},
		{name: "a discount of more by less than a cent", discount: lines + 49, total: 0},
		{name: "a discount of more", discount: lines + 50, want: "validation_failed"},
		{name: "amounts finer than the currency", shipping: 49_950, discount: 149, tax: amount(16_667), total: lines + 50_000 - 100 + 16_700},
		{name: "tax as given", tax: amount(30_000), rate: amount(200_000), total: lines + 30_000},
		{name: "tax from the rate, of what the discount leaves", discount: 100_000, rate: amount(200_000), total: 400_000 + 80_000},
		{name: "as much as there may be", unit: (money.Max - 200_000) / 3 / 100 * 100, total: (money.Max-200_000)/3/100*100*3 + 200_000},
		{name: "lines beyond it", unit: money.Max / 2, want: "validation_failed"},
		{name: "a total beyond it", shipping: money.Max, want: "validation_failed"},
		{name: "a total beyond it when it is rounded", shipping: money.Max - lines, want: "validation_failed"},
	} {
		o := ordered("PENDING")
		o.DiscountAmount, o.ShippingAmount, o.TaxRate = c.discount, c.shipping, c.rate
		if c.unit != 0 {
			o.Lines[0].UnitPrice = c.unit
		}
		if got := code(t, o.Price(c.tax)); got != c.want || got == "" && o.Total != c.total {
			t.Errorf("%s: %q, total %s, not %s", c.name, got, o.Total, c.total)
		}
	}
}

// An edit names each line at most once; lines that it does not name go.
func TestEditsNameLinesOnce(t *testing.T) {
	draft := func(line id.Line, quantity int64) orders.LineDraft {
		return orders.LineDraft{ID: line, SKU: string(line), Quantity: quantity, UnitPrice: 100_000}
	}
	o := ordered("PENDING")
	if err := o.Edit([]orders.LineDraft{draft("A", 1), draft("A", 2)}); code(t, err) != "validation_failed" {
		t.Errorf("named twice: %v", err)
	}
	if err := o.Edit([]orders.LineDraft{draft("C", 1)}); code(t, err) != "validation_failed" {
		t.Errorf("unknown: %v", err)
	}
	if len(o.Lines) != 2 || o.Lines[0].Quantity != 3 {
		t.Errorf("a refused edit left %+v", o.Lines)
	}
	if err := o.Edit([]orders.LineDraft{draft("B", 7)}); err != nil || len(o.Lines) != 1 || o.Lines[0].ID != "B" || o.Lines[0].Quantity != 7 {
		t.Errorf("%+v, %v", o.Lines, err)
	}
}
