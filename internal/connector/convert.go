package connector

import (
	"cmp"

	"entrepot/internal/base/money"
	"entrepot/internal/orders"
)

// Shared steps of sessions that convert the orders of their platforms.

// Take adds an order that was read under an id to a page, or notes why it could not be understood. Errors: all but
// Rejected, unchanged.
func (p *OrderPage) Take(id string, o Order, err error) error {
	switch f := FailureOf(err); {
	case f == nil:
		p.Orders = append(p.Orders, o)
	case f.Kind == Rejected:
		p.Unreadable = append(p.Unreadable, Unreadable{ExternalID: id, Error: f.Error()})
	default:
		return err
	}
	return nil
}

// Complete takes a missing name and phone number from the addresses.
func (o *Order) Complete() {
	for _, p := range []*Place{o.ShipTo, o.BillTo} {
		if p != nil {
			o.Name, o.Phone = cmp.Or(o.Name, p.Name), cmp.Or(o.Phone, p.Phone)
		}
	}
}

// Goods is the sum of the lines.
func (o *Order) Goods() (sum money.Amount) {
	for _, l := range o.Lines {
		sum += l.Amount
	}
	return sum
}

// Excess is by how much lines, shipping and tax less the discount exceed the total; negative if they are below it.
func (o *Order) Excess() money.Amount { return o.Goods() + o.Shipping + o.Tax - o.Discount - o.Total }

// Balance makes amounts without a discount add up to the total: what exceeds the total becomes the discount, what is
// missing a line of fees.
func (o *Order) Balance() {
	rest := o.Excess()
	if o.Discount = max(rest, 0); rest < 0 {
		o.Lines = append(o.Lines, OrderLine{ExternalID: "fees", Name: "Fees", Quantity: 1, Amount: -rest, Fee: true})
	}
}

// EvenOut adds the rounding difference to the largest line; it does nothing beyond the bound.
func (o *Order) EvenOut(lack, bound money.Amount) {
	if len(o.Lines) == 0 || max(lack, -lack) > bound {
		return
	}
	largest := 0
	for i, l := range o.Lines {
		if l.Amount > o.Lines[largest].Amount {
			largest = i
		}
	}
	o.Lines[largest].Amount += lack
}

// Left notes how many pieces of a line have left, if the order was shipped in part.
func (o *Order) Left(line string, quantity int64) {
	if o.Status != orders.PartiallyShipped || quantity <= 0 {
		return
	}
	if o.Sent == nil {
		o.Sent = map[string]int64{}
	}
	o.Sent[line] += quantity
}

// Choose notes what the buyer chose or entered for the line under a name: all values, if there are several, such as
// toppings.
func (l *OrderLine) Choose(name, value string) {
	if name == "" || value == "" {
		return
	}
	if l.Options == nil {
		l.Options = map[string]any{}
	}
	if before, ok := l.Options[name].(string); ok {
		value = before + ", " + value
	}
	l.Options[name] = value
}

// ShippedBy notes the way of shipping that the buyer chose, unless it is "".
func (o *Order) ShippedBy(method string) {
	if method != "" {
		o.note("shippingMethod", method)
	}
}

// ToBeCancelled notes whether the buyer has asked for the cancellation of the order, or of a part, and nobody has
// answered.
func (o *Order) ToBeCancelled(asked bool) {
	if asked {
		o.note("cancellationRequested", true)
	} else {
		o.note("cancellationRequested", nil)
	}
}

func (o *Order) note(name string, value any) {
	if o.Payment == nil {
		o.Payment = map[string]any{}
	}
	o.Payment[name] = value
}
