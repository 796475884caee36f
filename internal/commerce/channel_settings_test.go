package commerce_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// taken are the orders that were taken over, in the order of their names.
func (s *synced) taken() (names string) {
	s.t.Helper()
	s.must(s.store.Read(s.t.Context(), s.who.Tenant, func(tx *db.Tx) error {
		names = ""
		return tx.Each(func(r db.Rows) error {
			var name string
			err := r.Scan(&name)
			names += name
			return err
		}, "SELECT platform_id FROM orders WHERE tenant_id = $1 ORDER BY platform_id", tx.Tenant)
	}))
	return names
}

// Orders from before the channel come in when its settings say so later, whenever they say it.
func TestOlderOrdersAreTakenLater(t *testing.T) {
	for _, when := range []string{"at rest", "while a pull runs", "between two pages"} {
		t.Run(when, func(t *testing.T) {
			syncedEngines(t, 1, func(t *testing.T, s *synced) {
				p, began := s.platform, *s.clock
				for i, name := range []string{"a", "b", "c"} {
					*s.clock = began.Add(time.Duration(i-2) * 24 * time.Hour) // c comes with the channel
					s.place(name)
				}
				*s.clock = began.Add(5 * time.Minute)
				older := func() {
					s.set(fmt.Sprintf(`{"ordersFrom": %q}`, began.Add(-30*time.Hour).Format(time.RFC3339)), channels.Active)
				}
				switch when {
				case "at rest":
					if s.work(); s.taken() != "c" {
						t.Errorf("first %q", s.taken())
					}
					older()
				case "while a pull runs":
					p.whilePull = older
				case "between two pages":
					p.away = 2
					s.work()
					older()
					*s.clock = s.clock.Add(10 * time.Second)
				}
				if s.work(); s.taken() != "bc" {
					t.Errorf("%s: %q", when, s.taken())
				}
			})
		})
	}
}

// An order that has lost the time of its creation is as old as its last change: an old one of those stays out, and a new one comes in.
func TestOrdersWithoutATimeOfCreation(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		began := *s.clock
		for name, changed := range map[string]time.Time{"a": began.Add(-time.Hour), "b": began.Add(time.Minute)} {
			s.place(name)
			o := &s.platform.orders[len(s.platform.orders)-1]
			o.CreatedAt, o.UpdatedAt = time.Time{}, changed
		}
		*s.clock = began.Add(5 * time.Minute)
		if s.work(); s.taken() != "b" {
			t.Errorf("%q", s.taken())
		}
	})
}

// A shorter time between pulls holds at once, a longer one after the next pull.
func TestPullEveryChanges(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.set(`{"pullEvery": 7200}`, channels.Active)
		s.work()
		due := func() (in time.Duration) {
			s.must(s.store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
				state, err := channelsync.ByChannel(tx, s.channel.ID)
				in = time.UnixMicro(state.PullAt).Sub(*s.clock)
				return err
			}))
			return in
		}
		for _, step := range []struct {
			every int
			due   time.Duration
		}{{7200, 2 * time.Hour}, {60, time.Minute}, {3600, time.Minute}, {30, 30 * time.Second}} {
			s.set(fmt.Sprintf(`{"pullEvery": %d}`, step.every), channels.Active)
			if in := due(); in != step.due {
				t.Errorf("every %d s: due in %s, want %s", step.every, in, step.due)
			}
		}
	})
}

// Very many changes are marked as due in several transactions, all of them before the scheduler rests.
func TestManyChangesAreMarked(t *testing.T) {
	syncedEngines(t, 40, func(t *testing.T, s *synced) {
		s.do.AtOnce = 1
		s.publish()
		s.work()
		s.must(s.write(t, func(tx *db.Tx) error {
			_, err := tx.Exec("UPDATE channel_syncs SET clock = 0 WHERE tenant_id = $1", tx.Tenant)
			return err
		}))
		if n := s.count("SELECT count(*) FROM channel_items WHERE tenant_id = $1 AND NOT stock_due"); n != 40 {
			t.Fatalf("%d items are up to date", n)
		}
		s.must(s.write(t, func(tx *db.Tx) error {
			_, err := tx.Exec("UPDATE channel_syncs SET pull_at = 0 WHERE tenant_id = $1", tx.Tenant)
			return err
		}))
		begun := new(atomic.Int64)
		_, err := s.do.ScheduleChannels(counting{t.Context(), begun}, s.store)
		s.must(err)
		if n := s.count("SELECT count(*) FROM channel_items WHERE tenant_id = $1 AND stock_due"); n != 40 {
			t.Errorf("%d items are due", n)
		}
		if n := begun.Load(); n < 3 {
			t.Errorf("they were marked in %d transactions", n)
		}
	})
}

