package woocommerce_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/woocommerce"
	"entrepot/internal/connector/woocommerce/fakeshop"
	"entrepot/internal/netguard"
)

// shop is a fake shop that answers, and the clock that both sides go by.
type shop struct {
	*fakeshop.Shop
	session connector.Session
	facts   map[string]string
	now     time.Time
}

func (s *shop) Fact(name string) string { return s.facts[name] }
func (s *shop) Keep(name, value string) { s.facts[name] = value }

func newShop(t *testing.T) *shop {
	t.Helper()
	return newShopAt(t, "", nil)
}

// newShopAt is newShop at an address below its host's, with something before the shop if before is not nil.
func newShopAt(t *testing.T, path string, before func(shop http.Handler) http.Handler) *shop {
	t.Helper()
	s := &shop{Shop: fakeshop.New("ck_test", "cs_test"), now: time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC), facts: map[string]string{}}
	s.Now = func() time.Time { return s.now }
	handler := http.Handler(s.Shop)
	if before != nil {
		handler = before(s.Shop)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client := connector.NewClients(&netguard.Guard{Dev: true}, "entrepot/test").Timed(s.Now, func(_ context.Context, d time.Duration) error {
		s.now = s.now.Add(d)
		return nil
	}).Client("channel", nil)
	s.session = woocommerce.New().Open(connector.Link{Client: client, Facts: s, Now: s.Now, Channel: connector.Channel{ID: "channel",
		Platform:    "WOOCOMMERCE",
		Credentials: connector.Credentials{"url": server.URL + path, "consumerKey": "ck_test", "consumerSecret": "cs_test"}}})
	return s
}

// pull reads all orders that changed, by their external ids, and how often each came.
func (s *shop) pull(t *testing.T) map[string]int {
	t.Helper()
	found := map[string]int{}
	for cursor := (connector.Cursor{}); ; {
		page := connectortest.Must(s.session.PullOrders(t.Context(), cursor))(t)
		for _, o := range page.Orders {
			found[o.ExternalID]++
		}
		if cursor.Page = page.Next; page.Next == "" {
			return found
		}
	}
}

// A page that is not full because the shop cannot load one of its orders does not keep out those behind it, of whatever second.
func TestOrdersBehindOneThatTheShopCannotLoad(t *testing.T) {
	for name, step := range map[string]time.Duration{"second by second": time.Second, "all in one second": 0} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			var ids []int64
			for range 230 {
				ids = append(ids, s.Place(fakeshop.Wish{Unknown: 1}))
				s.now = s.now.Add(step)
			}
			s.Break(ids[7])
			s.Break(ids[150])
			if found := s.pull(t); len(found) != 228 {
				t.Errorf("%d orders, not 228", len(found))
			}
		})
	}
}
