package shopify

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
	"entrepot/internal/orders"
)

type amount struct{ ShopMoney struct{ Amount string } }

type taxLines []struct{ PriceSet amount }

// order is an order as the shop gives it.
type order struct {
	ID, Name, DisplayFinancialStatus, DisplayFulfillmentStatus, ReturnStatus, Email, Phone, Note, CurrencyCode string
	CreatedAt, UpdatedAt                                                                                       time.Time
	CancelledAt                                                                                                *time.Time
	Test, TaxesIncluded                                                                                        bool
	PaymentGatewayNames                                                                                        []string
	Customer                                                                                                   *struct {
		FirstName, LastName string
		DefaultEmailAddress *struct{ EmailAddress string }
		DefaultPhoneNumber  *struct{ PhoneNumber string }
	}
	ShippingAddress, BillingAddress                                        *address
	TotalShippingPriceSet, TotalTaxSet, TotalPriceSet, TotalTipReceivedSet amount
	OriginalTotalDutiesSet                                                 *amount
	CurrentTotalPriceSet, CurrentTotalTaxSet                               amount
	ShippingLines                                                          struct {
		Nodes []struct {
			Title    string
			TaxLines taxLines
		}
	}
	LineItems    lines
	Fulfillments []fulfillment
	Refunds      []refund
}

type lines struct {
	PageInfo pageInfo
	Nodes    []line
}

type line struct {
	ID, SKU, Name                          string
	Quantity, CurrentQuantity              int64
	Variant, Product                       *struct{ ID string }
	OriginalTotalSet, OriginalUnitPriceSet amount
	TaxLines                               taxLines
	CustomAttributes                       []struct{ Key, Value string }
}

type address struct{ Name, Company, Address1, Address2, City, ProvinceCode, Zip, CountryCodeV2, Phone string }

type fulfillment struct {
	ID, Status, DisplayStatus string
	CreatedAt                 time.Time
	TrackingInfo              []trackingInfo
	FulfillmentLineItems      struct{ Nodes []fulfilledLine }
}

type trackingInfo struct{ Company, Number, URL string }

// numbers are the tracking numbers of the parcel, which a shop may send in several.
func (f fulfillment) numbers() (list []string) {
	for _, t := range f.TrackingInfo {
		if t.Number != "" {
			list = append(list, t.Number)
		}
	}
	return list
}

// fulfilledLine is a line's part of a parcel.
type fulfilledLine struct {
	Quantity int64
	LineItem struct{ ID string }
}

// success is the status of a parcel that has left.
const success = "SUCCESS"

// stands reports whether a parcel was not taken back.
func (f fulfillment) stands() bool {
	return f.Status != "CANCELLED" && f.Status != "ERROR" && f.Status != "FAILURE"
}

// convert converts the order. A shop may store prices with or without tax: lines are without, and the discount is the
// difference between them and the total, which is the shop's own.
func (o *order) convert() (connector.Order, error) {
	amounts, err := connector.NewSums(o.CurrencyCode)
	if err != nil {
		return connector.Order{}, err
	}
	sum := sums{amounts}
	out := connector.Order{ExternalID: o.ID, Number: o.Name, Currency: o.CurrencyCode, CreatedAt: o.CreatedAt, UpdatedAt: o.UpdatedAt,
		Note:    o.Note,
		Theirs:  strings.ToLower(o.DisplayFinancialStatus + " " + o.DisplayFulfillmentStatus),
		Payment: map[string]any{"gateways": o.PaymentGatewayNames},
		Tax:     sum.of(o.TotalTaxSet), Total: sum.of(o.TotalPriceSet), Shipping: sum.of(o.TotalShippingPriceSet)}
	out.Status, out.Refunded = o.status()
	if o.CancelledAt != nil {
		out.Theirs = "cancelled"
	}
	o.buyer(&out)
	var ways []string
	for _, l := range o.ShippingLines.Nodes {
		if l.Title != "" {
			ways = append(ways, l.Title)
		}
	}
	out.ShippedBy(strings.Join(ways, ", "))
	sold := o.sold()
	edited := o.edited(sold)
	if edited {
		out.Tax, out.Total = o.present(sum, sold)
	}
	if o.TaxesIncluded {
		for _, l := range o.ShippingLines.Nodes {
			out.Shipping -= sum.tax(l.TaxLines)
		}
	}
	for _, l := range o.LineItems.Nodes {
		switch {
		case !edited:
			out.Lines = append(out.Lines, o.line(sum, l, l.Quantity))
		case sold[l.ID].quantity > 0:
			out.Lines = append(out.Lines, o.line(sum, l, sold[l.ID].quantity))
		}
	}
	if o.TaxesIncluded && !o.taxLinesGiven() {
		spreadTax(&out, sum)
	}
	for _, fee := range []connector.OrderLine{{Name: "Tip", Amount: sum.of(o.TotalTipReceivedSet)},
		{Name: "Duties", Amount: sum.optional(o.OriginalTotalDutiesSet)}} {
		if fee.Amount > 0 {
			fee.ExternalID, fee.Quantity, fee.Fee = strings.ToLower(fee.Name), 1, true
			out.Lines = append(out.Lines, fee)
		}
	}
	out.Discount = max(out.Excess(), 0)
	o.parcels(&out)
	for _, r := range o.Refunds {
		out.Refunds = o.appendRefund(out.Refunds, sum, r)
		out.Returns = appendReturn(out.Returns, r)
	}
	return out, sum.Err()
}

