package platforms

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/connector/connectortest/story"

	ebayshop "entrepot/internal/connector/ebay/fakeshop"
	shopifyshop "entrepot/internal/connector/shopify/fakeshop"
	tiktokshop "entrepot/internal/connector/tiktokshop/fakeshop"
	wooshop "entrepot/internal/connector/woocommerce/fakeshop"
)

// hooked is a shop whose webhooks are looked at and switched off.
type hooked struct {
	story.Shop
	on  func() []string // those that work, each a topic and an address
	off func()          // switches one off, or all where that is how the platform does it

	mu    sync.Mutex
	asked int  // requests about webhooks
	down  bool // these are answered with 502
}

func hookedShops() []*hooked {
	woo, hosted, auctions, videos := wooCommerce(), shopify(), ebay(), tikTok()
	wooInner, hostedInner := woo.Handler.(*wooshop.Shop), hosted.Handler.(*shopifyshop.Shop)
	auctionsInner, videosInner := auctions.Handler.(*ebayshop.Account), videos.Handler.(*tiktokshop.Shop)
	return []*hooked{
		{Shop: woo, on: func() (list []string) {
			for _, h := range wooInner.Hooks() {
				if h.Status == "active" {
					list = append(list, h.Topic+" "+h.Address)
				}
			}
			return list
		}, off: func() { wooInner.Disable("order.updated") }},
		{Shop: hosted, on: hostedInner.Webhooks, off: func() { hostedInner.DropWebhook("ORDERS_UPDATED") }},
		{Shop: auctions, on: auctionsInner.Notified, off: auctionsInner.MarkDown},
		{Shop: videos, on: func() (list []string) {
			for topic, address := range videosInner.Hooks() {
				list = append(list, topic+" "+address)
			}
			return list
		}, off: func() { videosInner.DropHook("ORDER_STATUS_CHANGE") }},
	}
}

var aboutWebhooks = regexp.MustCompile(`(?i)/webhooks|/commerce/notification/|webhookSubscription`)

func (h *hooked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	h.mu.Lock()
	about := aboutWebhooks.MatchString(r.URL.Path + string(body))
	if about {
		h.asked++
	}
	down := about && h.down
	h.mu.Unlock()
	if down {
		http.Error(w, "broken", http.StatusBadGateway)
		return
	}
	h.Handler.ServeHTTP(w, r)
}

// requests is how many requests there were about webhooks; from now on they are answered or not.
func (h *hooked) requests(down bool) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.down = down
	return h.asked
}

// doubled is a webhook that is there twice, or not for the channel's address.
func (h *hooked) doubled(channel string) string {
	seen := map[string]bool{}
	for _, one := range h.on() {
		if seen[one] || !strings.Contains(one, "/api/v1/webhooks/platform/"+channel+"/") {
			return one
		}
		seen[one] = true
	}
	return ""
}

// Shops switch webhooks off and tell nobody. A service that runs looks at them once a day: each is on again, none is there twice. Where
// they cannot be looked at then, orders are pulled all the same, and an hour later it tries again.
func TestWebhooksAreCheckedDaily(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		for _, shop := range hookedShops() {
			t.Run(shop.Platform, func(t *testing.T) { s.checksDaily(t, shop) })
		}
	}, timed)
}

func (s *service) checksDaily(t *testing.T, shop *hooked) {
	shop.Clock(s.clock.now)
	server := httptest.NewServer(shop)
	t.Cleanup(server.Close)
	credentials := map[string]any{"url": server.URL, "baseUrl": server.URL}
	for name, value := range shop.Credentials {
		credentials[name] = value
	}
	made := s.call("POST", "/api/v1/channels", map[string]any{"name": shop.Platform, "platform": shop.Platform, "credentials": credentials,
		"settings": map[string]any{"pullEvery": 600}}, 201)
	channel := made.Text("data", "channel", "id")
	if got := s.call("POST", "/api/v1/channels/"+channel+"/sync/test", map[string]any{}, 200); got.At("data", "success") != true {
		t.Fatal(got)
	}
	pulled := func() string { return s.call("GET", "/api/v1/channels/"+channel, nil, 200).Text("data", "lastSyncAt") }
	all := len(shop.on())
	after := func(d time.Duration, what string, holds func() bool) {
		t.Helper()
		for until := s.Now().Add(d); s.Now().Before(until); {
			s.Pass(until.Sub(s.Now()))
		}
		s.await(what, func() string { return unless(holds(), shop.on(), s.jobs(channel)) })
	}
	pullsAfter := func(d time.Duration, what string) {
		t.Helper()
		before := pulled()
		after(d, what, func() bool { return pulled() != before })
	}
	s.await("the pull after the connection test", func() string { return unless(pulled() != "", s.jobs(channel)) })
	shop.off()
	asked := shop.requests(false)
	pullsAfter(23*time.Hour, "pulled without a look at the webhooks")
	if n := shop.requests(true) - asked; n != 0 || len(shop.on()) == all {
		t.Errorf("%d requests before the day was over: %v", n, shop.on())
	}
	after(2*time.Hour, "looked at in vain", func() bool { return shop.requests(true) > asked })
	pullsAfter(20*time.Minute, "pulled though the webhooks cannot be looked at")
	if shop.requests(false); len(shop.on()) == all {
		t.Errorf("on again though they could not be looked at: %v", shop.on())
	}
	after(2*time.Hour, "on again", func() bool { return len(shop.on()) == all })
	asked = shop.requests(false)
	after(25*time.Hour, "looked at the next day", func() bool { return shop.requests(false) > asked })
	pullsAfter(20*time.Minute, "the pull after it")
	now := s.call("GET", "/api/v1/channels/"+channel, nil, 200)
	if n := len(now.List("data", "webhooks")); n != all || len(shop.on()) != all || shop.doubled(channel) != "" ||
		strings.Contains(fmt.Sprint(now.At("data", "webhooks")), "disabled") {
		t.Errorf("%s of %v; the channel has %v", shop.doubled(channel), shop.on(), now.At("data", "webhooks"))
	}
	s.call("DELETE", "/api/v1/channels/"+channel+"?force=true", nil, 200)
}
