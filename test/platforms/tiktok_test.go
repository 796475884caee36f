package platforms

import (
	"testing"

	"entrepot/internal/connector/tiktokshop/fakeshop"
)

// An order and its cancellation are here because TikTok Shop notified of them, long before the next pull; each once, though the platform,
// to which only 200 is a success, repeats what it sends.
func TestTikTokNotifies(t *testing.T) {
	engines(t, func(t *testing.T, s *service) {
		shop := fakeshop.New()
		shop.Faults.Reorder = true
		go shop.Deliver(t.Context())
		channel := s.connectTikTok(shop, map[string]any{"pullEvery": 3600})
		s.await("the pull after the connection test", func() string {
			return unless(s.call("GET", "/api/v1/channels/"+channel, nil, 200).at("data", "lastSyncAt") != nil, s.jobs(channel))
		})
		ids := []string{shop.Buy(fakeshop.Wish{SKUs: map[string]int64{"MUG": 2}, Cents: 790}),
			shop.Buy(fakeshop.Wish{SKUs: map[string]int64{"POT": 1}, Cents: 1990})}
		status := func() map[string]string {
			found := map[string]string{}
			list := s.call("GET", "/api/v1/orders?channelId="+channel, nil, 200)
			for i := range list.list("data") {
				found[list.text("data", i, "externalId")] += list.text("data", i, "status")
			}
			return found
		}
		s.await("orders", func() string {
			got := status()
			return unless(len(got) == 2 && got[ids[0]] == "PROCESSING" && got[ids[1]] == "PROCESSING", got, s.jobs(channel))
		})
		shop.Move(ids[1], "CANCELLED")
		s.await("the cancellation", func() string {
			got := status()
			return unless(len(got) == 2 && got[ids[0]] == "PROCESSING" && got[ids[1]] == "CANCELLED", got, s.jobs(channel))
		})
	})
}