// present are the tax and the total of an order that was edited. The shop's amounts exclude refunds, which stay in
// the order here.
func (o *order) present(sum sums, sold map[string]soldLine) (tax, total money.Amount) {
	tax, total = sum.of(o.CurrentTotalTaxSet), sum.of(o.CurrentTotalPriceSet)
	for _, r := range o.Refunds {
		for _, n := range r.RefundLineItems.Nodes {
			if sold[n.LineItem.ID].cut {
				tax, total = tax+sum.of(n.TotalTaxSet), total+o.refunded(sum, n)
			}
		}
	}
	return tax, total
}

// spreadTax takes the tax out of prices that include it, from each by its size.
func spreadTax(out *connector.Order, sum sums) {
	parts := []money.Amount{out.Shipping}
	for _, l := range out.Lines {
		parts = append(parts, l.Amount)
	}
	shares := sum.Spread(out.Tax, parts)
	out.Shipping -= shares[0]
	for i := range out.Lines {
		out.Lines[i].Amount -= shares[i+1]
	}
}

// taxLinesGiven reports whether the shop says what tax is in each price.
func (o *order) taxLinesGiven() bool {
	for _, l := range o.LineItems.Nodes {
		if len(l.TaxLines) > 0 {
			return true
		}
	}
	for _, l := range o.ShippingLines.Nodes {
		if len(l.TaxLines) > 0 {
			return true
		}
	}
	return false
}

// soldLine is how many units of a line were sold: those ordered, less those that an edit of the order removed.
type soldLine struct {
	quantity int64
	cut      bool // refunds have lowered the shop's counter of the line
}

// sold is how many units of each line were sold. Edits and refunds lower the same counter; refunds name their lines.
func (o *order) sold() map[string]soldLine {
	refunded := map[string]int64{}
	for _, r := range o.Refunds {
		for _, n := range r.RefundLineItems.Nodes {
			refunded[n.LineItem.ID] += n.Quantity
		}
	}
	out := map[string]soldLine{}
	for _, l := range o.LineItems.Nodes {
		back := min(refunded[l.ID], max(l.Quantity-l.CurrentQuantity, 0))
		out[l.ID] = soldLine{quantity: l.CurrentQuantity + back, cut: back > 0}
	}
	return out
}

// edited reports whether lines were changed after the order was placed, other than by refunds.
func (o *order) edited(sold map[string]soldLine) bool {
	return slices.ContainsFunc(o.LineItems.Nodes, func(l line) bool { return sold[l.ID].quantity != l.Quantity })
}

