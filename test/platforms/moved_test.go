package platforms

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"entrepot/internal/connector/woocommerce/fakeshop"
)

// A channel that is pointed at another shop writes nothing by the ids of the first one, which are those of other products there: products
// are found by their SKUs, and webhooks are registered.
func TestAChannelIsPointedAtAnotherShop(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		first, second := newWooShop(t, fakeshop.Habits{}), newWooShop(t, fakeshop.Habits{})
		for i := range 40 {
			second.AddProduct(fmt.Sprint("OTHER-", i), "Something else", "5", 5)
		}
		second.AddProduct("MUG", "Their mug", "3", 1)
		channel := s.connect(first, nil)
		s.call("POST", "/api/v1/products", map[string]any{"sku": "MUG", "name": "Mug", "price": 7.9, "stock": map[string]any{"quantity": 7}}, 201)
		s.call("POST", "/api/v1/channels/"+channel+"/publications", map[string]any{"skus": []any{"MUG"}}, 200)
		shows := func(shop *wooShop, quantity int64) {
			t.Helper()
			s.await("the mug", func() string {
				items, _ := shop.Items()
				mug := items["MUG"]
				return unless(mug.Quantity == quantity && mug.Regular == "7.90" && mug.Name == "Mug", mug, s.jobs(channel))
			})
		}
		shows(first, 7)
		s.call("PATCH", "/api/v1/channels/"+channel, map[string]any{"credentials": map[string]any{"url": second.url,
			"consumerSecret": "cs_test"}}, 200)
		s.call("PATCH", "/api/v1/sdk/inventory/bulk-update", map[string]any{"updates": []any{map[string]any{"sku": "MUG", "quantity": 3}}}, 200)
		shows(second, 3)
		s.await("webhooks", func() string { return unless(len(second.Hooks()) == 5, second.Hooks(), s.jobs(channel)) })
		items, doubled := second.Items()
		for i := range 40 {
			if other := items[fmt.Sprint("OTHER-", i)]; other.Quantity != 5 || other.Regular != "5" || other.Name != "Something else" {
				t.Errorf("another product of the shop: %+v", other)
			}
		}
		if len(items) != 41 || len(doubled) != 0 {
			t.Errorf("%d products, %v twice", len(items), doubled)
		}
	})
}

// A new secret for notifications reaches the shop at once: with the old one, all of them would be refused until the daily check.
func TestANewSecretOfNotificationsReachesTheShop(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		shop := newWooShop(t, fakeshop.Habits{})
		channel := s.connect(shop, map[string]any{"pullEvery": 3600})
		s.newSecret(channel, "another0secret0of0the0notifications")
		s.secretReaches(shop, channel, "another0secret0of0the0notifications") // a save and a job that runs beside it may both bring it
		s.orderNotified(shop, channel)
	})
}

// orderNotified places an order and waits for it, on a channel that pulls but every hour.
func (s *service) orderNotified(shop *wooShop, channel string) {
	s.Helper()
	shop.AddProduct("MUG", "Mug", "5", 9)
	order := shop.Place(fakeshop.Wish{SKUs: map[string]int64{"MUG": 1}})
	s.await("the order of a notification", func() string { return unless(s.here(channel)[order] != nil, s.jobs(channel)) })
}

// A secret that is replaced while webhooks are set up with the one before reaches the shop, too, whether a test or a job does that.
func TestASecretReplacedWhileWebhooksAreSetUp(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		shop := newWooShop(t, fakeshop.Habits{})
		var hold atomic.Bool
		held, goOn := make(chan struct{}), make(chan struct{})
		front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/webhooks") && hold.CompareAndSwap(true, false) {
				held <- struct{}{}
				<-goOn
			}
			shop.ServeHTTP(w, r)
		}))
		t.Cleanup(front.Close)
		made := s.call("POST", "/api/v1/channels", map[string]any{"name": "Woo", "platform": "WOOCOMMERCE",
			"settings":    map[string]any{"pullEvery": 3600},
			"credentials": map[string]any{"url": front.URL, "consumerKey": "ck_test", "consumerSecret": "cs_test"}}, 201)
		channel := made.Text("data", "channel", "id")
		replaced := func(secret string) {
			t.Helper()
			<-held
			s.newSecret(channel, secret)
			goOn <- struct{}{}
			s.secretReaches(shop, channel, secret)
		}
		hold.Store(true)
		tested := make(chan struct{})
		go func() { defer close(tested); s.try("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}) }()
		replaced("while0a0test0runs")
		<-tested
		hold.Store(true)
		s.newSecret(channel, "which0a0job0sets0up")
		replaced("while0a0job0runs")
		s.orderNotified(shop, channel)
	})
}

// secretReaches waits until all webhooks of a shop have a secret.
func (s *service) secretReaches(shop *wooShop, channel, secret string) {
	s.Helper()
	s.await(secret, func() string {
		hooks := shop.Hooks()
		other := func(h fakeshop.Hook) bool { return h.Secret != secret }
		return unless(len(hooks) == 5 && !slices.ContainsFunc(hooks, other), hooks, s.jobs(channel))
	})
}

func (s *service) newSecret(channel, secret string) {
	s.call("PATCH", "/api/v1/channels/"+channel, map[string]any{"credentials": map[string]any{"webhookSecret": secret}}, 200)
}
