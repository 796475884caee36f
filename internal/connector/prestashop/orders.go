package prestashop

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/connector"
)

// pageOrders is how many orders are read at once: a large shop is slow with more.
const pageOrders = 50

// tail is the newest time that a pull leaves out: more may be written in the same second.
const tail = 10 * time.Second

// byID is how many orders are read by their ids at a time.
const byID = 50

const shopTime = "2006-01-02 15:04:05"

// PullOrders returns a page of the orders that changed in a span of the shop's own time, which has no zone. The shop
// counts pages from an offset, so the end of the span is fixed with the first page.
func (s *session) PullOrders(ctx context.Context, cursor connector.Cursor) (connector.OrderPage, error) {
	f, err := s.orderFacts(ctx)
	if err != nil {
		return connector.OrderPage{}, err
	}
	offset, until := 0, time.Time{}
	if at, end, ok := strings.Cut(cursor.Page, "|"); ok {
		offset, _ = strconv.Atoi(at)
		until, _ = time.Parse(time.RFC3339, end)
	}
	if until.IsZero() {
		if until, err = s.clock(ctx); err != nil {
			return connector.OrderPage{}, err
		}
		until = until.Add(-tail)
	}
	page := connector.OrderPage{Until: until}
	since := cursor.Since
	if since.IsZero() {
		since = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if !since.Before(until) {
		page.Until = since
		return page, nil
	}
	from, to := f.local(since), f.local(until)
	if _, before := since.In(f.zone).Zone(); before != f.offset(until) { // an hour of the shop's time was skipped or came twice
		from = f.local(since.Add(-time.Hour))
	}
	rows, err := s.list(ctx, "orders", "order", full().between("date_upd", from, to).page(offset, pageOrders, "date_upd_ASC,id_ASC"))
	if err != nil {
		return connector.OrderPage{}, err
	}
	full := len(rows) == pageOrders
	if offset == 0 {
		slips, err := s.refunded(ctx, from, to)
		if err != nil {
			return connector.OrderPage{}, err
		}
		rows = append(rows, slips...)
	}
	if page.Orders, page.Unreadable, err = s.orders(ctx, f, rows); err != nil {
		return connector.OrderPage{}, err
	}
	if full {
		page.Next = strconv.Itoa(offset+pageOrders) + "|" + until.Format(time.RFC3339)
	}
	return page, nil
}

// refunded are the orders with a credit slip in a span: a credit slip does not change the order itself.
func (s *session) refunded(ctx context.Context, from, to string) ([]*node, error) {
	slips, err := s.list(ctx, "order_slip", "order_slip", display("id", "id_order").between("date_upd", from, to))
	if err != nil || len(slips) == 0 {
		return nil, ignoreForbidden(err)
	}
	var ids []string
	for _, slip := range slips {
		ids = append(ids, slip.get("id_order"))
	}
	return s.inChunks(ctx, "orders", "order", "id", ids, full)
}

// ignoreForbidden lets a key pull orders even if it may not read related resources.
func ignoreForbidden(err error) error {
	if connector.Is(err, connector.Forbidden) {
		return nil
	}
	return err
}

// clock is the shop's time: that of an answer a moment ago, else of one that is asked for.
func (s *session) clock(ctx context.Context) (time.Time, error) {
	if s.date.IsZero() || s.link.Now().Sub(s.dated) > time.Minute {
		if _, _, err := s.call(ctx, http.MethodGet, "orders", url.Values(display("id").page(0, 1, "id_DESC")), nil); err != nil {
			return time.Time{}, err
		}
	}
	if s.date.IsZero() {
		return s.link.Now(), nil
	}
	return s.date, nil
}

func (f *shop) local(at time.Time) string { return at.In(f.zone).Format(shopTime) }

func (f *shop) offset(at time.Time) int {
	_, offset := at.In(f.zone).Zone()
	return offset
}

// moment is a time of the shop; the zero time for none. A time that occurs twice when clocks are set back is the later
// one, unless that is in the future.
func (f *shop) moment(text string, now time.Time) time.Time {
	at, err := time.ParseInLocation(shopTime, text, f.zone)
	if err != nil || at.Year() < 1971 {
		return time.Time{}
	}
	if later := at.Add(time.Hour); f.local(later) == text && !later.After(now) {
		at = later
	} else if earlier := at.Add(-time.Hour); f.local(earlier) == text && at.After(now.Add(time.Minute)) {
		at = earlier
	}
	return at.UTC()
}

// ReadOrders gives orders by their ids.
func (s *session) ReadOrders(ctx context.Context, externalIDs []string) (page connector.OrderPage, err error) {
	f, err := s.orderFacts(ctx)
	if err != nil {
		return page, err
	}
	rows, err := s.list(ctx, "orders", "order", full().any("id", externalIDs...))
	if err != nil {
		return page, err
	}
	page.Orders, page.Unreadable, err = s.orders(ctx, f, rows)
	return page, err
}

// PullOrder gives one order.
func (s *session) PullOrder(ctx context.Context, externalID string) (connector.Order, error) {
	f, err := s.orderFacts(ctx)
	if err != nil {
		return connector.Order{}, err
	}
	rows, err := s.list(ctx, "orders", "order", full().any("id", externalID))
	if err != nil {
		return connector.Order{}, err
	}
	if len(rows) == 0 {
		return connector.Order{}, connector.Failf(connector.Missing, "the shop has no order %s", externalID)
	}
	list, unreadable, err := s.orders(ctx, f, rows[:1])
	if err == nil && len(unreadable) > 0 {
		err = connector.Failf(connector.Rejected, "%s", unreadable[0].Error)
	}
	if err != nil {
		return connector.Order{}, err
	}
	return list[0], nil
}