// line is a line with the quantity that was sold of it.
func (o *order) line(sum sums, l line, quantity int64) connector.OrderLine {
	out := connector.OrderLine{ExternalID: l.ID, SKU: l.SKU, Name: l.Name, Quantity: quantity, Amount: sum.of(l.OriginalTotalSet)}
	for _, a := range l.CustomAttributes {
		if !strings.HasPrefix(a.Key, "_") { // an app's own
			out.Choose(a.Key, a.Value)
		}
	}
	if l.OriginalTotalSet.ShopMoney.Amount == "" {
		out.Amount, _ = sum.of(l.OriginalUnitPriceSet).Times(l.Quantity)
	}
	tax := sum.tax(l.TaxLines)
	if quantity != l.Quantity { // the shop's amounts are those of all that was ordered
		digits := money.Digits(o.CurrencyCode)
		total, _ := sum.of(l.OriginalUnitPriceSet).Times(quantity)
		taxes, _ := tax.Times(quantity)
		out.Amount, tax = total.Round(digits), taxes.Per(l.Quantity).Round(digits)
	}
	if o.TaxesIncluded {
		out.Amount -= tax
	}
	if l.Product != nil {
		out.Item.Product = l.Product.ID
	}
	if l.Variant != nil {
		out.Item.Variant = l.Variant.ID
	}
	return out
}

// status is the meaning of the shop's states; the first that matches.
func (o *order) status() (status orders.Status, refunded bool) {
	fulfilled := o.DisplayFulfillmentStatus == "FULFILLED"
	switch f := o.DisplayFinancialStatus; {
	case o.CancelledAt != nil, f == "VOIDED" && !fulfilled:
		return orders.Cancelled, false
	case f == "REFUNDED":
		return orders.Returned, true
	case fulfilled && o.ReturnStatus == "RETURNED":
		return orders.Returned, false
	case fulfilled && o.delivered():
		return orders.Delivered, false
	case fulfilled:
		return orders.Shipped, false
	case o.DisplayFulfillmentStatus == "PARTIALLY_FULFILLED":
		return orders.PartiallyShipped, false
	case f == "PENDING" || f == "AUTHORIZED" || f == "PARTIALLY_PAID" || f == "EXPIRED":
		return orders.Pending, false
	}
	return orders.Processing, false
}

func (o *order) delivered() bool {
	for _, f := range o.Fulfillments {
		if f.Status == success && f.DisplayStatus != "DELIVERED" {
			return false
		}
	}
	return len(o.Fulfillments) > 0
}

func (o *order) buyer(out *connector.Order) {
	out.ShipTo, out.BillTo = o.ShippingAddress.place(), o.BillingAddress.place()
	out.Email, out.Phone = o.Email, o.Phone
	if c := o.Customer; c != nil {
		out.Name = strings.TrimSpace(c.FirstName + " " + c.LastName)
		if out.Email == "" && c.DefaultEmailAddress != nil {
			out.Email = c.DefaultEmailAddress.EmailAddress
		}
		if out.Phone == "" && c.DefaultPhoneNumber != nil {
			out.Phone = c.DefaultPhoneNumber.PhoneNumber
		}
	}
	out.Complete()
}

func (a *address) place() *connector.Place {
	if a == nil {
		return nil
	}
	return &connector.Place{Name: a.Name, Company: a.Company, Line1: a.Address1, Line2: a.Address2, City: a.City, State: a.ProvinceCode,
		PostalCode: a.Zip,
		Country:    a.CountryCodeV2, Phone: a.Phone}
}

func (o *order) parcels(out *connector.Order) {
	for _, f := range o.Fulfillments {
		if f.Status != success {
			continue
		}
		parcel := connector.Parcel{Key: f.ID, ShippedAt: f.CreatedAt}
		for _, t := range f.TrackingInfo {
			parcel.Carrier, parcel.URL = cmp.Or(parcel.Carrier, t.Company), cmp.Or(parcel.URL, t.URL)
		}
		parcel.Number = strings.Join(f.numbers(), ", ")
		for _, n := range f.FulfillmentLineItems.Nodes {
			parcel.Lines = append(parcel.Lines, connector.ParcelLine{ExternalLine: n.LineItem.ID, Quantity: n.Quantity})
		}
		if len(parcel.Lines) > 0 {
			out.Parcels = append(out.Parcels, parcel)
		}
	}
}

// sums parses amounts in Shopify's structure.
type sums struct{ *connector.Sums }

func (s sums) of(a amount) money.Amount { return s.Of(a.ShopMoney.Amount) }

func (s sums) optional(a *amount) money.Amount {
	if a == nil {
		return 0
	}
	return s.of(*a)
}

func (s sums) tax(list taxLines) (total money.Amount) {
	for _, t := range list {
		total += s.of(t.PriceSet)
	}
	return total
}
