package tiktokshop_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/tiktokshop/fakeshop"
	"entrepot/internal/orders"
)

// pull gives all orders that changed since a cursor, and the next cursor.
func (s *shop) pull(t *testing.T, since time.Time) (map[string]connector.Order, time.Time) {
	t.Helper()
	found, cursor := map[string]connector.Order{}, connector.Cursor{Since: since}
	for {
		page, err := s.session.PullOrders(t.Context(), cursor)
		for try := 0; connector.Is(err, connector.Temporary) && try < 5; try++ { // as the frame does
			page, err = s.session.PullOrders(t.Context(), cursor)
		}
		connectortest.Must(page, err)(t)
		if len(page.Unreadable) > 0 {
			t.Errorf("unreadable: %v", page.Unreadable)
		}
		for _, o := range page.Orders {
			found[o.ExternalID] = o
		}
		if cursor.Page = page.Next; page.Next == "" {
			return found, page.Until
		}
	}
}

// All orders come, also when answers are lost and the clock is wrong; a piece is a line no more, and the amounts are TikTok's.
func TestOrdersArePulled(t *testing.T) {
	for name, faults := range map[string]fakeshop.Faults{"a good day": {}, "a bad one": {LoseAnswer: 5, Throttle: 7, HTML: 11}} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t, nil)
			s.Ahead = 45 * time.Second
			s.Faults = faults
			var ids []string
			for range 250 {
				ids = append(ids, s.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 3, "POT": 1}, Cents: 790, Shipping: 490, Discount: 100}))
				s.Pass(time.Second)
			}
			unpaid := s.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 1}, Cents: 790, Unpaid: true})
			s.Pass(2 * time.Minute)
			found, until := s.pull(t, time.Time{})
			if len(found) != 251 || until.After(s.Clock().Add(-time.Minute)) {
				t.Fatalf("%d orders until %s, it is %s", len(found), until, s.Clock())
			}
			o := found[ids[0]]
			if len(o.Lines) != 2 || o.Lines[0].Quantity != 3 || o.Lines[0].Amount != 237000 || o.Lines[0].SKU != "MUG" || o.Total != 355000 ||
				o.Shipping != 49000 || o.Discount != 10000 || o.Status != orders.Processing || o.ShipTo == nil || o.ShipTo.City != "Berlin" ||
				o.ShipTo.Country != "DE" || o.Name != "Ada Lovelace" || o.Phone != "" {
				t.Errorf("%+v %+v", o, o.ShipTo)
			}
			if o := found[unpaid]; o.Status != orders.Pending || o.ShipTo != nil || o.Name != "" || o.Email != "" {
				t.Errorf("%+v", o)
			}
			s.Faults = fakeshop.Faults{}
			if _, err := s.session.PullOrder(t.Context(), "1"); !connector.Is(err, connector.Missing) {
				t.Errorf("%v", err)
			}
		})
	}
}

// What is new in the shop comes by the shop's clock, also if the service's is minutes behind or ahead.
func TestOrdersByTheShopsClock(t *testing.T) {
	for _, skew := range []time.Duration{-10 * time.Minute, -4 * time.Minute, 10 * time.Minute} {
		s := newShop(t, nil)
		s.Ahead = skew
		since := s.Clock()
		s.Pass(time.Minute)
		id := s.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 1}, Cents: 790})
		s.Pass(time.Second)
		found, until := s.pull(t, since)
		if _, came := found[id]; !came || len(found) != 1 || until.After(s.Clock().Add(-time.Minute)) || until.Before(since.Add(-time.Minute)) {
			t.Errorf("with %s: %d orders until %s, it is %s", skew, len(found), until, s.Clock())
		}
	}
}

