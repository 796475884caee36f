package woocommerce

import (
	"encoding/json"
	"html"
	"strings"
	"time"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
	"entrepot/internal/orders"
)

const (
	pending    = orders.Pending
	processing = orders.Processing
	shipped    = orders.Shipped
	cancelled  = orders.Cancelled
	returned   = orders.Returned
)

// statuses are what the shop's mean here. A draft of a checkout is no order; "refunded" depends on whether it was
// shipped.
var statuses = map[string]connector.Status{"pending": pending, "on-hold": pending, "processing": processing, "completed": shipped,
	"cancelled": cancelled, "failed": cancelled, "trash": cancelled}

// shopOrder is an order as the shop writes it. Plugins change types of members, so each takes several.
type shopOrder struct {
	ID       flexible         `json:"id"`
	Number   flexible         `json:"number"`
	Status   flexible         `json:"status"`
	Currency flexible         `json:"currency"`
	Created  flexible         `json:"date_created_gmt"`
	Modified flexible         `json:"date_modified_gmt"`
	Finished flexible         `json:"date_completed_gmt"`
	Discount flexible         `json:"discount_total"`
	Shipping flexible         `json:"shipping_total"`
	Tax      flexible         `json:"total_tax"`
	Total    flexible         `json:"total"`
	Method   flexible         `json:"payment_method"`
	Title    flexible         `json:"payment_method_title"`
	Paid     flexible         `json:"date_paid_gmt"`
	Paying   flexible         `json:"transaction_id"`
	Note     flexible         `json:"customer_note"`
	Billing  place            `json:"billing"`
	Delivery place            `json:"shipping"`
	Lines    several[line]    `json:"line_items"`
	Fees     several[line]    `json:"fee_lines"`
	Coupons  several[coupon]  `json:"coupon_lines"`
	Ways     several[carrier] `json:"shipping_lines"`
	Refunds  several[given]   `json:"refunds"`
	Kept     several[kept]    `json:"meta_data"`
}

type (
	coupon struct {
		Code flexible `json:"code"`
	}
	carrier struct {
		Title flexible `json:"method_title"`
	}
	given struct { // a refund as its order has it
		ID     flexible `json:"id"`
		Reason flexible `json:"reason"`
		Total  flexible `json:"total"` // below 0
	}
)

type address struct {
	First    flexible `json:"first_name"`
	Last     flexible `json:"last_name"`
	Company  flexible `json:"company"`
	Line1    flexible `json:"address_1"`
	Line2    flexible `json:"address_2"`
	City     flexible `json:"city"`
	State    flexible `json:"state"`
	Postcode flexible `json:"postcode"`
	Country  flexible `json:"country"`
	Email    flexible `json:"email"`
	Phone    flexible `json:"phone"`
}

// place is an address; anything but an object, such as PHP's empty list, is an empty one.
type place struct{ address }

// UnmarshalJSON takes any JSON value and never fails.
func (p *place) UnmarshalJSON(raw []byte) error {
	p.address = address{}
	_ = json.Unmarshal(raw, &p.address) // its members take any value
	return nil
}

// line is a line of goods, a fee, or, with negative numbers, what of one was refunded.
type line struct {
	ID        flexible      `json:"id"`
	SKU       flexible      `json:"sku"`
	Name      flexible      `json:"name"`
	Product   flexible      `json:"product_id"`
	Variation flexible      `json:"variation_id"`
	Quantity  flexible      `json:"quantity"`
	Subtotal  flexible      `json:"subtotal"` // before discount, without tax
	Total     flexible      `json:"total"`    // after it
	TotalTax  flexible      `json:"total_tax"`
	Meta      several[meta] `json:"meta_data"`
}

// meta is what a buyer or a plugin added to a line.
type meta struct {
	Key        flexible `json:"key"`
	Value      flexible `json:"value"`
	Shown      flexible `json:"display_key"`
	ShownValue flexible `json:"display_value"`
}

