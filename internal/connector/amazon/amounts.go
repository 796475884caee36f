package amazon

import (
	"maps"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
)

// fees are the kinds of amounts that become lines without a product, in this order, with the names of their lines.
var fees = []struct{ kind, name string }{
	{"GIFT_WRAP", "Gift wrap"}, {"COD_FEE", "Cash on delivery"}, {"OTHER", "Other charges"}, {"DELIVERY_TIP", "Delivery tip"},
}

// proceeds are an order's amounts by kind, and the tax in each kind if Amazon returns it.
type proceeds struct{ amount, tax map[string]money.Amount }

func (p proceeds) add(list []part, sum *connector.Sums) {
	for _, b := range list {
		if b.Status == "PENDING" { // a tip that may still change
			continue
		}
		p.amount[b.Type] += sum.Of(b.Subtotal.Amount)
		if b.Type == "TAX" {
			for _, d := range b.DetailedBreakdowns {
				p.tax[d.Subtype] += sum.Of(d.Value.Amount)
			}
		}
	}
}

func newProceeds() proceeds { return proceeds{map[string]money.Amount{}, map[string]money.Amount{}} }

func magnitude(a money.Amount) money.Amount { return max(a, -a) }

// proceeds are the order's amounts in all, and those of its lines by their ids.
func (o *order) proceeds(sum *connector.Sums) (all proceeds, ofLine map[string]proceeds) {
	all, ofLine = newProceeds(), map[string]proceeds{}
	for _, it := range o.OrderItems {
		p := newProceeds()
		p.add(it.Proceeds.Breakdowns, sum)
		if len(it.Proceeds.Breakdowns) == 0 {
			p.amount["ITEM"] = it.whole(sum)
		}
		ofLine[it.OrderItemID] = p
		all.add(it.Proceeds.Breakdowns, sum)
	}
	ofOrder := newProceeds()
	ofOrder.add(o.Proceeds.Breakdowns, sum)
	maps.Copy(all.amount, ofOrder.amount) // values that both have are equal; some are only on the order
	return all, ofLine
}

// amounts copies an order's amounts. If the parts without the tax already add up to the total, prices include tax,
// and the tax that Amazon returns is subtracted from each part. If prices are without tax, Amazon has kept the tax
// and the seller does not get it.
func (s *session) amounts(o *order, out *connector.Order) error {
	out.Currency = currencyOf(o, s.market.currency)
	sum, err := connector.NewSums(out.Currency)
	if err != nil {
		return err
	}
	all, ofLine := o.proceeds(sum)
	tax, discount := all.amount["TAX"], magnitude(all.amount["DISCOUNT"])
	net := all.amount["SHIPPING"] - discount
	for _, l := range out.Lines {
		net += ofLine[l.ExternalID].amount["ITEM"]
	}
	for _, f := range fees {
		net += all.amount[f.kind]
	}
	out.Total = net + tax
	if o.Proceeds.GrandTotal.Amount != "" {
		out.Total = sum.Of(o.Proceeds.GrandTotal.Amount)
	}
	within := tax != 0 && out.Total == net && !s.market.taxOnTop
	if tax != 0 && out.Total == net && s.market.taxOnTop {
		out.Payment["taxKeptByAmazon"] = tax.Text(out.Currency)
		tax = 0
	}
	in := func(p proceeds, kind string) money.Amount {
		if !within {
			return 0
		}
		return magnitude(p.tax[kind])
	}
	for i := range out.Lines {
		l := &out.Lines[i]
		p := ofLine[l.ExternalID]
		l.Amount = p.amount["ITEM"] - in(p, "ITEM")
		if within && len(p.tax) == 0 {
			l.Amount -= p.amount["TAX"]
		}
	}
	for _, f := range fees {
		if amount := all.amount[f.kind] - in(all, f.kind); amount != 0 {
			out.Lines = append(out.Lines, connector.OrderLine{ExternalID: "fee " + f.kind, Name: f.name, Quantity: 1, Amount: amount, Fee: true})
		}
	}
	out.Shipping, out.Discount, out.Tax = all.amount["SHIPPING"]-in(all, "SHIPPING"), discount-in(all, "DISCOUNT"), tax
	return sum.Err()
}

// whole is the amount of a line without parts: pending orders have a price at most.
func (it item) whole(sum *connector.Sums) money.Amount {
	if it.Proceeds.ProceedsTotal.Amount != "" {
		return sum.Of(it.Proceeds.ProceedsTotal.Amount)
	}
	amount, _ := sum.Of(it.Product.Price.UnitPrice.Amount).Times(max(it.QuantityOrdered, 0))
	return amount
}

// currencyOf is the currency of the first amount, else that of the marketplace.
func currencyOf(o *order, otherwise string) string {
	if c := o.Proceeds.GrandTotal.CurrencyCode; c != "" {
		return c
	}
	for _, it := range o.OrderItems {
		for _, c := range []string{it.Proceeds.ProceedsTotal.CurrencyCode, it.Product.Price.UnitPrice.CurrencyCode} {
			if c != "" {
				return c
			}
		}
	}
	return otherwise
}
