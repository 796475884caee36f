package amazon

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"entrepot/internal/connector"
)

// Bounds of a search for orders: Amazon has the last two years, and is two minutes behind.
const (
	pageOrders = "100"
	longest    = 2*365*24*time.Hour - 24*time.Hour
	tail       = 3 * time.Minute
	apart      = 10 * time.Minute // how far our clock may be ahead of Amazon's, until an answer has shown its time
)

// Parts of an order to request. Apps need a role to get the buyer and the address.
const (
	orderData  = "PROCEEDS,FULFILLMENT,PACKAGES,CANCELLATION"
	personData = "BUYER,RECIPIENT"
)

// personFact is the fact that says whether the app gets names and addresses: "no" if not.
const personFact = "personalData"

// withPersons requests orders with names and addresses, and again without them if the app may not have them.
func (s *session) withPersons(request func(includedData string) error) error {
	if s.link.Facts.Fact(personFact) == "no" {
		return request(orderData)
	}
	err := request(orderData + "," + personData)
	if connector.Is(err, connector.Forbidden) {
		if err = request(orderData); err == nil {
			s.link.Facts.Keep(personFact, "no")
		}
	}
	return err
}

// orderList is a page of a search.
type orderList struct {
	Orders            []order
	Pagination        struct{ NextToken string }
	LastUpdatedBefore time.Time
}

// said reports whether this is an answer of Amazon at all: another one would look like a page without orders.
func (l orderList) said() bool { return l.Orders != nil || !l.LastUpdatedBefore.IsZero() }

// searchOrders makes one search; query says since when.
func (s *session) searchOrders(ctx context.Context, query url.Values) (page orderList, err error) {
	query.Set("marketplaceIds", s.market.id)
	if !s.takesFBA() {
		query.Set("fulfilledBy", merchant)
	}
	err = s.withPersons(func(includedData string) error {
		query.Set("includedData", includedData)
		page = orderList{}
		return s.call(ctx, request{searchOrders, http.MethodGet, "/orders/2026-01-01/orders", query, nil}, &page)
	})
	if err == nil && !page.said() {
		err = connector.Failf(connector.Temporary, "the answer to a search for orders is not Amazon's")
	}
	return page, err
}

// takesFBA reports whether the channel also pulls orders that Amazon ships from its own warehouses.
func (s *session) takesFBA() bool { return takesFBA(s.link.Channel) }

func takesFBA(ch connector.Channel) bool { return ch.Settings["fba"] == "take" }

// pageToken is the position of a pull. Amazon's token is valid only for the same search, and the pull ends at the
// time of its first page. A span with more pages than can be read before the token expires is read in pieces of a
// length.
type pageToken struct {
	Since, Until time.Time
	Token        string
	Piece        time.Duration
	End          time.Time // of the piece; the zero time if nothing follows it
}

// shortest is the shortest piece of a span.
const shortest = time.Minute

func (p pageToken) String() string {
	text, err := json.Marshal(p)
	if err != nil {
		return ""
	}
	return string(text)
}

// newest is the end of the newest span that Amazon searches.
func (s *session) newest() time.Time {
	ahead, known := s.link.Client.Ahead()
	if !known {
		ahead = -apart
	}
	return s.link.Now().Add(ahead - tail)
}

// begin is the beginning of a pull, or of a piece of it. Amazon refuses a span that begins after its end.
func (s *session) begin(since time.Time, piece time.Duration) pageToken {
	newest := s.newest()
	if oldest := newest.Add(tail - longest); since.Before(oldest) {
		since = oldest
	}
	if since.After(newest) {
		since = newest
	}
	at := pageToken{Since: since, Piece: piece}
	if end := since.Add(piece).Truncate(time.Second); piece > 0 && end.Before(newest) {
		at.End = end
	}
	return at
}

// PullOrders gives a page of the orders that changed.
func (s *session) PullOrders(ctx context.Context, cursor connector.Cursor) (connector.OrderPage, error) {
	at := s.begin(cursor.Since, 0)
	if cursor.Page != "" {
		_ = json.Unmarshal([]byte(cursor.Page), &at)
	}
	query := url.Values{"maxResultsPerPage": {pageOrders}, "lastUpdatedAfter": {at.Since.UTC().Format(time.RFC3339)}}
	if !at.End.IsZero() {
		query.Set("lastUpdatedBefore", at.End.UTC().Format(time.RFC3339))
	}
	if at.Token != "" {
		query.Set("paginationToken", at.Token)
	}
	found, err := s.searchOrders(ctx, query)
	// a token ends after a day: what had more pages has too many for one search
	if at.Token != "" && connector.Is(err, connector.Rejected) {
		end := at.End
		if end.IsZero() {
			end = s.newest()
		}
		at = s.begin(at.Since, max(end.Sub(at.Since)/2, shortest))
		return s.PullOrders(ctx, connector.Cursor{Since: cursor.Since, Page: at.String()})
	}
	if err != nil {
		return connector.OrderPage{}, err
	}
	if at.Until.IsZero() {
		at.Until = found.LastUpdatedBefore
	}
	page := connector.OrderPage{Until: at.Until}
	for i := range found.Orders {
		o := &found.Orders[i]
		if o.byAmazon() && !s.takesFBA() {
			continue
		}
		converted, err := s.convert(o)
		if err := page.Take(o.OrderID, converted, err); err != nil {
			return connector.OrderPage{}, err
		}
	}
	switch at.Token = found.Pagination.NextToken; {
	case at.Token != "":
		page.Next = at.String()
	case !at.End.IsZero():
		page.Next = s.begin(at.End, at.Piece).String()
	}
	return page, nil
}

// PullOrder gives one order.
func (s *session) PullOrder(ctx context.Context, externalID string) (connector.Order, error) {
	o, err := s.readOrder(ctx, externalID)
	if err != nil {
		return connector.Order{}, err
	}
	if o.byAmazon() && !s.takesFBA() {
		return connector.Order{}, connector.Failf(connector.Rejected,
			"Amazon ships the order %s itself: the channel's setting fba can be \"take\"", externalID)
	}
	return s.convert(o)
}

// readOrder reads one order as Amazon has it.
func (s *session) readOrder(ctx context.Context, id string) (*order, error) {
	var out oneOrder
	err := s.withPersons(func(includedData string) error {
		return s.call(ctx, request{getOrder, http.MethodGet, "/orders/2026-01-01/orders/" + url.PathEscape(id),
			url.Values{"includedData": {includedData}}, nil}, &out)
	})
	if err == nil && out.OrderID == "" {
		err = connector.Failf(connector.Missing, "Amazon has no order %s", id)
	}
	return &out.order, err
}

// oneOrder is the answer about one order: the order in a member of its own or, in other versions of the API, the
// order itself.
type oneOrder struct{ order }

func (o *oneOrder) UnmarshalJSON(raw []byte) error {
	var in struct{ Order json.RawMessage }
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	if len(in.Order) > 0 {
		raw = in.Order
	}
	return json.Unmarshal(raw, &o.order)
}
