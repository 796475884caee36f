package prestashop

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"entrepot/internal/connector"
)

// pageOrders is how many orders are read at once: a large shop is slow with more.
var pageOrders = connector.PageSize{Most: 50, Least: 10, Fact: "orderPage"}

// tail is the newest time that the next pull reads again: more may be written in the same second.
const tail = 10 * time.Second

// byID is how many orders are read by their ids at a time.
const byID = 50

const shopTime = "2006-01-02 15:04:05"

// pageToken is the position of a pull, in the shop's own time.
type pageToken struct {
	From   string    `json:"from"`   // of the change of the last order before
	Offset int       `json:"offset"` // among the orders since then
	Until  time.Time `json:"until"`  // the end of the span, which is fixed with the first page
}

// PullOrders returns a page of the orders that changed in a span of the shop's own time, which has no zone. An order
// that changes while pages are read leaves the span, and those behind it move up: the next page starts again at the
// time of the last order, unless many orders have the same second.
func (s *session) PullOrders(ctx context.Context, cursor connector.Cursor) (connector.OrderPage, error) {
	f, err := s.withStates(ctx)
	if err != nil {
		return connector.OrderPage{}, err
	}
	var token pageToken
	first := json.Unmarshal([]byte(cursor.Page), &token) != nil || token.Until.IsZero()
	if first {
		if token.Until, err = s.clock(ctx); err != nil {
			return connector.OrderPage{}, err
		}
	}
	page := connector.OrderPage{Until: token.Until.Add(-tail)}
	since := cursor.Since
	if since.IsZero() {
		since = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if since.After(token.Until) {
		page.Until = since
		return page, nil
	}
	from, to := f.span(since, token.Until)
	if first {
		token.From = from
	}
	size := pageOrders.Of(s.link.Facts, s.link.Now())
	rows, err := s.list(ctx, "orders", "order",
		full().between("date_upd", token.From, to).page(token.Offset, size, "date_upd_ASC,id_ASC"))
	if err != nil {
		return connector.OrderPage{}, pageOrders.Failed(s.link.Facts, s.link.Now(), size, err)
	}
	if len(rows) == size {
		if page.Next, err = token.after(rows[len(rows)-1].get("date_upd"), size); err != nil {
			return connector.OrderPage{}, err
		}
	}
	if first {
		slips, err := s.refunded(ctx, from, to)
		if err != nil {
			return connector.OrderPage{}, err
		}
		rows = append(rows, slips...)
	}
	return page, pageOrders.Failed(s.link.Facts, s.link.Now(), size, s.convertAll(ctx, f, rows, &page))
}

// after is the position behind a full page of a size whose last order changed at a time.
func (t pageToken) after(last string, size int) (string, error) {
	if last > t.From {
		t.From, t.Offset = last, 0
	} else {
		t.Offset += size
	}
	text, err := json.Marshal(t)
	return string(text), err
}

// span is a span of time as the shop writes it. If the shop's clock was set back or forward within it, the span is an
// hour longer on both sides: 02:10 may be after 02:50.
func (f *shop) span(since, until time.Time) (from, to string) {
	if f.offset(since) == f.offset(until) {
		return f.local(since), f.local(until)
	}
	end := until.In(time.FixedZone("", f.offset(until))).Add(time.Hour)
	return f.local(since.Add(-time.Hour)), end.Format(shopTime)
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

// clock is the shop's time: of an answer a moment ago, else of a new request.
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
	f, err := s.withStates(ctx)
	if err != nil {
		return page, err
	}
	rows, err := s.list(ctx, "orders", "order", full().any("id", externalIDs...))
	if err != nil {
		return page, err
	}
	return page, s.convertAll(ctx, f, rows, &page)
}

// PullOrder gives one order.
func (s *session) PullOrder(ctx context.Context, externalID string) (connector.Order, error) {
	f, err := s.withStates(ctx)
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
	b, err := s.besides(ctx, f, rows[:1])
	if err != nil {
		return connector.Order{}, err
	}
	return s.convert(ctx, f, b, rows[0])
}

func (s *session) readOrder(ctx context.Context, id string) (*node, error) {
	rows, err := s.list(ctx, "orders", "order", full().any("id", id))
	if err == nil && len(rows) == 0 {
		err = connector.Failf(connector.Missing, "the shop has no order %s", id)
	}
	return first(rows), err
}
