package woocommerce_test

import (
	"net/http"
	"testing"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/connector/connectortest"
	"entrepot/internal/connector/woocommerce"
	"entrepot/internal/connector/woocommerce/fakeshop"
)

// shop is a fake shop that answers, and the service that calls it.
type shop struct {
	*fakeshop.Shop
	*connectortest.Host
	session connector.Session
}

func newShop(t *testing.T) *shop {
	t.Helper()
	return newShopAt(t, "", nil)
}

// newShopAt is newShop at an address below its host's, with something before the shop if before is not nil.
func newShopAt(t *testing.T, path string, before func(shop http.Handler) http.Handler) *shop {
	t.Helper()
	s := &shop{Shop: fakeshop.New("ck_test", "cs_test")}
	handler := http.Handler(s.Shop)
	if before != nil {
		handler = before(s.Shop)
	}
	s.Host = connectortest.NewHost(nil, connector.Credentials{"url": connectortest.Serve(t, handler) + path, "consumerKey": "ck_test",
		"consumerSecret": "cs_test"})
	s.Now = s.Clock
	s.session = s.Open(woocommerce.New())
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
				s.Pass(step)
			}
			s.Break(ids[7])
			s.Break(ids[150])
			if found := s.pull(t); len(found) != 228 {
				t.Errorf("%d orders, not 228", len(found))
			}
		})
	}
}
