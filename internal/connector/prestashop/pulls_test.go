package prestashop_test

import (
	"fmt"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/prestashop/fakeshop"
)

// An order that changes while pages are read moves those behind it up, and none of them is left out.
func TestOrdersThatChangeBetweenPages(t *testing.T) {
	s := newShop(t)
	connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug()}))(t)
	var ids []string
	for i := range 120 {
		ids = append(ids, s.Buy(fmt.Sprintf("ada%d@example.com", i), true, fakeshop.Bought{SKU: "MUG", Quantity: 1}))
		s.Pass(time.Second)
	}
	s.Pass(time.Minute)
	seen := map[string]bool{}
	cursor := connector.Cursor{}
	for i := 0; ; i++ {
		page := connectortest.Must(s.session.PullOrders(t.Context(), cursor))(t)
		for _, o := range page.Orders {
			seen[o.ExternalID] = true
		}
		if cursor.Page = page.Next; cursor.Page == "" || i > 9 {
			break
		}
		for _, id := range ids[i*3 : i*3+3] {
			s.Pass(time.Second)
			s.Move(id, "4")
		}
	}
	for i, id := range ids {
		if !seen[id] {
			t.Errorf("order %d was left out", i)
		}
	}
}

// An order that is refunded when it is seen says when it was shipped, if it was: the history of its states knows that.
func TestOrdersThatWereRefundedAfterTheyWereShipped(t *testing.T) {
	for name, states := range map[string][]string{"shipped": {"4", "7"}, "delivered": {"5", "7"}, "not shipped": {"3", "7"}} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug()}))(t)
			id := s.Buy("ada@example.com", true, fakeshop.Bought{SKU: "MUG", Quantity: 1})
			var sent time.Time
			for i, state := range states {
				s.Pass(time.Minute)
				s.Move(id, state)
				if i == 0 && state != "3" {
					sent = s.Clock().Truncate(time.Second)
				}
			}
			o := connectortest.Must(s.session.PullOrder(t.Context(), id))(t)
			if !o.Refunded || !o.ShippedAt.Equal(sent) {
				t.Errorf("shipped at %s, not %s: %+v", o.ShippedAt, sent, o)
			}
		})
	}
}

// Many orders of one second are on pages of their own, and a position of an older version begins anew.
func TestOrdersOfOneSecond(t *testing.T) {
	s := newShop(t)
	connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug()}))(t)
	for i := range 130 {
		s.Buy(fmt.Sprintf("ada%d@example.com", i), true, fakeshop.Bought{SKU: "MUG", Quantity: 1})
	}
	s.Pass(time.Minute)
	seen := map[string]bool{}
	for _, start := range []string{"", "50|2026-11-22T10:00:50Z"} {
		clear(seen)
		list, _ := s.pullFrom(t, connector.Cursor{Page: start})
		for _, o := range list {
			seen[o.ExternalID] = true
		}
		if len(seen) != 130 {
			t.Errorf("from %q: %d orders", start, len(seen))
		}
	}
}

// An order from just before the clocks are set back is pulled just after it, not an hour later.
func TestOrderBeforeTheClocksAreSetBack(t *testing.T) {
	s := newShop(t)
	connectortest.Must(s.session.Upsert(t.Context(), []connector.Product{mug()}))(t)
	s.SetClock(time.Date(2026, 10, 25, 0, 57, 0, 0, time.UTC)) // 02:57 in Paris
	_, until := s.pull(t, s.Clock().Add(-time.Hour))
	s.Pass(time.Minute)
	id := s.Buy("a@example.com", true, fakeshop.Bought{SKU: "MUG", Quantity: 1})
	s.Pass(4 * time.Minute) // 02:02 again
	list, _ := s.pull(t, until.Add(-time.Minute))
	if len(list) != 1 || list[0].ExternalID != id || !list[0].CreatedAt.Equal(time.Date(2026, 10, 25, 0, 58, 0, 0, time.UTC)) {
		t.Errorf("%+v", list)
	}
}
