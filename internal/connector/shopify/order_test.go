package shopify

import (
	"slices"
	"testing"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
)

func euros(text string) amount {
	var a amount
	a.ShopMoney.Amount = text
	return a
}

// What is left of a line that was edited costs its part of the shop's amounts, which are those of all that was ordered, tax included.
func TestEditedLinesOfAShopWithTaxInItsPrices(t *testing.T) {
	o := order{ID: "gid://shopify/Order/1", CurrencyCode: "EUR", TaxesIncluded: true,
		TotalPriceSet: euros("36.00"), TotalTaxSet: euros("6.00"), CurrentTotalPriceSet: euros("12.00"), CurrentTotalTaxSet: euros("2.00")}
	o.LineItems.Nodes = []line{{ID: "1", SKU: "A", Quantity: 3, CurrentQuantity: 1, OriginalTotalSet: euros("36.00"),
		OriginalUnitPriceSet: euros("12.00"), TaxLines: taxLines{{PriceSet: euros("6.00")}}}}
	got, err := o.convert()
	if err != nil || len(got.Lines) != 1 || got.Lines[0].Quantity != 1 || got.Lines[0].Amount != 10*money.Scale || got.Discount != 0 ||
		got.Total != 12*money.Scale || got.Tax != 2*money.Scale {
		t.Errorf("%+v, %v", got, err)
	}
}

// An edit of an order of which something was refunded counts, too. What was refunded stays in the order, and its amounts.
func TestEditedAndRefundedLines(t *testing.T) {
	for name, test := range map[string]struct {
		quantity, current int64
		refunded          []refundedLine
		total             string
		want              int64
	}{
		"one less, its price given back":                  {3, 2, nil, "20.00", 2},
		"one refunded":                                    {3, 2, []refundedLine{{Quantity: 1}}, "20.00", 3},
		"one refunded, which the shop does not count off": {3, 3, []refundedLine{{Quantity: 1}}, "30.00", 3},
		"one less, and one refunded":                      {3, 1, []refundedLine{{Quantity: 1}}, "10.00", 2},
		"one more, and one refunded":                      {3, 4, []refundedLine{{Quantity: 1}}, "40.00", 4},
		"all out":                                         {3, 0, nil, "0.00", 0},
	} {
		o := order{ID: "gid://shopify/Order/1", CurrencyCode: "EUR", TotalPriceSet: euros("30.00"), CurrentTotalPriceSet: euros(test.total)}
		o.LineItems.Nodes = []line{{ID: "1", SKU: "A", Quantity: test.quantity, CurrentQuantity: test.current, OriginalTotalSet: euros("30.00"),
			OriginalUnitPriceSet: euros("10.00")}}
		r := refund{ID: "r", TotalRefundedSet: euros("10.00")}
		for _, l := range test.refunded {
			l.LineItem.ID, l.SubtotalSet = "1", euros("10.00")
			r.RefundLineItems.Nodes = append(r.RefundLineItems.Nodes, l)
		}
		o.Refunds = []refund{r}
		got, err := o.convert()
		var quantity int64
		for _, l := range got.Lines {
			quantity += l.Quantity
		}
		if err != nil || quantity != test.want || got.Total != money.Amount(10*test.want)*money.Scale || got.Discount != 0 ||
			len(got.Refunds) != 1 || len(got.Refunds[0].Lines) != len(test.refunded) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// An order's fees are in the same order each time: another order of the lines would be a change of the order.
func TestFeesKeepTheirOrder(t *testing.T) {
	for range 50 {
		o := order{ID: "gid://shopify/Order/1", CurrencyCode: "EUR", TotalPriceSet: euros("5.00"), TotalTipReceivedSet: euros("2.00"),
			OriginalTotalDutiesSet: new(amount)}
		*o.OriginalTotalDutiesSet = euros("3.00")
		got, err := o.convert()
		is := func(l connector.OrderLine, id string) bool { return l.ExternalID == id }
		if err != nil || !slices.EqualFunc(got.Lines, []string{"tip", "duties"}, is) {
			t.Fatalf("%+v, %v", got.Lines, err)
		}
	}
}

// A shop with tax in its prices that does not say how much is in each, as an older answer may, has lines without tax that add up.
func TestTaxThatIsNotBrokenDown(t *testing.T) {
	o := order{ID: "gid://shopify/Order/1", CurrencyCode: "EUR", TaxesIncluded: true, TotalPriceSet: euros("24.90"),
		TotalTaxSet: euros("4.15"), TotalShippingPriceSet: euros("5.00")}
	o.LineItems.Nodes = []line{{ID: "1", SKU: "A", Quantity: 2, CurrentQuantity: 2, OriginalUnitPriceSet: euros("9.95")}}
	got, err := o.convert()
	if err != nil || len(got.Lines) != 1 || got.Discount != 0 || got.Tax+got.Shipping+got.Lines[0].Amount != got.Total ||
		got.Lines[0].Amount.String() != "16.58" || got.Shipping.String() != "4.17" {
		t.Errorf("%+v, %v", got, err)
	}
}
