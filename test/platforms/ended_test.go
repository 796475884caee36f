package platforms

import (
	"strings"
	"testing"
	"time"

	ebayshop "entrepot/internal/connector/ebay/fakeshop"
)

// A listing that its seller or eBay ended is noticed within a day, although nothing of the product changes here and eBay notifies of
// nothing. The next publication has it on sale again.
func TestListingsThatEndOnEBay(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		t.Run("a day", func(t *testing.T) { listingsThatEnd(t, s) })
	}, timed)
}

func listingsThatEnd(t *testing.T, s *service) {
	account := ebayshop.New()
	shop := ebayStory(account)
	shop.Faults = nil
	c := s.connectShop(t, shop, map[string]any{"pullEvery": 3600})
	for _, sku := range []string{"MUG-000", "MUG-001"} {
		s.call("POST", "/api/v1/products", map[string]any{"sku": sku, "name": sku, "price": 7.9, "stock": map[string]any{"quantity": 9},
			"images": []any{map[string]any{"url": "https://pictures.example/" + sku + ".png"}}}, 201)
	}
	s.call("POST", "/api/v1/channels/"+c.id+"/publications", map[string]any{"skus": []any{"MUG-000", "MUG-001"}}, 200)
	state := func(published, failed int, reason string) func() string {
		return func() string {
			counts, first := s.states(c.id)
			return unless(counts["published"] == published && counts["failed"] == failed && strings.Contains(first, reason), counts, first,
				s.jobs(c.id))
		}
	}
	c.passUntil(t, "products", state(2, 0, ""))
	pass := func(d, step time.Duration) {
		for end := s.Now().Add(d); s.Now().Before(end); {
			s.Pass(step)
		}
	}
	pass(time.Minute, 2*time.Second) // what eBay shows is compared
	account.End("MUG-000", "")
	pass(26*time.Hour, time.Hour)
	c.passUntil(t, "it has ended", state(1, 1, "MUG-000: the platform took it off sale: its listing has ended on eBay"))
	s.call("POST", "/api/v1/channels/"+c.id+"/publications", map[string]any{"skus": []any{"MUG-000"}}, 200)
	c.passUntil(t, "it is on sale again", state(2, 0, ""))
	if _, _, listing := account.Offer("MUG-000"); listing == "" {
		t.Error("it is not")
	}
}
