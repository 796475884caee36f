package commerce_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// Webhooks that a connection test could not set up are tried again within the hour, as those of a job are, and not with the daily check.
func TestWebhooksThatATestCouldNotSetUp(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		for _, one := range []struct {
			hookless error
			in       time.Duration
		}{{connector.Failf(connector.Temporary, "no answer"), time.Hour}, {nil, 24 * time.Hour}} { // without one, the platform has none
			s.platform.hookless = one.hookless
			out, err := s.do.CheckChannel(t.Context(), s.store, s.channel, "https://hooks.example")
			s.must(err)
			if says := strings.Contains(out.Message, "could not be switched on"); !out.Success || says != (one.hookless != nil) {
				t.Errorf("%+v", out)
			}
			at := s.count("SELECT coalesce(check_at, 0) FROM channel_syncs WHERE tenant_id = $1")
			if in := time.UnixMicro(at).Sub(*s.clock); in != one.in {
				t.Errorf("registration: %v; the next check is in %v", one.hookless, in)
			}
		}
	})
}

// A channel that is deleted while work on it is requested, and work that is requested while it is deleted, wait for each other in one
// order: neither has to be undone and done again.
func TestWorkIsRequestedWhileAChannelIsDeleted(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		if s.store.Engine() != "postgres" {
			t.Skip("one writes at a time")
		}
		var deleting sync.WaitGroup
		requests, deletions := 0, 0
		err := s.write(t, func(tx *db.Tx) error {
			if requests++; requests > 1 {
				return nil
			}
			if _, err := s.do.SyncChannel(tx, s.channel.ID, commerce.SyncDraft{Type: jobs.OrderPull}); err != nil {
				return err
			}
			done := make(chan struct{})
			deleting.Go(func() {
				defer close(done)
				err := s.write(t, func(tx *db.Tx) error {
					deletions++
					_, err := s.do.DeleteChannel(tx, s.who, s.channel.ID, commerce.Expected{}, true, nil)
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
			s.awaitWaiting(t, done)
			return nil
		})
		deleting.Wait()
		s.must(err)
		if requests != 1 || deletions != 1 {
			t.Errorf("the request ran %d times, the deletion %d times", requests, deletions)
		}
		if n := s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND status IN ('PENDING', 'PROCESSING')"); n != 0 {
			t.Errorf("%d jobs of a channel that is gone", n)
		}
	})
}

// awaitWaiting waits until something waits for a lock, or is done.
func (s *synced) awaitWaiting(t *testing.T, done <-chan struct{}) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		select {
		case <-done:
			return
		case <-time.After(5 * time.Millisecond):
		}
		var waits bool
		s.must(s.store.Read(t.Context(), db.Across, func(tx *db.Tx) error {
			return tx.Row(`SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
				nil, &waits)
		}))
		if waits {
			return
		}
	}
	t.Error("the deletion neither ended nor waited for anybody")
}
