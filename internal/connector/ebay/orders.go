package ebay

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"entrepot/internal/connector"
)

// pageOrders is how many orders a page has: eBay's offset must be a multiple of it.
var pageOrders = connector.PageSize{Most: 100, Least: 10, Fact: "orderPage"}

// Bounds of a pull: eBay has the last two years.
const (
	longest = 2 * 365 * 24 * time.Hour
	tail    = time.Minute // how far the list may be behind: the next pull reads that time again
	byID    = 50          // orders of one request that names them
)

// pageToken is the position of a pull: its end by eBay's clock, the size of its pages and the offset of the next one.
type pageToken struct {
	offset, size int
	until        time.Time
}

func (p pageToken) String() string {
	return fmt.Sprint(p.offset, " ", p.size, " ", p.until.UTC().Format(time.RFC3339))
}

// parsePage reads a position; the zero one is the beginning, also when pages have another size by now.
func parsePage(text string, size int) (p pageToken) {
	var until string
	if n, _ := fmt.Sscan(text, &p.offset, &p.size, &until); n == 3 && p.size == size {
		p.until, _ = time.Parse(time.RFC3339, until)
	}
	if p.until.IsZero() {
		p.offset = 0
	}
	p.size = size
	return p
}

const ebayTime = "2006-01-02T15:04:05.000Z"

// PullOrders returns a page of the orders that changed in a closed span. It reads the pages after the first, then
// once more from the last back to the first: an order that changes meanwhile leaves the span, and those behind it
// move up, to pages that are still to be read.
func (s *session) PullOrders(ctx context.Context, cursor connector.Cursor) (connector.OrderPage, error) {
	at := parsePage(cursor.Page, pageOrders.Of(s.link.Facts, s.link.Now()))
	first := at.until.IsZero()
	if first {
		answer, err := s.get(ctx, selling+"/order", url.Values{"limit": {"1"}}, nil)
		if err != nil {
			return connector.OrderPage{}, err
		}
		at.until = s.link.TimeOf(answer)
	}
	since := cursor.Since
	if oldest := at.until.Add(-longest); since.Before(oldest) {
		since = oldest
	}
	page := connector.OrderPage{Until: at.until.Add(-tail)}
	if since.After(at.until) {
		page.Until = cursor.Since
		return page, nil
	}
	var out struct {
		Total  *int
		Orders []order
	}
	query := url.Values{"limit": {strconv.Itoa(at.size)}, "offset": {strconv.Itoa(at.offset)},
		"filter": {"lastmodifieddate:[" + since.UTC().Format(ebayTime) + ".." + at.until.UTC().Format(ebayTime) + "]"}}
	if _, err := s.get(ctx, selling+"/order", query, &out); err != nil {
		return connector.OrderPage{}, pageOrders.Failed(s.link.Facts, s.link.Now(), at.size, err)
	}
	if out.Total == nil && out.Orders == nil { // it would look like a page without orders
		return connector.OrderPage{}, connector.Failf(connector.Temporary, "the answer to a request for orders is not eBay's")
	}
	if err := s.convertAll(out.Orders, &page); err != nil {
		return connector.OrderPage{}, err
	}
	switch {
	case first && out.Total != nil && *out.Total > at.size:
		at.offset = (*out.Total - 1) / at.size * at.size
	case at.offset > 0:
		at.offset -= at.size
	default:
		return page, nil
	}
	page.Next = at.String()
	return page, nil
}

// convertAll adds orders to a page.
func (s *session) convertAll(list []order, page *connector.OrderPage) error {
	for i := range list {
		o, err := list[i].convert(s.market.id)
		if err := page.Take(list[i].OrderID, o, err); err != nil {
			return err
		}
	}
	return nil
}

// ReadOrders gives orders by their ids.
func (s *session) ReadOrders(ctx context.Context, externalIDs []string) (page connector.OrderPage, err error) {
	var out struct{ Orders []order }
	query := url.Values{"orderIds": {strings.Join(externalIDs, ",")}, "limit": {strconv.Itoa(byID)}}
	if _, err := s.get(ctx, selling+"/order", query, &out); err != nil {
		return page, err
	}
	return page, s.convertAll(out.Orders, &page)
}

// PullOrder gives one order.
func (s *session) PullOrder(ctx context.Context, externalID string) (connector.Order, error) {
	o, err := s.readOrder(ctx, externalID)
	if err != nil {
		return connector.Order{}, err
	}
	return o.convert(s.market.id)
}

// Detail reads the parcels of an order of which something was shipped.
func (s *session) Detail(ctx context.Context, o *connector.Order) (err error) {
	if strings.HasSuffix(o.Theirs, " fulfilled") || strings.HasSuffix(o.Theirs, " in_progress") {
		o.Parcels, err = s.parcels(ctx, o.ExternalID)
	}
	return err
}

// fulfillment is a parcel that eBay knows.
type fulfillment struct {
	FulfillmentID, ShipmentTrackingNumber, TrackingNumber, ShippingCarrierCode string
	ShippedDate                                                                time.Time
	LineItems                                                                  []struct {
		LineItemID string
		Quantity   int64
	}
}

func (s *session) parcels(ctx context.Context, id string) ([]connector.Parcel, error) {
	var out struct{ Fulfillments []fulfillment }
	if _, err := s.get(ctx, selling+"/order/"+url.PathEscape(id)+"/shipping_fulfillment", nil, &out); err != nil {
		return nil, err
	}
	var list []connector.Parcel
	for _, f := range out.Fulfillments {
		parcel := connector.Parcel{Key: f.FulfillmentID, Carrier: f.ShippingCarrierCode, ShippedAt: f.ShippedDate,
			Number: cmp.Or(f.ShipmentTrackingNumber, f.TrackingNumber)}
		for _, l := range f.LineItems {
			parcel.Lines = append(parcel.Lines, connector.ParcelLine{ExternalLine: l.LineItemID, Quantity: l.Quantity})
		}
		list = append(list, parcel)
	}
	return list, nil
}

// readOrder reads an order as eBay has it.
func (s *session) readOrder(ctx context.Context, id string) (o order, err error) {
	_, err = s.get(ctx, selling+"/order/"+url.PathEscape(id), nil, &o)
	return o, err
}
