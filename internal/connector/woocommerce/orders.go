package woocommerce

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"time"

	"entrepot/internal/connector"
)

// pageOrders is how many orders a page has.
var pageOrders = connector.PageSize{Most: 100, Least: 10, Fact: "orderPage"}

// decimals has the shop give amounts with as many as it calculates with: rounded to its own they need not add up to
// its totals.
const decimals = "6"

// gmt is how the shop writes times: UTC without saying so.
const gmt = "2006-01-02T15:04:05"

// pageToken is the position of a pull. Orders that change while pages are read move to the end, so that later pages
// shift: the next page starts again at the time of the last order, unless many orders have the same second.
type pageToken struct {
	Since string    `json:"since"`
	Page  int       `json:"page"`
	Size  int       `json:"size"`  // of the pages
	Trash bool      `json:"trash"` // the bin is requested separately: no other request returns its orders
	Until time.Time `json:"until"` // the shop's clock when the pull began
}

// PullOrders returns a page of the orders that changed since a time, those in the bin last.
func (s *session) PullOrders(ctx context.Context, cursor connector.Cursor) (out connector.OrderPage, err error) {
	token := pageToken{Since: before(cursor.Since), Page: 1}
	if cursor.Page != "" {
		if err := json.Unmarshal([]byte(cursor.Page), &token); err != nil {
			return out, &connector.Failure{Kind: connector.Rejected, Message: "the pull's cursor is unreadable", Err: err}
		}
	}
	if size := pageOrders.Of(s.link.Facts, s.link.Now()); token.Size != size {
		token.Page, token.Size = 1, size
	}
	status := "any"
	if token.Trash {
		status = "trash"
	}
	var list []json.RawMessage
	answer, err := s.get(
		ctx,
		"/orders",
		url.Values{"dp": {decimals}, "modified_after": {token.Since}, "dates_are_gmt": {"true"}, "orderby": {"modified"}, "order": {"asc"},
			"per_page": {strconv.Itoa(token.Size)}, "page": {strconv.Itoa(token.Page)}, "status": {status}},
		&list,
	)
	if err != nil {
		return out, pageOrders.Failed(s.link.Facts, s.link.Now(), token.Size, err)
	}
	if token.Until.IsZero() {
		token.Until = s.link.TimeOf(answer)
	}
	last := ""
	for _, raw := range list {
		order, at, is, err := convert(raw)
		last = max(last, at)
		if !is {
			continue
		}
		if err := out.Take(order.ExternalID, order, err); err != nil {
			return out, err
		}
	}
	return s.next(out, token, !lastPage(answer, token.Page, len(list) < token.Size), last)
}

// next sets where the pull continues.
func (s *session) next(out connector.OrderPage, token pageToken, more bool, last string) (connector.OrderPage, error) {
	switch at, err := time.Parse(gmt, last); {
	case !more && token.Trash:
		out.Until = token.Until
		return out, nil
	case !more:
		token.Trash, token.Page = true, 1
	case err == nil && before(at) > token.Since:
		token.Since, token.Page = before(at), 1
	default:
		token.Page++
	}
	text, err := json.Marshal(token)
	out.Next = string(text)
	return out, err
}

// before is the second before a time, because the shop leaves out changes of the requested second itself.
func before(at time.Time) string { return at.UTC().Add(-time.Second).Format(gmt) }

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
	if _, err := s.get(ctx, "/orders/"+externalID, url.Values{"dp": {decimals}}, &raw); err != nil {
		return connector.Order{}, err
	}
	order, _, is, err := convert(raw)
	if err == nil && !is {
		err = connector.Failf(connector.Missing, "the order is a draft of a checkout")
	}
	return order, err
}

// Detail reads the refunds of an order, of which the order itself names only the sums, and its parcels.
func (s *session) Detail(ctx context.Context, o *connector.Order) error {
	if err := s.readParcels(ctx, o); err != nil {
		return err
	}
	if len(o.Refunds) == 0 {
		return nil
	}
	refunds, err := s.refunds(ctx, o.ExternalID, o.Currency)
	if isCode(err, noRoute) { // a gateway lets only the order through, which has the sums
		return nil
	}
	o.Refunds = refunds
	return err
}
