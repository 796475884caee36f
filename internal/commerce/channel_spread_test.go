package commerce_test

import (
	"testing"
	"time"

	"entrepot/internal/base/netguard"
	"entrepot/internal/connector"
)

// Channels that a platform refuses at the same moment do not come back at the same moment: what it asks for, and what the service waits by
// itself, get a random part.
func TestRestsAreSpread(t *testing.T) {
	throttled := func(after time.Duration, share bool) *connector.Failure {
		return &connector.Failure{Kind: connector.Throttled, Message: "later", After: after, Share: share}
	}
	for name, c := range map[string]struct {
		refusal *connector.Failure
		wait    time.Duration
	}{
		"no answer":             {connector.Failf(connector.Temporary, "away"), 2 * time.Second},
		"no answer, and a time": {&connector.Failure{Kind: connector.Temporary, Message: "away", After: time.Minute}, time.Minute},
		"too many":              {throttled(time.Minute, false), time.Minute},
		"its share is spent":    {throttled(time.Minute, true), time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			syncedEngines(t, 1, func(t *testing.T, s *synced) {
				s.do.Clients = connector.NewClients(&netguard.Guard{Dev: true}, "test").
					Timed(func() time.Time { return *s.clock }, nil).Spread(func(wait time.Duration) time.Duration { return wait / 4 })
				s.work()
				*s.clock = s.clock.Add(10 * time.Minute)
				s.platform.refusals, s.platform.refusedAs = 1, c.refusal
				s.work()
				due := s.count("SELECT due_at FROM jobs WHERE tenant_id = $1 AND status = 'PENDING' AND type = 'order_pull'")
				if got := time.UnixMicro(due).Sub(*s.clock); got != c.wait*5/4 {
					t.Errorf("the pull goes on in %v, want %v", got, c.wait*5/4)
				}
			})
		})
	}
}