// Prices that include tax are stored without it, to the cent; prices without tax stay as they are.
func TestTaxes(t *testing.T) {
	const cent = 100
	for _, c := range []struct {
		name            string
		wish            fakeshop.Wish
		lines, shipping money.Amount
	}{
		{"added", fakeshop.Wish{SKUs: map[string]int64{"A": 2, "B": 1}, Cents: 1000, Shipping: 500, Tax: 287}, 3000 * cent, 500 * cent},
		{"none", fakeshop.Wish{SKUs: map[string]int64{"A": 2, "B": 1}, Cents: 1000, Shipping: 500}, 3000 * cent, 500 * cent},
		{"within", fakeshop.Wish{SKUs: map[string]int64{"A": 2, "B": 1}, Cents: 1000, Shipping: 500, Tax: 559, Gross: true}, 2521 * cent,
			420 * cent},
		{"within, of each piece", fakeshop.Wish{SKUs: map[string]int64{"A": 2, "B": 1}, Cents: 1000, Shipping: 500, Tax: 559, PieceTax: 160,
			Gross: true}, 2441 * cent, 500 * cent},
		{"a gift", fakeshop.Wish{SKUs: map[string]int64{"A": 3}, Shipping: 500, Tax: 80, Gross: true}, 0, 420 * cent},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShop(t, nil)
			o := connectortest.Must(s.session.PullOrder(t.Context(), s.Buy(c.wish)))(t)
			var goods money.Amount
			for _, l := range o.Lines {
				goods += l.Amount
			}
			if goods != c.lines || o.Shipping != c.shipping || o.Tax != money.Amount(c.wish.Tax)*cent || o.Discount != 0 ||
				goods+o.Shipping+o.Tax != o.Total {
				t.Errorf("lines %s, shipping %s, tax %s, discount %s, total %s", goods, o.Shipping, o.Tax, o.Discount, o.Total)
			}
		})
	}
}

// What is cancelled in part or comes back is found by itself, though the order does not change by a return; a cancelled order is cancelled.
func TestReversals(t *testing.T) {
	s := newShop(t, nil)
	returned := s.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 3, "POT": 1}, Cents: 790})
	part := s.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 2}, Cents: 790})
	s.Pass(time.Hour)
	_, until := s.pull(t, time.Time{})
	s.Pass(time.Hour)
	at := s.Clock()
	s.Return(returned, 2, 1580)
	s.CancelPart(part, 790)
	s.Pass(time.Hour)
	found, _ := s.pull(t, until)
	o := found[returned]
	if len(o.Refunds) != 1 || o.Refunds[0].Amount != 158000 || len(o.Refunds[0].Lines) != 1 || o.Refunds[0].Lines[0].Quantity != 2 ||
		o.Refunds[0].Lines[0].ExternalLine != o.Lines[0].ExternalID || !o.UpdatedAt.Equal(at) {
		t.Errorf("returned: %+v", o)
	}
	if o := found[part]; len(o.Refunds) != 1 || o.Refunds[0].Lines[0].Quantity != 1 || o.Status != orders.Processing {
		t.Errorf("cancelled in part: %+v", o)
	}
	for range 2 {
		if err := s.session.PushCancel(t.Context(), connector.OrderRef{ExternalID: part}, ""); err != nil {
			t.Fatal(err)
		}
	}
	if o := connectortest.Must(s.session.PullOrder(t.Context(), part))(t); o.Status != orders.Cancelled {
		t.Errorf("cancelled: %+v", o)
	}
}

