package shopify

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/connector"
)

// tail is how far the shop's index may be behind its orders: the next pull reads that time again.
const tail = time.Minute

// deepest is how many orders of a list are read by its cursor before the list is requested anew: Shopify returns at
// most 25,000 of a list.
var deepest = 10_000

// pageToken is the position of a pull.
type pageToken struct {
	Until time.Time // the end of the span
	Since time.Time // where it begins: at the newest order of a list that was read as deep as it may be
	After string    // the shop's cursor
	Read  int       // orders of the list
}

// parseToken reads a position. Jobs of earlier versions have the end of the span and the cursor.
func parseToken(text string) (at pageToken) {
	if json.Unmarshal([]byte(text), &at) == nil {
		return at
	}
	if end, after, ok := strings.Cut(text, " "); ok {
		at.Until, _ = time.Parse(time.RFC3339, end)
		at.After = after
	}
	return at
}

// after is the position behind a page whose last order changed at a time, with the shop's cursor.
func (at pageToken) after(n int, last time.Time, cursor string) (string, error) {
	if at.After, at.Read = cursor, at.Read+n; at.Read >= deepest && last.After(at.Since) {
		at = pageToken{Until: at.Until, Since: last}
	}
	text, err := json.Marshal(at)
	return string(text), err
}

// PullOrders returns a page of the orders that changed in a span, which ends with the shop's present time.
func (s *session) PullOrders(ctx context.Context, cursor connector.Cursor) (connector.OrderPage, error) {
	at := parseToken(cursor.Page)
	if at.Until.IsZero() {
		var a shopAnswer
		answer, err := s.call(reading(ctx), queryShop, nil, &a)
		if err != nil {
			return connector.OrderPage{}, err
		}
		at = pageToken{Until: s.link.TimeOf(answer).Truncate(time.Second)}
	}
	if at.Since.IsZero() {
		at.Since = cursor.Since
	}
	page := connector.OrderPage{Until: at.Until.Add(-tail)}
	if cursor.Since.After(at.Until) {
		page.Until = cursor.Since
		return page, nil
	}
	query := "updated_at:<='" + at.Until.UTC().Format(time.RFC3339) + "'"
	if !at.Since.IsZero() {
		query = "updated_at:>='" + at.Since.UTC().Format(time.RFC3339) + "' AND " + query
	}
	after := any(nil)
	if at.After != "" {
		after = at.After
	}
	var a struct {
		Orders struct {
			PageInfo pageInfo
			Nodes    []order
		}
	}
	if err := s.inSize(func(z size) error {
		_, err := s.call(reading(ctx), queryOrders, z.vars(vars{"first": z.orders, "after": after, "query": query}), &a)
		return err
	}); err != nil {
		return connector.OrderPage{}, err
	}
	if err := s.convertAll(ctx, a.Orders.Nodes, &page); err != nil {
		return connector.OrderPage{}, err
	}
	if !a.Orders.PageInfo.HasNextPage {
		return page, nil
	}
	n, last := len(a.Orders.Nodes), at.Since
	if n > 0 {
		last = a.Orders.Nodes[n-1].UpdatedAt
	}
	var err error
	page.Next, err = at.after(n, last, a.Orders.PageInfo.EndCursor)
	return page, err
}

// ReadOrders gives orders by their ids.
func (s *session) ReadOrders(ctx context.Context, externalIDs []string) (page connector.OrderPage, err error) {
	for len(externalIDs) > 0 {
		var a struct{ Nodes []*order }
		n := 0
		err := s.inSize(func(z size) error {
			n = min(z.orders, len(externalIDs))
			_, err := s.call(reading(ctx), queryOrdersByID, z.vars(vars{"ids": externalIDs[:n]}), &a)
			return err
		})
		if err != nil {
			return page, err
		}
		externalIDs = externalIDs[n:]
		var list []order
		for _, o := range a.Nodes {
			if o != nil && o.ID != "" { // the id of something else than an order gives an empty one
				list = append(list, *o)
			}
		}
		if err := s.convertAll(ctx, list, &page); err != nil {
			return page, err
		}
	}
	return page, nil
}

// convertAll adds orders to a page. One of which the answer may have only a part is read alone.
func (s *session) convertAll(ctx context.Context, list []order, page *connector.OrderPage) error {
	z := s.size()
	for i := range list {
		o := &list[i]
		if s.leavesOut(o) {
			continue
		}
		out, err := o.convert()
		if o.incomplete(z) {
			out, err = s.PullOrder(ctx, o.ID)
		}
		if connector.Is(err, connector.Missing) {
			continue
		}
		if err := page.Take(o.ID, out, err); err != nil {
			return err
		}
	}
	return nil
}

// leavesOut reports whether an order is a test that no setting includes.
func (s *session) leavesOut(o *order) bool {
	return o.Test && s.link.Channel.Value("testOrders") != "true"
}

// Bounds of a query for an order: the number of lines to start with, which is reduced when the query may cost too
// much, and that of parcels and refunds, which is raised when there may be more.
const (
	mostLines  = 50
	leastLines = 5
	leastFew   = 10
	mostFew    = 250
)

// PullOrder gives one order.
func (s *session) PullOrder(ctx context.Context, externalID string) (connector.Order, error) {
	o, err := s.readOrder(ctx, externalID)
	if err != nil {
		return connector.Order{}, err
	}
	if s.leavesOut(o) {
		return connector.Order{}, connector.Failf(connector.Missing, "order %s is a test of the shop's checkout", o.Name)
	}
	for o.LineItems.PageInfo.HasNextPage {
		var more struct{ Order *struct{ LineItems lines } }
		if _, err := s.call(reading(ctx), queryMoreLines, vars{"id": externalID, "after": o.LineItems.PageInfo.EndCursor}, &more); err != nil {
			return connector.Order{}, err
		}
		if more.Order == nil {
			return connector.Order{}, connector.Failf(connector.Missing, "the shop has no order %s", externalID)
		}
		o.LineItems.Nodes = append(o.LineItems.Nodes, more.Order.LineItems.Nodes...)
		o.LineItems.PageInfo = more.Order.LineItems.PageInfo
	}
	return o.convert()
}

// readOrder reads an order without the lines behind its first ones, with all of its parcels and refunds if the shop
// accepts such a query.
func (s *session) readOrder(ctx context.Context, externalID string) (found *order, err error) {
	for lines, few := s.lines(), leastFew; ; {
		var a struct{ Order *order }
		_, err := s.call(reading(ctx), queryOrder, vars{"id": externalID, "lines": lines, "parts": lines, "few": few}, &a)
		switch {
		case errors.Is(err, errTooDear) && lines >= 2*leastLines:
			if lines /= 2; few == leastFew {
				s.link.Facts.Keep("lines", strconv.Itoa(lines))
			}
		case errors.Is(err, errTooDear) && found != nil:
			return found, nil
		case err != nil:
			return nil, err
		case a.Order == nil:
			return nil, connector.Failf(connector.Missing, "the shop has no order %s", externalID)
		case few == mostFew || len(a.Order.Fulfillments) < few && len(a.Order.Refunds) < few:
			return a.Order, nil
		default:
			found, few = a.Order, few*5
		}
	}
}

// lines is the number of lines to start with: that of the last query that was accepted.
func (s *session) lines() int {
	if n, err := strconv.Atoi(s.link.Facts.Fact("lines")); err == nil && n >= leastLines && n < mostLines {
		return n
	}
	return mostLines
}
