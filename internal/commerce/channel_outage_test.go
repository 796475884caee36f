package commerce_test

import (
	"testing"
	"time"

	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// What an outage kept from a platform, or from here, follows within minutes of its end, though the job has given up, nothing changes in
// the account, and orders are pulled once a day.
func TestWorkGoesOnAfterAnOutage(t *testing.T) {
	for _, kind := range []jobs.Type{jobs.ProductPush, jobs.OrderPull} {
		t.Run(string(kind), func(t *testing.T) {
			syncedEngines(t, 1, func(t *testing.T, s *synced) {
				s.set(`{"pullEvery": 86400}`, channels.Active)
				s.work()
				*s.clock = s.clock.Add(time.Hour)
				s.place("A")
				*s.clock = s.clock.Add(time.Hour)
				s.platform.down = true
				if kind == jobs.ProductPush {
					s.publish()
				} else {
					s.must(s.write(t, func(tx *db.Tx) error {
						_, err := s.do.SyncChannel(tx, s.channel.ID, commerce.SyncDraft{Type: kind})
						return err
					}))
				}
				for range 90 { // minutes: what was changed before is read in the first of them
					s.work()
					*s.clock = s.clock.Add(time.Minute)
				}
				if n := s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND status = 'FAILED'"); n == 0 || n > 10 {
					t.Errorf("%d jobs gave up", n)
				}
				s.platform.down = false
				for range 6 {
					s.work()
					*s.clock = s.clock.Add(time.Minute)
				}
				got := s.platform.titles["SKU-0"] != ""
				if kind == jobs.OrderPull {
					got = s.count("SELECT count(*) FROM orders WHERE tenant_id = $1") == 1
				}
				if !got {
					t.Errorf("it has not come; the next pull is in %v",
						time.UnixMicro(s.count("SELECT pull_at FROM channel_syncs WHERE tenant_id = $1")).Sub(*s.clock))
				}
			})
		})
	}
}
