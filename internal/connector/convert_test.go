package connector_test

import (
	"errors"
	"slices"
	"testing"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
)

// The amounts of an order that names no discount add up: what is above the total is the discount, what is below it a line of fees.
func TestBalance(t *testing.T) {
	for _, c := range []struct{ total, discount, fees money.Amount }{{1000, 0, 0}, {900, 100, 0}, {1200, 0, 200}} {
		o := connector.Order{Lines: []connector.OrderLine{{Amount: 600}, {Amount: 250}}, Shipping: 100, Tax: 50, Total: c.total}
		o.Balance()
		var fees money.Amount
		for _, l := range o.Lines {
			if l.Fee {
				fees += l.Amount
			}
		}
		if o.Discount != c.discount || fees != c.fees || o.Excess() != 0 {
			t.Errorf("a total of %v: a discount of %v and fees of %v, %v over", c.total, o.Discount, fees, o.Excess())
		}
	}
}

// What rounding left out goes to the largest line, and nothing beyond the bound does.
func TestEvenOut(t *testing.T) {
	for _, c := range []struct{ lack, first, second money.Amount }{{3, 5, 11}, {-3, 5, 5}, {4, 5, 8}, {-4, 5, 8}} {
		o := connector.Order{Lines: []connector.OrderLine{{Amount: 5}, {Amount: 8}}}
		o.EvenOut(c.lack, 3)
		if o.Lines[0].Amount != c.first || o.Lines[1].Amount != c.second {
			t.Errorf("%v: %+v", c.lack, o.Lines)
		}
	}
	var empty connector.Order
	empty.EvenOut(1, 3) // it has no line to take it
}

// An order that cannot be understood keeps no other out of a page; any other failure ends the page.
func TestTake(t *testing.T) {
	var page connector.OrderPage
	for id, err := range map[string]error{"1": nil, "2": connector.Failf(connector.Rejected, "strange")} {
		if err := page.Take(id, connector.Order{ExternalID: id}, err); err != nil {
			t.Fatal(err)
		}
	}
	if len(page.Orders) != 1 || !slices.Equal(page.Unreadable, []connector.Unreadable{{ExternalID: "2", Error: "strange"}}) {
		t.Errorf("%+v", page)
	}
	down := connector.Failf(connector.Temporary, "down")
	if err := page.Take("3", connector.Order{}, down); !errors.Is(err, down) || len(page.Orders)+len(page.Unreadable) != 2 {
		t.Errorf("%v: %+v", err, page)
	}
}

// A buyer of whom only the addresses say something is named by them, the shipping address first.
func TestComplete(t *testing.T) {
	o := connector.Order{ShipTo: &connector.Place{Name: "Ada"}, BillTo: &connector.Place{Name: "Bob", Phone: "1"}}
	if o.Complete(); o.Name != "Ada" || o.Phone != "1" {
		t.Errorf("%q, %q", o.Name, o.Phone)
	}
}