// convert reads an order; is is false for a record that is no order. modified is the shop's own text, for paging.
func convert(raw json.RawMessage) (out connector.Order, modified string, is bool, err error) {
	var in shopOrder
	if json.Unmarshal(raw, &in) != nil {
		var known struct {
			ID flexible `json:"id"`
		}
		_ = json.Unmarshal(raw, &known)
		return connector.Order{ExternalID: string(known.ID)}, "", true,
			connector.Failf(connector.Rejected, "the order is not what the shop's documentation says")
	}
	out = connector.Order{
		ExternalID: string(in.ID),
		Number:     string(in.Number),
		Theirs:     string(in.Status),
		Status:     statuses[string(in.Status)],
		Undivided:  true,
		Refunded:   in.Status == "refunded",
		Currency:   strings.ToUpper(string(in.Currency)),
		CreatedAt:  moment(string(in.Created)),
		UpdatedAt:  moment(string(in.Modified)),
		Note:       string(in.Note),
	}
	if in.Status == "completed" || in.Status == "refunded" {
		out.ShippedAt = moment(string(in.Finished))
	}
	if in.Status == "checkout-draft" || in.Status == "auto-draft" || in.ID == "" {
		return out, string(in.Modified), false, nil
	}
	if err := in.amounts(&out); err != nil {
		return out, string(in.Modified), true, err
	}
	in.people(&out)
	for _, r := range in.Refunds { // without lines and time, which Detail reads
		sum := connector.Sums{Digits: money.Digits(out.Currency)}
		out.Refunds = append(out.Refunds, connector.Refund{ExternalID: string(r.ID), Amount: max(-sum.Of(string(r.Total)), 0),
			Reason: html.UnescapeString(string(r.Reason)), CreatedAt: out.UpdatedAt})
	}
	out.Restocked = in.restocked()
	in.parcels(&out)
	return out, string(in.Modified), true, nil
}

// amounts reads lines and amounts, which are requested unrounded. A shop rounds each line or, by a setting, only
// their sum: the way that adds up to its total is used, and separately rounded amounts are evened out. Some shops
// have no decimals, although their currency does. A difference that the shop itself has stays.
func (in shopOrder) amounts(out *connector.Order) error {
	digits := money.Digits(out.Currency) // shops have currencies of their own, too
	billed, finer, err := in.rounded(*out, digits, false)
	if err != nil {
		return err
	}
	byLines, _, _ := in.rounded(*out, digits, true)
	if *out = billed; billed.Discount < 0 || billed.Excess() != 0 && byLines.Excess() == 0 {
		*out = byLines
	}
	if out.Excess() == 0 {
		return nil
	}
	const exact = 4 // decimals of an amount
	unrounded, _, _ := in.rounded(*out, exact, true)
	if lack := unrounded.Excess(); max(lack, -lack) <= money.Unit(digits)/2+money.Amount(len(unrounded.Lines)+4) {
		out.EvenOut(-out.Excess(), money.Unit(0)*money.Amount(len(out.Lines)))
		return nil
	}
	whole, _, _ := in.rounded(*out, 0, true)
	if finer && whole.Excess() == 0 && whole.Total == out.Total && whole.Tax == out.Tax && whole.Shipping == out.Shipping {
		*out = whole
	}
	return nil
}