// A request to compare all of a channel with many items marks them in several transactions.
func TestManyItemsAreMarkedForASync(t *testing.T) {
	syncedEngines(t, 40, func(t *testing.T, s *synced) {
		s.do.AtOnce = 1
		s.publish()
		s.work()
		for kind, due := range map[jobs.Type]string{jobs.StockPush: "check_due", jobs.ProductPush: "content_due"} {
			d, begun := commerce.SyncDraft{Type: kind}, new(atomic.Int64)
			s.must(s.do.MarkForSync(counting{t.Context(), begun}, s.store, s.who.Tenant, s.channel.ID, &d))
			if n := s.count("SELECT count(*) FROM channel_items WHERE tenant_id = $1 AND marks > 0 AND " + due); n != 40 {
				t.Errorf("%s: %d items are due", kind, n)
			}
			if n := begun.Load(); n < 3 {
				t.Errorf("%s: they were marked in %d transactions", kind, n)
			}
			marks := s.count("SELECT sum(marks) FROM channel_items WHERE tenant_id = $1")
			s.must(s.write(t, func(tx *db.Tx) error { _, err := s.do.SyncChannel(tx, s.channel.ID, d); return err }))
			if now := s.count("SELECT sum(marks) FROM channel_items WHERE tenant_id = $1"); now != marks {
				t.Errorf("%s: the request marked items again", kind)
			}
			if s.work() == 0 || s.count("SELECT count(*) FROM channel_items WHERE tenant_id = $1 AND "+due) != 0 {
				t.Errorf("%s: no job compared them", kind)
			}
		}
	})
}

// counting is a context that counts how often it is asked whether it has ended: by each transaction once, or more often.
type counting struct {
	context.Context
	asked *atomic.Int64
}

func (c counting) Err() error {
	c.asked.Add(1)
	return c.Context.Err()
}

// A job whose channel is deleted while it runs ends, and leaves nothing of the channel behind.
func TestAChannelIsDeletedWhileItsJobRuns(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.platform.whilePull = func() {
			s.must(s.write(t, func(tx *db.Tx) error {
				_, err := s.do.DeleteChannel(tx, s.who, s.channel.ID, commerce.Expected{}, true, nil)
				return err
			}))
		}
		_, err := s.do.ScheduleChannels(t.Context(), s.store)
		s.must(err)
		var job jobs.Job
		s.must(s.store.Write(t.Context(), db.Across, func(tx *db.Tx) (err error) {
			job, _, err = jobs.ClaimOnChannel(tx, time.Minute)
			return err
		}))
		if err := s.do.RunChannelJob(t.Context(), s.store, job, time.Minute); !errors.Is(err, jobs.ErrLost) {
			t.Errorf("the job ends with %v", err)
		}
		if n := s.count("SELECT count(*) FROM channel_syncs WHERE tenant_id = $1"); n != 0 {
			t.Errorf("%d states of channels are left", n)
		}
	})
}

// An order that was listed on another marketplace of the account is taken over by the channel that has this marketplace, and by any other
// one only while there is none.
func TestOrdersOfOtherMarketplaces(t *testing.T) {
	for name, c := range map[string]struct {
		platform, account, market string
		status                    channels.Status
		want                      string
	}{
		"a channel of the marketplace": {"SCRIPTED", "seller", "de", channels.Active, "a"},
		"an inactive one":              {"SCRIPTED", "seller", "de", channels.Inactive, "ab"},
		"one of another seller":        {"SCRIPTED", "another", "de", channels.Active, "ab"},
		"one of another marketplace":   {"SCRIPTED", "seller", "FR", channels.Active, "ab"},
		"one of another platform":      {"OTHER", "seller", "de", channels.Active, "ab"},
	} {
		t.Run(name, func(t *testing.T) {
			syncedEngines(t, 1, func(t *testing.T, s *synced) {
				other := channels.Channel{Tenant: s.who.Tenant, ID: id.New[id.Channel](), Name: "Other", Platform: c.platform, Status: c.status,
					Settings: `{"marketplaceId":"` + c.market + `"}`, Oversell: "allow"}
				s.must(s.write(t, func(tx *db.Tx) error {
					other.Insert(tx)
					channelsync.Begin(tx, other.ID, tx.Now().Add(24*time.Hour))
					return nil
				}))
				s.must(s.write(t, func(tx *db.Tx) error {
					_, err := tx.Exec("UPDATE channel_syncs SET shop = $2 WHERE tenant_id = $1", tx.Tenant, `{"Account":"seller"}`)
					if err == nil {
						_, err = tx.Exec("UPDATE channel_syncs SET shop = $3 WHERE tenant_id = $1 AND channel_id = $2::UUID", tx.Tenant, other.ID,
							`{"Account":"`+c.account+`"}`)
					}
					return err
				}))
				s.place("a", "b")
				s.platform.orders[1].Market = "DE"
				*s.clock = s.clock.Add(time.Hour)
				s.work()
				if got := s.taken(); got != c.want {
					t.Errorf("%s, want %s", got, c.want)
				}
			})
		})
	}
}
