package woocommerce

import (
	"context"
	"encoding/json"
	"html"
	"net/url"
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

// perPage is how many orders a page has at most.
const perPage = 100

// gmt is how the shop writes times: UTC without saying so.
const gmt = "2006-01-02T15:04:05"

// pageToken is the position of a pull. Orders that change while pages are read move to the end, so that later pages
// shift: the next page starts again at the time of the last order, unless many orders have the same second.
type pageToken struct {
	Since string    `json:"since"`
	Page  int       `json:"page"`
	Trash bool      `json:"trash"` // the bin is requested separately: no other request returns its orders
	Until time.Time `json:"until"` // the shop's clock when the pull began
}

// PullOrders returns a page of the orders that changed since a time, those in the bin last.
func (s *session) PullOrders(ctx context.Context, cursor connector.Cursor) (out connector.OrderPage, err error) {
	token := pageToken{Since: cursor.Since.UTC().Format(gmt), Page: 1}
	if cursor.Page != "" {
		if err := json.Unmarshal([]byte(cursor.Page), &token); err != nil {
			return out, &connector.Failure{Kind: connector.Rejected, Message: "the pull's cursor is unreadable", Err: err}
		}
	}
	status := "any"
	if token.Trash {
		status = "trash"
	}
	var list []json.RawMessage
	answer, err := s.get(
		ctx,
		"/orders",
		url.Values{"modified_after": {token.Since}, "dates_are_gmt": {"true"}, "orderby": {"modified"}, "order": {"asc"},
			"per_page": {strconv.Itoa(perPage)}, "page": {strconv.Itoa(token.Page)}, "status": {status}},
		&list,
	)
	if err != nil {
		return out, err
	}
	if token.Until.IsZero() {
		if token.Until = answer.Date(); token.Until.IsZero() {
			token.Until = s.link.Now()
		}
	}
	last := ""
	for _, raw := range list {
		order, at, take, err := readOrder(raw)
		last = max(last, at)
		switch {
		case err != nil:
			out.Unreadable = append(out.Unreadable, connector.Unreadable{ExternalID: order.ExternalID, Error: connector.FailureOf(err).Message})
		case take:
			out.Orders = append(out.Orders, order)
		}
	}
	return s.next(out, token, len(list), last)
}

// next sets where the pull continues.
func (s *session) next(out connector.OrderPage, token pageToken, got int, last string) (connector.OrderPage, error) {
	switch at, err := time.Parse(gmt, last); {
	case got < perPage && token.Trash:
		out.Until = token.Until
		return out, nil
	case got < perPage:
		token.Trash, token.Page = true, 1
	case err == nil && at.Add(-time.Second).Format(gmt) > token.Since:
		token.Since, token.Page = at.Add(-time.Second).Format(gmt), 1
	default:
		token.Page++
	}
	text, err := json.Marshal(token)
	out.Next = string(text)
	return out, err
}

// PullOrder gives one order, also from the bin.
func (s *session) PullOrder(ctx context.Context, externalID string) (connector.Order, error) {
	var raw json.RawMessage
	if _, err := strconv.ParseInt(externalID, 10, 64); err != nil {
		return connector.Order{}, connector.Failf(
			connector.Missing,
			"the shop numbers its orders; %q is no number",
			connector.Line(externalID),
		)
	}
	if _, err := s.get(ctx, "/orders/"+externalID, nil, &raw); err != nil {
		return connector.Order{}, err
	}
	order, _, take, err := readOrder(raw)
	if err == nil && !take {
		err = connector.Failf(connector.Missing, "the order is a draft of a checkout")
	}
	return order, err
}

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
	Note     string   `json:"customer_note"`
	Billing  place    `json:"billing"`
	Delivery place    `json:"shipping"`
	Lines    []line   `json:"line_items"`
	Fees     []line   `json:"fee_lines"`
	Refunds  []struct {
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
		Key   string   `json:"key"`
		Value flexible `json:"value"`
	} `json:"meta_data"`
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
				), Amount: read.of(l.Subtotal), Item: connector.IDs{Product: notZero(l.Product), Variant: notZero(l.Variation)}},
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

// Detail reads the refunds of an order: the order itself names only their sums.
func (s *session) Detail(ctx context.Context, o *connector.Order) (err error) {
	if len(o.Refunds) > 0 {
		o.Refunds, err = s.refunds(ctx, o.ExternalID)
	}
	return err
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
	if in.Method != "" {
		out.Payment = map[string]any{"method": in.Method, "title": html.UnescapeString(in.Title), "paidAt": nil}
		if at := moment(string(in.Paid)); !at.IsZero() {
			out.Payment["paidAt"] = at.Format(time.RFC3339)
		}
	}
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

// refunds reads the refunds of an order.
func (s *session) refunds(ctx context.Context, order string) (out []connector.Refund, err error) {
	var list []struct {
		ID      flexible `json:"id"`
		Amount  flexible `json:"amount"`
		Reason  string   `json:"reason"`
		Created string   `json:"date_created_gmt"`
		Lines   []line   `json:"line_items"`
	}
	if _, err := s.get(ctx, "/orders/"+order+"/refunds", url.Values{"per_page": {"100"}}, &list); err != nil {
		return nil, err
	}
	for _, r := range list {
		read := amounts{}
		refund := connector.Refund{
			ExternalID: string(r.ID),
			Amount:     read.of(r.Amount),
			Reason:     html.UnescapeString(r.Reason),
			CreatedAt:  moment(r.Created),
		}
		for _, l := range r.Lines {
			for _, meta := range l.Meta {
				if meta.Key == "_refunded_item_id" {
					refund.Lines = append(refund.Lines, connector.RefundLine{ExternalLine: string(meta.Value), Quantity: -whole(l.Quantity),
						Amount: -read.of(l.Total) - read.of(l.TotalTax)})
				}
			}
		}
		if read.wrong == "" {
			out = append(out, refund)
		}
	}
	return out, nil
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
