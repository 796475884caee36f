package tiktokshop

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/connector"
)

// pageOrders is how many orders a page has.
var pageOrders = connector.PageSize{Most: 100, Least: 10, Fact: "orderPage"}

// Bounds of a pull.
const (
	byID = 50          // orders of one request that names them
	tail = time.Minute // how far the list may be behind: the next pull reads that time again
)

// The parts of a pull. Returns and cancellations may not change the update time of their order, so they are requested
// separately.
const (
	partOrders        = "orders"
	partCancellations = "cancellations"
	partReturns       = "returns"
)

// pageToken is the position of a pull: its part, its end by the platform's clock, the size of its pages, and the
// platform's token of the next one.
type pageToken struct {
	part  string
	until time.Time
	size  int
	token string
}

func (p pageToken) String() string {
	return fmt.Sprint(p.part, " ", p.until.Unix(), " ", p.size, " ", p.token)
}

// parseToken reads a position. When pages have another size by now, its part begins anew: a token belongs to a size.
func parseToken(text string, size int) pageToken {
	p, seconds := pageToken{}, int64(0)
	if n, _ := fmt.Sscan(text, &p.part, &seconds, &p.size, &p.token); n < 3 {
		return pageToken{part: partOrders, size: size}
	}
	if p.until = time.Unix(seconds, 0).UTC(); p.size != size {
		p.size, p.token = size, ""
	}
	return p
}

// PullOrders returns a page of the orders that changed in a closed span, then of those with changed cancellations and
// returns.
func (s *session) PullOrders(ctx context.Context, cursor connector.Cursor) (connector.OrderPage, error) {
	at := parseToken(cursor.Page, pageOrders.Of(s.link.Facts, s.link.Now()))
	if at.until.IsZero() {
		at.until = s.now().Truncate(time.Second).UTC()
	}
	switch at.part {
	case partCancellations:
		return s.pullReversed(ctx, cancellationsPath, at.span(cursor), pageToken{partReturns, at.until, at.size, ""}, at.until.Add(-tail))
	case partReturns:
		return s.pullReversed(ctx, returnsPath, at.span(cursor), pageToken{}, at.until.Add(-tail))
	}
	return s.pullChanged(ctx, at, cursor)
}

// span is the time of a pull. Until when it goes may be before its beginning, by a clock that is behind the platform's.
func (p pageToken) span(cursor connector.Cursor) fields {
	span := fields{"update_time_lt": p.until.Unix() + 1}
	if !cursor.Since.IsZero() {
		span["update_time_ge"] = min(cursor.Since.Unix(), p.until.Unix())
	}
	return span
}

// clocksApart is by how much two equal clocks may seem to differ: dates have whole seconds, and answers take some
// time.
const clocksApart = 3 * time.Second

// pullChanged returns a page of orders by the time of their change. Without a sort order TikTok begins with the
// newest. The first page shows the platform's time: if that is later than ours, the page is requested up to it.
func (s *session) pullChanged(ctx context.Context, at pageToken, cursor connector.Cursor) (connector.OrderPage, error) {
	out, date, err := s.searchOrders(ctx, at, cursor)
	if first := at.token == ""; err == nil && first && date.Sub(at.until) > clocksApart {
		at.until = date
		out, date, err = s.searchOrders(ctx, at, cursor)
	}
	if err != nil {
		return connector.OrderPage{}, pageOrders.Failed(s.link.Facts, s.link.Now(), at.size, err)
	}
	if !date.IsZero() && at.token == "" && date.Before(at.until) { // our clock is ahead of the platform's
		at.until = date
	}
	page, err := s.convertAll(ctx, out.Orders)
	page.Until = at.until.Add(-tail)
	if cursor.Since.After(at.until) {
		page.Until = cursor.Since
	}
	// a page without orders may have others behind it
	if out.Next == "" || out.Next == at.token && len(out.Orders) == 0 {
		at = pageToken{partCancellations, at.until, at.size, ""}
	} else {
		at.token = out.Next
	}
	page.Next = at.String()
	return page, err
}

