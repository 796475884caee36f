package platforms

import (
	"testing"

	"entrepot/internal/connector/tiktokshop/fakeshop"
)

// Orders and a cancellation are here because TikTok Shop notified of them, long before the next pull; each once, though the platform, to
// which only 200 is a success, repeats what it sends.
func TestTikTokNotifies(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *service) {
		shop := fakeshop.New()
		shop.Notices.Reorder = true
		go shop.Deliver(t.Context())
		channel := s.connectTikTok(shop, map[string]any{"pullEvery": 3600})
		s.await("the pull after the connection test", func() string {
			return unless(s.call("GET", "/api/v1/channels/"+channel, nil, 200).At("data", "lastSyncAt") != nil, s.jobs(channel))
		})
		ids := []string{shop.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 2}, Cents: 790})}
		status := func() map[string]string {
			found := map[string]string{}
			list := s.call("GET", "/api/v1/orders?channelId="+channel, nil, 200)
			for i := range list.List("data") {
				found[list.Text("data", i, "externalId")] += list.Text("data", i, "status")
			}
			return found
		}
		s.await("an order", func() string {
			got := status()
			return unless(len(got) == 1 && got[ids[0]] == "PROCESSING", got, s.jobs(channel))
		})
		for range 3 { // at once: the platform's lists have them a minute later
			ids = append(ids, shop.Buy(fakeshop.Wish{SKUs: map[string]int64{"POT": 1}, Cents: 1990}))
		}
		shop.Move(ids[0], "CANCELLED")
		s.await("orders and a cancellation", func() string {
			got := status()
			return unless(len(got) == 4 && got[ids[0]] == "CANCELLED" && got[ids[3]] == "PROCESSING", got, s.jobs(channel))
		})
	})
}
