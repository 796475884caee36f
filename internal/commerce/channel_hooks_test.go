package commerce_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/jobs"
)

// Webhooks that a connection test could not set up are tried again with the next pull, as those of a job are, and not with the daily check.
func TestWebhooksThatATestCouldNotSetUp(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		for _, one := range []struct {
			hookless error
			in       time.Duration
		}{{connector.Failf(connector.Temporary, "no answer"), 15 * time.Second}, {nil, 24 * time.Hour}} { // without one, the platform has none
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
	dbtest.Until(t, "it waits for a lock or ends", func() (waits bool) {
		select {
		case <-done:
			return true
		default:
		}
		s.must(s.store.Read(t.Context(), db.Across, func(tx *db.Tx) error {
			return tx.Row(`SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
				nil, &waits)
		}))
		return waits
	})
}

// Who marks items waits for who works on the channel before any item is locked: whoever holds the channel changes its items next, in any
// order.
func TestItemsAreLockedAfterTheirChannel(t *testing.T) {
	for name, ready := range map[string]func(s *synced) (mark func()){
		"a notification": func(s *synced) func() { return func() { s.notify("stock of their SKU-0", "first") } },
		"an order that is pulled": func(s *synced) func() {
			s.place("A")
			lines := &s.platform.orders[0].Lines
			*lines = append(*lines, connector.OrderLine{ExternalID: "second", SKU: "SKU-1", Name: "Mug", Quantity: 1})
			*s.clock = s.clock.Add(time.Hour)
			job := s.claim(jobs.OrderPull)
			return func() { s.must(s.do.RunChannelJob(s.t.Context(), s.store, job, time.Minute)) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			syncedEngines(t, 2, func(t *testing.T, s *synced) {
				if s.store.Engine() != "postgres" {
					t.Skip("one writes at a time")
				}
				s.must(s.write(t, func(tx *db.Tx) error {
					for _, sku := range []string{"SKU-0", "SKU-1"} {
						item := channelsync.NewItem(s.channel.ID, sku, s.product(tx, sku), "")
						item.ExternalProduct = "their " + sku
						channelsync.Put(tx, item)
					}
					return nil
				}))
				mark := ready(s)
				var marking sync.WaitGroup
				s.must(s.write(t, func(tx *db.Tx) error {
					if _, err := channels.Lock(tx, s.channel.ID); err != nil {
						return err
					}
					channelsync.MarkCheck(tx, s.channel.ID, []string{"SKU-1"})
					done := make(chan struct{})
					if _, err := tx.Exec("SELECT 1"); err != nil { // what is queued is written
						return err
					}
					marking.Go(func() {
						defer close(done)
						mark()
					})
					s.awaitWaiting(t, done)
					free, err := tx.Exec("SELECT 1 FROM channel_items WHERE tenant_id = $1 AND sku = 'SKU-0' FOR UPDATE SKIP LOCKED", tx.Tenant)
					if free != 1 {
						t.Error("who waits has locked an item")
					}
					return err
				}))
				marking.Wait()
				if n := s.count("SELECT count(*) FROM channel_items WHERE tenant_id = $1 AND sku = 'SKU-0' AND check_due"); n != 1 {
					t.Error("the item is not marked")
				}
			})
		})
	}
}

// A platform without webhooks has none to check: a day after its connection test orders are pulled as before, and not without end.
func TestNoWebhooksNoChecks(t *testing.T) {
	for _, base := range []string{"", "https://hooks.example"} {
		for _, webhooks := range []bool{false, true} {
			syncedEngines(t, 1, func(t *testing.T, s *synced) {
				s.platform.does.Webhooks = webhooks
				s.set(`{"pullEvery": 3600}`, channels.Active)
				_, err := s.do.CheckChannel(t.Context(), s.store, s.channel, base)
				s.must(err)
				s.work()
				*s.clock = s.clock.Add(25 * time.Hour)
				before := s.platform.pulls
				s.work()
				s.work()
				if n := s.platform.pulls - before; n != 1 {
					t.Errorf("with webhooks: %v, base %q: %d pulls", webhooks, base, n)
				}
			})
		}
	}
}
