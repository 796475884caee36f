package platforms

import (
	"strings"
	"testing"
	"time"

	"entrepot/internal/connector/connectortest/story"
)

// A channel whose authorisation ends within 30 days is expiring, says until when, and works meanwhile; one that was entered anew makes it
// active again.
func TestAChannelSaysThatItsAuthorisationEnds(t *testing.T) {
	each(t, func(t *testing.T, s *service, shop story.Shop) {
		c := s.connectShop(t, shop, map[string]any{"pullEvery": 300})
		path := "/api/v1/channels/" + c.id
		channel := func() document { return s.call("GET", path, nil, 200) }
		is := func(status, says string) func() string {
			return func() string {
				now := channel()
				return unless(now.Text("data", "status") == status && strings.Contains(now.Text("data", "lastError"), says), now)
			}
		}
		entered := func(since time.Time) {
			s.call("PATCH", path, map[string]any{"credentials": map[string]any{"refreshTokenSince": since.UTC().Format(time.RFC3339)}}, 200)
		}
		since := c.Now().Add(-340 * 24 * time.Hour)
		entered(since)
		c.passUntil(t, "expiring", is("expiring", since.Add(365*24*time.Hour).UTC().Format(time.DateOnly)))
		pulled := channel().Text("data", "lastSyncAt")
		c.passUntil(t, "it works meanwhile", func() string {
			return unless(channel().Text("data", "lastSyncAt") != pulled, channel())
		})
		entered(c.Now())
		c.passUntil(t, "active again", is("active", ""))
	}, "AMAZON")
}