// rounded is an order with its lines and amounts rounded to some decimals; finer says that some had more. A merchant
// may raise a line's price after its discount above the price before it: then the line costs that. The shop counts
// the raise as a discount below zero; byLines takes the discount from the lines and not from the shop's figure.
func (in shopOrder) rounded(out connector.Order, digits int, byLines bool) (o connector.Order, finer bool, err error) {
	sum := connector.Sums{Digits: digits}
	of := func(text flexible) money.Amount { return sum.Of(string(text)) }
	out.Lines = nil
	out.Discount, out.Shipping, out.Tax, out.Total = of(in.Discount), of(in.Shipping), of(in.Tax), of(in.Total)
	var discount money.Amount
	for _, l := range in.Lines {
		amount, paid := of(l.Subtotal), of(l.Total)
		if l.Total == "" {
			paid = amount
		}
		if paid > amount {
			out.Discount += paid - amount
			amount = paid
		}
		discount += amount - paid
		line := connector.OrderLine{ExternalID: string(l.ID), SKU: html.UnescapeString(string(l.SKU)),
			Name: html.UnescapeString(string(l.Name)), Quantity: whole(l.Quantity), Amount: amount,
			Item: connector.IDs{Product: notZero(l.Product), Variant: notZero(l.Variation)}}
		for _, m := range l.Meta {
			if !strings.HasPrefix(string(m.Key), "_") { // the shop's own
				line.Choose(html.UnescapeString(string(m.Shown)), html.UnescapeString(string(m.ShownValue)))
			}
		}
		out.Lines = append(out.Lines, line)
	}
	if byLines {
		out.Discount = discount
	}
	for _, l := range in.Fees {
		out.Lines = append(out.Lines, connector.OrderLine{ExternalID: string(l.ID), Name: html.UnescapeString(string(l.Name)), Quantity: 1,
			Amount: of(l.Total), Fee: true})
	}
	return out, sum.Finer(), sum.Err()
}

// people fills in who bought, and where it goes.
func (in shopOrder) people(out *connector.Order) {
	out.Name, out.Email, out.Phone = in.Billing.name(), string(in.Billing.Email), string(in.Billing.Phone)
	if out.Name == "" {
		out.Name = in.Delivery.name()
	}
	if out.Name == "" {
		out.Name = string(in.Billing.Company)
	}
	if out.Phone == "" {
		out.Phone = string(in.Delivery.Phone)
	}
	out.BillTo, out.ShipTo = in.Billing.place(), in.Delivery.place()
	if out.ShipTo == nil || in.Delivery.bare() && out.BillTo != nil {
		out.ShipTo = out.BillTo
	}
	out.Payment = in.payment()
	var ways []string
	for _, w := range in.Ways {
		if w.Title != "" {
			ways = append(ways, html.UnescapeString(string(w.Title)))
		}
	}
	out.ShippedBy(strings.Join(ways, ", "))
}

// payment is how it was paid, and with which coupons; nil if the shop says nothing of it.
func (in shopOrder) payment() map[string]any {
	out := map[string]any{}
	if in.Method != "" {
		out["method"], out["title"], out["paidAt"] = string(in.Method), html.UnescapeString(string(in.Title)), nil
		if at := moment(string(in.Paid)); !at.IsZero() {
			out["paidAt"] = at.Format(time.RFC3339)
		}
	}
	if in.Paying != "" {
		out["transactionId"] = string(in.Paying)
	}
	var coupons []string
	for _, c := range in.Coupons {
		coupons = append(coupons, html.UnescapeString(string(c.Code)))
	}
	if len(coupons) > 0 {
		out["coupons"] = coupons
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func (p place) name() string { return strings.TrimSpace(string(p.First + " " + p.Last)) }

// bare reports whether it is a country at most, as the shop presets one for what is not shipped.
func (p place) bare() bool { return p.Line1+p.Line2+p.City+p.Postcode == "" }

// place is the address; nil when it is empty.
func (p place) place() *connector.Place {
	if p.bare() && p.Country == "" {
		return nil
	}
	return &connector.Place{
		Name:       p.name(),
		Company:    string(p.Company),
		Line1:      string(p.Line1),
		Line2:      string(p.Line2),
		City:       string(p.City),
		State:      string(p.State),
		PostalCode: string(p.Postcode),
		Country:    strings.ToUpper(string(p.Country)),
		Phone:      string(p.Phone),
	}
}
