package woocommerce

import (
	"encoding/json"
	"html"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/money"
	"entrepot/internal/orders"
)

const (
	pending    = orders.Pending
	processing = orders.Processing
	shipped    = orders.Shipped
	cancelled  = orders.Cancelled
	returned   = orders.Returned
)

// statuses are what the shop's mean here. A draft of a checkout is no order; "refunded" depends on whether it was shipped.
var statuses = map[string]connector.Status{"pending": pending, "on-hold": pending, "processing": processing, "completed": shipped,
	"cancelled": cancelled, "failed": cancelled, "trash": cancelled}

// shopOrder is an order as the shop writes it.
type shopOrder struct {
	ID       flexible `json:"id"`
	Number   flexible `json:"number"`
	Status   string   `json:"status"`
	Currency string   `json:"currency"`
	Created  string   `json:"date_created_gmt"`
	Modified string   `json:"date_modified_gmt"`
	Discount flexible `json:"discount_total"`
	Shipping flexible `json:"shipping_total"`
	Tax      flexible `json:"total_tax"`
	Total    flexible `json:"total"`
	Method   string   `json:"payment_method"`
	Title    string   `json:"payment_method_title"`
	Paid     flexible `json:"date_paid_gmt"`
	Paying   string   `json:"transaction_id"`
	Note     string   `json:"customer_note"`
	Billing  place    `json:"billing"`
	Delivery place    `json:"shipping"`
	Lines    []line   `json:"line_items"`
	Fees     []line   `json:"fee_lines"`
	Coupons  []struct {
		Code string `json:"code"`
	} `json:"coupon_lines"`
	Ways []struct {
		Title string `json:"method_title"`
	} `json:"shipping_lines"`
	Refunds []struct {
		ID flexible `json:"id"`
	} `json:"refunds"`
}

type place struct {
	First    string   `json:"first_name"`
	Last     string   `json:"last_name"`
	Company  string   `json:"company"`
	Line1    string   `json:"address_1"`
	Line2    string   `json:"address_2"`
	City     string   `json:"city"`
	State    string   `json:"state"`
	Postcode flexible `json:"postcode"`
	Country  string   `json:"country"`
	Email    string   `json:"email"`
	Phone    flexible `json:"phone"`
}

// line is a line of goods, a fee, or, with negative numbers, what of one was refunded.
type line struct {
	ID        flexible `json:"id"`
	SKU       flexible `json:"sku"`
	Name      string   `json:"name"`
	Product   flexible `json:"product_id"`
	Variation flexible `json:"variation_id"`
	Quantity  flexible `json:"quantity"`
	Subtotal  flexible `json:"subtotal"` // before discount, without tax
	Total     flexible `json:"total"`    // after it
	TotalTax  flexible `json:"total_tax"`
	Meta      []struct {
		Key        string   `json:"key"`
		Value      flexible `json:"value"`
		Shown      string   `json:"display_key"`
		ShownValue flexible `json:"display_value"`
	} `json:"meta_data"`
}

// options are what the buyer chose or entered for a line. Names that begin with "_" are the shop's own.
func (l line) options() (out map[string]any) {
	for _, m := range l.Meta {
		name, value := html.UnescapeString(m.Shown), html.UnescapeString(string(m.ShownValue))
		if name == "" || strings.HasPrefix(m.Key, "_") || value == "" {
			continue
		}
		if out == nil {
			out = map[string]any{}
		}
		out[name] = value
	}
	return out
}