// foundOrders is a page of TikTok's list.
type foundOrders struct {
	Next   string  `json:"next_page_token"`
	Orders []order `json:"orders"`
}

// searchOrders asks for a page, and returns the time at which it was given, zero if that is not said.
func (s *session) searchOrders(ctx context.Context, at pageToken, cursor connector.Cursor) (out foundOrders, date time.Time, err error) {
	query := url.Values{"page_size": {strconv.Itoa(at.size)}, "sort_field": {"update_time"}, "sort_order": {"ASC"}}
	if at.token != "" {
		query.Set("page_token", at.token)
	}
	answer, err := s.call(connector.Repeatable(ctx), request{method: http.MethodPost, path: "/order/202309/orders/search", query: query,
		body: at.span(cursor)}, &out)
	if err == nil {
		date = answer.Date()
	}
	return out, date, err
}

// pullReversed returns the orders with cancellations or returns that changed in a span.
func (s *session) pullReversed(ctx context.Context, path string, span fields, next pageToken, until time.Time) (connector.OrderPage,
	error) {
	found, err := s.reversals(ctx, path, span)
	if err != nil {
		return connector.OrderPage{}, err
	}
	var ids []string
	for _, r := range found {
		if id := string(r.Order); (r.done() || r.CancelID != "") && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	list, err := s.readOrders(ctx, ids)
	if err != nil {
		return connector.OrderPage{}, err
	}
	page, err := s.convertAll(ctx, list)
	page.Until = until
	if next.part != "" {
		page.Next = next.String()
	}
	return page, err
}

// convertAll converts orders, with their refunds.
func (s *session) convertAll(ctx context.Context, list []order) (connector.OrderPage, error) {
	var page connector.OrderPage
	for i := range list {
		o, err := list[i].convert()
		if err := page.Take(string(list[i].ID), o, err); err != nil {
			return connector.OrderPage{}, err
		}
	}
	if err := s.addRefunds(ctx, list, page.Orders); err != nil {
		return connector.OrderPage{}, err
	}
	return page, nil
}

// readOrders reads orders by their ids.
func (s *session) readOrders(ctx context.Context, ids []string) (list []order, err error) {
	for piece := range slices.Chunk(ids, byID) {
		var out struct {
			Orders []order `json:"orders"`
		}
		if _, err := s.call(ctx, request{method: http.MethodGet, path: "/order/202507/orders",
			query: url.Values{"ids": {strings.Join(piece, ",")}}}, &out); err != nil {
			return nil, err
		}
		list = append(list, out.Orders...)
	}
	return list, nil
}

// readOrder reads an order. Errors: Failure Missing when the shop does not have it.
func (s *session) readOrder(ctx context.Context, id string) (*order, error) {
	list, err := s.readOrders(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	for i := range list {
		if string(list[i].ID) == id {
			return &list[i], nil
		}
	}
	return nil, connector.Failf(connector.Missing, "the shop has no order %s", id)
}

// ReadOrders gives orders by their ids.
func (s *session) ReadOrders(ctx context.Context, externalIDs []string) (connector.OrderPage, error) {
	list, err := s.readOrders(ctx, externalIDs)
	if err != nil {
		return connector.OrderPage{}, err
	}
	return s.convertAll(ctx, list)
}

// PullOrder gives one order.
func (s *session) PullOrder(ctx context.Context, externalID string) (connector.Order, error) {
	o, err := s.readOrder(ctx, externalID)
	if err != nil {
		return connector.Order{}, err
	}
	page, err := s.convertAll(ctx, []order{*o})
	switch {
	case err != nil:
		return connector.Order{}, err
	case len(page.Orders) == 0:
		return connector.Order{}, connector.Failf(connector.Rejected, "order %s: %s", externalID, page.Unreadable[0].Error)
	}
	return page.Orders[0], nil
}