// A replacement pays nothing back, unless it ended as a refund; a part of the price comes back while the buyer keeps everything.
func TestComplaintsThatAreNoReturns(t *testing.T) {
	for name, c := range map[string]struct {
		status  string
		cents   int64
		partial bool
		refund  money.Amount // 0: none
		lines   int
	}{
		"replaced":              {"REPLACEMENT_REQUEST_COMPLETE", 0, false, 0, 0},
		"refunded instead":      {"REPLACEMENT_REQUEST_REFUND_SUCCESS", 1580, false, 158000, 1},
		"refused":               {"REFUND_OR_RETURN_REQUEST_REJECT", 0, false, 0, 0},
		"a part of the price":   {"RETURN_OR_REFUND_REQUEST_COMPLETE", 300, true, 30000, 0},
		"a replacement waits":   {"REPLACEMENT_REQUEST_PENDING", 0, false, 0, 0},
		"an offer is not taken": {"AWAITING_BUYER_RESPONSE", 300, true, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t, nil)
			id := s.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 2}, Cents: 790})
			s.Move(id, "DELIVERED")
			s.Settle(id, c.status, c.cents, c.partial)
			o := connectortest.Must(s.session.PullOrder(t.Context(), id))(t)
			if c.refund == 0 && len(o.Refunds) > 0 ||
				c.refund != 0 && (len(o.Refunds) != 1 || o.Refunds[0].Amount != c.refund || len(o.Refunds[0].Lines) != c.lines) {
				t.Errorf("%+v", o.Refunds)
			}
		})
	}
}

// An app without the scope of returns gets the orders.
func TestOrdersWithoutTheScopeOfReturns(t *testing.T) {
	s := newShop(t, nil)
	s.NoScope = "/return_refund/"
	id := s.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 1}, Cents: 790})
	if got := connectortest.Must(s.session.PullOrder(t.Context(), id))(t); got.ExternalID != id {
		t.Errorf("%+v", got)
	}
	var pulled []string
	for cursor := (connector.Cursor{}); ; {
		page := connectortest.Must(s.session.PullOrders(t.Context(), cursor))(t)
		for _, o := range page.Orders {
			pulled = append(pulled, o.ExternalID)
		}
		if cursor.Page = page.Next; cursor.Page == "" {
			break
		}
	}
	if len(pulled) != 1 || pulled[0] != id {
		t.Errorf("%q", pulled)
	}
}

// A page without orders does not keep out those behind it, and one that leads to itself ends the list.
func TestPagesWithoutOrders(t *testing.T) {
	s := newShop(t, nil)
	var asked []string
	s.Kept["baseUrl"] = connectortest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := r.URL.Query().Get("page_token")
		if !strings.HasSuffix(r.URL.Path, "/orders/search") {
			s.ServeHTTP(w, r)
			return
		}
		asked = append(asked, page)
		next := map[string]string{"": "one", "one": "two", "two": "two"}[page]
		list := ""
		if page == "one" {
			list = `{"id":"576","status":"UNPAID","update_time":1,"payment":{"currency":"EUR"}}`
		}
		w.Header().Set("Date", s.Clock().UTC().Format(http.TimeFormat))
		_, _ = fmt.Fprintf(w, `{"code":0,"data":{"next_page_token":%q,"orders":[%s]}}`, next, list)
	}))
	s.reopen()
	found := map[string]bool{}
	for cursor := (connector.Cursor{}); ; {
		page := connectortest.Must(s.session.PullOrders(t.Context(), cursor))(t)
		for _, o := range page.Orders {
			found[o.ExternalID] = true
		}
		if cursor.Page = page.Next; page.Next == "" {
			break
		}
	}
	if !found["576"] || !slices.Equal(asked, []string{"", "one", "two"}) {
		t.Errorf("%v, asked for %q", found, asked)
	}
}

// Pages of orders that are too large, or for which something before TikTok Shop waits too long, are asked for in smaller ones, and a pull
// that was on its way begins anew with these.
func TestSmallerPagesOfOrders(t *testing.T) {
	for _, whole := range []bool{false, true} {
		s := newShop(t, nil)
		for range 130 {
			s.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 1}, Cents: 790})
		}
		s.Pass(2 * time.Minute)
		first := connectortest.Must(s.session.PullOrders(t.Context(), connector.Cursor{}))(t)
		s.Kept["baseUrl"] = connectortest.Serve(t, connectortest.SmallPages(s.Shop, "/orders/search", "page_size", 25, whole))
		s.reopen()
		if found := connectortest.PullRest(t, s.session, first); len(found) != 130 {
			t.Errorf("%d orders", len(found))
		}
	}
}