// readOrder decodes an order; take is false for a record that is no order. modified is the shop's own text, for paging.
func readOrder(raw json.RawMessage) (out connector.Order, modified string, take bool, err error) {
	var in shopOrder
	if err := json.Unmarshal(raw, &in); err != nil {
		var id struct {
			ID flexible `json:"id"`
		}
		_ = json.Unmarshal(raw, &id)
		return connector.Order{
				ExternalID: string(id.ID),
			}, "", false, connector.Failf(
				connector.Rejected,
				"the order is not what the shop's documentation says",
			)
	}
	out = connector.Order{
		ExternalID: string(in.ID),
		Number:     string(in.Number),
		Theirs:     in.Status,
		Status:     statuses[in.Status],
		Refunded:   in.Status == "refunded",
		Currency:   strings.ToUpper(in.Currency),
		CreatedAt:  moment(in.Created),
		UpdatedAt:  moment(in.Modified),
		Note:       in.Note,
	}
	if in.Status == "checkout-draft" || in.Status == "auto-draft" || in.ID == "" {
		return out, in.Modified, false, nil
	}
	read := amounts{}
	out.Discount, out.Shipping, out.Tax, out.Total = read.of(in.Discount), read.of(in.Shipping), read.of(in.Tax), read.of(in.Total)
	for _, l := range in.Lines {
		out.Lines = append(
			out.Lines,
			connector.OrderLine{ExternalID: string(l.ID), SKU: html.UnescapeString(string(l.SKU)), Name: html.UnescapeString(l.Name),
				Quantity: whole(
					l.Quantity,
				), Amount: read.of(l.Subtotal), Item: connector.IDs{Product: notZero(l.Product), Variant: notZero(l.Variation)}, Options: l.options()},
		)
	}
	for _, l := range in.Fees {
		out.Lines = append(
			out.Lines,
			connector.OrderLine{ExternalID: string(l.ID), Name: html.UnescapeString(l.Name), Quantity: 1, Amount: read.of(l.Total)},
		)
	}
	if read.wrong != "" {
		return out, in.Modified, false, connector.Failf(connector.Rejected, "%q is no amount", connector.Line(read.wrong))
	}
	in.people(&out)
	out.Refunds = make([]connector.Refund, len(in.Refunds)) // their number; the rest is read by Detail
	return out, in.Modified, true, nil
}

// people fills in who bought, and where it goes.
func (in shopOrder) people(out *connector.Order) {
	out.Name, out.Email, out.Phone = in.Billing.name(), in.Billing.Email, string(in.Billing.Phone)
	if out.Name == "" {
		out.Name = in.Delivery.name()
	}
	if out.Name == "" {
		out.Name = in.Billing.Company
	}
	if out.Phone == "" {
		out.Phone = string(in.Delivery.Phone)
	}
	out.BillTo, out.ShipTo = in.Billing.place(), in.Delivery.place()
	if out.ShipTo == nil {
		out.ShipTo = out.BillTo
	}
	out.Payment = in.payment()
	var ways []string
	for _, w := range in.Ways {
		if w.Title != "" {
			ways = append(ways, html.UnescapeString(w.Title))
		}
	}
	out.ShippedBy(strings.Join(ways, ", "))
}

// payment is how it was paid, and with which coupons; nil if the shop says nothing of it.
func (in shopOrder) payment() map[string]any {
	out := map[string]any{}
	if in.Method != "" {
		out["method"], out["title"], out["paidAt"] = in.Method, html.UnescapeString(in.Title), nil
		if at := moment(string(in.Paid)); !at.IsZero() {
			out["paidAt"] = at.Format(time.RFC3339)
		}
	}
	if in.Paying != "" {
		out["transactionId"] = in.Paying
	}
	var coupons []string
	for _, c := range in.Coupons {
		coupons = append(coupons, html.UnescapeString(c.Code))
	}
	if len(coupons) > 0 {
		out["coupons"] = coupons
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func (p place) name() string { return strings.TrimSpace(p.First + " " + p.Last) }

// place is the address; nil when it is empty.
func (p place) place() *connector.Place {
	if p.Line1+p.City+string(p.Postcode)+p.Country == "" {
		return nil
	}
	return &connector.Place{
		Name:       p.name(),
		Company:    p.Company,
		Line1:      p.Line1,
		Line2:      p.Line2,
		City:       p.City,
		State:      p.State,
		PostalCode: string(p.Postcode),
		Country:    strings.ToUpper(p.Country),
		Phone:      string(p.Phone),
	}
}

// amounts parses decimal texts, and keeps the first invalid one.
type amounts struct{ wrong string }

func (a *amounts) of(text flexible) money.Amount {
	if text == "" {
		return 0
	}
	plain, negative := strings.CutPrefix(string(text), "-")
	if at := strings.IndexByte(plain, '.'); at >= 0 && len(plain) > at+5 && strings.Trim(plain[at+5:], "0") == "" {
		plain = plain[:at+5] // zeros beyond the digits of any currency
	}
	v, err := money.Parse(plain)
	if err != nil && a.wrong == "" {
		a.wrong = string(text)
	}
	if negative {
		return -v
	}
	return v
}

// moment reads one of the shop's times; the zero time for none.
func moment(text string) time.Time {
	at, err := time.Parse(gmt, strings.TrimSuffix(text, "Z"))
	if err != nil {
		return time.Time{}
	}
	return at
}

func whole(text flexible) int64 {
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 0
	}
	return int64(n)
}

// notZero is an id; the shop writes 0 for none.
func notZero(text flexible) string {
	if text == "0" {
		return ""
	}
	return string(text)
}
