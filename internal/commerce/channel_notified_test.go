package commerce_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"entrepot/internal/base/netguard"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/jobs"
)

func names(prefix string, n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("%s%03d", prefix, i))
	}
	return list
}

const (
	ordersHere = "SELECT count(*) FROM orders WHERE tenant_id = $1"
	jobsWait   = "SELECT count(*) FROM jobs WHERE tenant_id = $1 AND status = 'PENDING'"
	jobsEver   = "SELECT count(*) FROM jobs WHERE tenant_id = $1"
)

// A hundred notifications are one job and one pull, which brings all of their orders at once, though the platform's lists do not have them
// yet. What is notified of while the pull runs is read by its names at once, and the lists once more as soon as they have all of it.
func TestABurstOfNotificationsIsOnePull(t *testing.T) {
	dbtest.Long(t, "100 orders are notified and pulled")
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.work()
		*s.clock = s.clock.Add(2 * time.Minute)
		pulls := s.platform.pulls
		burst := names("A", 100)
		s.place(burst...)
		for i, order := range burst {
			s.notify(order, fmt.Sprint("first ", i))
			s.notify(order, fmt.Sprint("again ", i))
		}
		if n := s.count(jobsWait); n != 1 {
			t.Errorf("%d jobs wait", n)
		}
		s.platform.whilePull = func() {
			s.place("C", "D")
			s.notify("C", "c")
			s.notify("D", "d")
		}
		ran := s.work()
		if n := s.count(ordersHere); n != 102 || ran != 2 || s.platform.pulls != pulls+1 || len(s.platform.named) != 3 {
			t.Errorf("%d orders after %d jobs, %d pulls and %d calls for named orders", n, ran, s.platform.pulls-pulls, len(s.platform.named))
		}
		*s.clock = s.clock.Add(64 * time.Second) // what was notified of is looked at once more as soon as the lists have it
		if ran = s.work(); ran != 0 {
			t.Errorf("%d jobs before the lists have it", ran)
		}
		*s.clock = s.clock.Add(time.Second)
		if ran = s.work(); ran != 1 || s.count(ordersHere) != 102 || s.platform.pulls != pulls+2 {
			t.Errorf("%d jobs, %d orders, %d pulls", ran, s.count(ordersHere), s.platform.pulls-pulls)
		}
		*s.clock = s.clock.Add(4 * time.Minute)
		if ran = s.work(); ran != 0 {
			t.Errorf("%d jobs though nothing was notified of", ran)
		}
	})
}

// Notifications that keep coming do not have the platform's changes listed each time: the orders that they name are read alone, and the
// lists as often as these leave out what is newest. One that is not readable by its name yet
// is in the lists a little later.
func TestNotificationsThatKeepComing(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.work()
		pulls := s.platform.pulls
		s.notify("later", "l")
		s.work()
		s.place("later")
		list := names("A", 65)
		for _, order := range list {
			*s.clock = s.clock.Add(1500 * time.Millisecond) // and half a second for others to join
			s.place(order)
			s.notify(order, order)
			s.work()
		}
		if n := s.count(ordersHere); n != 66 || s.platform.pulls != pulls+1 {
			t.Errorf("%d orders after %d pulls in 130 s", n, s.platform.pulls-pulls)
		}
	})
}

// More orders than a job is given by name are not lost: the pull that follows has them. One that the platform does not have is no error.
func TestNotificationsBeyondBounds(t *testing.T) {
	dbtest.Long(t, "205 orders are notified and pulled")
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.work()
		burst := names("A", 205)
		s.place(burst...)
		s.notify("nowhere", "n")
		for i, order := range burst {
			s.notify(order, fmt.Sprint(i))
		}
		s.work()
		if n := s.count(ordersHere); n != 199 {
			t.Errorf("%d orders at once, want 199 beside the one that is nowhere", n)
		}
		*s.clock = s.clock.Add(65 * time.Second)
		if s.work(); s.count(ordersHere) != 205 {
			t.Errorf("%d orders in the end", s.count(ordersHere))
		}
		s.platform.does.Batch.Notified, s.platform.named = 30, nil
		few := names("B", 40)
		s.place(few...)
		for _, order := range few {
			s.notify(order, order)
		}
		s.work()
		if n := s.count(ordersHere); n != 245 || len(slices.Concat(s.platform.named...)) != 40 {
			t.Errorf("%d orders, %d read by name", n, len(slices.Concat(s.platform.named...)))
		}
		if failed := s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND status <> 'COMPLETED'"); failed != 0 {
			t.Errorf("%d jobs did not end well", failed)
		}
	})
}

// A waiting pull of named orders also pulls all changes if a notification, the schedule or a caller requests that meanwhile.
func TestAPullOfNamedOrdersIsJoined(t *testing.T) {
	ask := map[string]func(s *synced){
		"notification": func(s *synced) { s.notify("young", "y") },
		"caller": func(s *synced) {
			s.must(s.write(s.t, func(tx *db.Tx) error {
				_, err := s.do.SyncChannel(tx, s.channel.ID, commerce.SyncDraft{Type: jobs.OrderPull})
				return err
			}))
		},
		"schedule": func(s *synced) {
			_, err := s.do.ScheduleChannels(s.t.Context(), s.store)
			s.must(err)
		},
	}
	for who, do := range ask {
		t.Run(who, func(t *testing.T) {
			syncedEngines(t, 1, func(t *testing.T, s *synced) {
				s.work()
				s.place("named", "old")
				*s.clock = s.clock.Add(10 * time.Minute)
				s.place("young")
				s.must(s.write(t, func(tx *db.Tx) error {
					_, err := s.do.SyncChannel(tx, s.channel.ID, commerce.SyncDraft{Type: jobs.OrderPull, ExternalIDs: []string{"named"}})
					return err
				}))
				if do(s); s.count(jobsWait) != 1 {
					t.Errorf("%d jobs wait", s.count(jobsWait))
				}
				before := s.platform.pulls
				s.work()
				want := int64(2)
				if who == "notification" {
					want = 3
				}
				if s.count(ordersHere) != want || s.platform.pulls == before {
					t.Errorf("%d orders after %d pulls", s.count(ordersHere), s.platform.pulls-before)
				}
			})
		})
	}
}

// Callers who request a type of job one after the other, or at once, get the same job, which does what each of them asked for.
func TestRequestsOfCallersAreOneJob(t *testing.T) {
	for name, second := range map[string][]string{"two names": {"b", "a"}, "a name and everything": nil} {
		t.Run(name, func(t *testing.T) {
			syncedEngines(t, 1, func(t *testing.T, s *synced) {
				s.platform.does.Time.Tail = 0
				s.work()
				s.place("a", "b")
				*s.clock = s.clock.Add(time.Minute)
				s.place("young")
				request := func(named []string) (j jobs.Job) {
					s.must(s.write(t, func(tx *db.Tx) (err error) {
						j, err = s.do.SyncChannel(tx, s.channel.ID, commerce.SyncDraft{Type: jobs.OrderPull, ExternalIDs: named})
						return err
					}))
					return j
				}
				for _, order := range [][][]string{{{"a"}, second}, {second, {"a"}}} {
					first := request(order[0])
					s.must(s.store.Write(t.Context(), db.Across, func(tx *db.Tx) error {
						if _, ok, err := jobs.ClaimOnChannel(tx, time.Minute); ok || err != nil {
							t.Errorf("the first request runs before others can join it (%v)", err)
						}
						return nil
					}))
					if joined := request(order[1]); joined.ID != first.ID || joined.Total < int64(len(order[1])) {
						t.Errorf("%+v is not %+v", joined, first)
					}
					if n := s.count(jobsWait); n != 1 {
						t.Errorf("%d jobs wait", n)
					}
					want := map[bool]int64{true: 3, false: 2}[second == nil] // everything has the young one, too
					if s.work(); s.count(ordersHere) != want {
						t.Errorf("%d orders, want %d", s.count(ordersHere), want)
					}
				}
				first := request(names("X", 100))
				for i := range 10 {
					if next := request(names(fmt.Sprint("Y", i), 100)); (next.ID == first.ID) != (i < 9) {
						t.Errorf("%d names: job %s, the first is %s", 200+100*i, next.ID, first.ID)
					}
				}
			})
		})
	}
}

// An interrupted pull continues with the span that it started. Notifications that arrived meanwhile are newer: a
// second pull handles them.
func TestANotificationWhileAPullWaitsForThePlatform(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.platform.does.Time.Tail = 0
		s.work()
		*s.clock = s.clock.Add(10 * time.Minute)
		s.platform.away = 2
		s.work()
		*s.clock = s.clock.Add(time.Second)
		s.place("young")
		s.notify("young", "y")
		if n := s.count(jobsWait); n != 1 {
			t.Errorf("%d jobs wait", n)
		}
		*s.clock = s.clock.Add(10 * time.Second)
		if s.work(); s.count(ordersHere) != 1 {
			t.Errorf("%d orders", s.count(ordersHere))
		}
	})
}

// A platform that wants to be asked rarely is not asked what changed at each notification: the orders that are named are read alone.
func TestNotificationsOfAPlatformThatIsAskedRarely(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.platform.does.Time = connector.Timing{Tail: 3 * time.Minute, Every: 5 * time.Minute}
		s.work()
		pulls := s.platform.pulls
		for i, order := range names("A", 4) {
			*s.clock = s.clock.Add(time.Minute)
			s.place(order)
			s.notify(order, order)
			if s.work(); s.count(ordersHere) != int64(i+1) || s.platform.pulls != pulls {
				t.Errorf("%d orders after %d notifications and %d pulls", s.count(ordersHere), i+1, s.platform.pulls-pulls)
			}
		}
		*s.clock = s.clock.Add(time.Minute)
		if s.work(); s.platform.pulls != pulls+1 {
			t.Errorf("%d scheduled pulls", s.platform.pulls-pulls)
		}
	})
}

// A connection test has 15 seconds (interface §4.5), whatever the other side does.
func TestConnectionTestsAreBounded(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		_, err := s.do.CheckChannel(t.Context(), s.store, s.channel, "")
		s.must(err)
		if ends := s.platform.tests; len(ends) != 1 || ends[0].IsZero() || time.Until(ends[0]) > 15*time.Second {
			t.Errorf("the test was to end at %v", ends)
		}

		var lookedUp time.Time // the names of the channel's addresses are looked up within that time
		s.do.Guard = &netguard.Guard{Lookup: func(context.Context, string) ([]netip.Addr, error) {
			lookedUp = time.Now()
			return nil, errors.New("no such host")
		}}
		s.channel.Settings = `{"baseUrl":"https://shop.example/"}`
		_, err = s.do.CheckChannel(t.Context(), s.store, s.channel, "")
		s.must(err)
		if ends := s.platform.tests; lookedUp.IsZero() || len(ends) != 2 || ends[1].After(lookedUp.Add(14*time.Second)) { // it had begun before
			t.Errorf("looked up at %v, and the test was to end at %v", lookedUp, ends)
		}
	})
}

// A shop in another currency than the account's is warned of: its prices are sent as they are.
func TestShopInAnotherCurrency(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		for currency, want := range map[string]string{"": "connected to Shop", "EUR": "connected to Shop", "USD": "connected to Shop; prices " +
			"here are in EUR and the shop's in USD: they are sent as they are, times settings.priceFactor"} {
			s.platform.currency = currency
			out, err := s.do.CheckChannel(t.Context(), s.store, s.channel, "https://entrepot.example")
			if s.must(err); !out.Success || out.Message != want {
				t.Errorf("%q: %+v", currency, out)
			}
		}
	})
}

// A call that is refused although the credentials are right is made again; the channel waits for new ones only if they are refused
// otherwise, too.
func TestACallThatIsRefusedOnce(t *testing.T) {
	for refusal, want := range map[error]string{nil: "active", connector.Failf(connector.Unauthorized, "the key is wrong"): "needs_reauth"} {
		syncedEngines(t, 1, func(t *testing.T, s *synced) {
			s.place("order")
			s.platform.refusals, s.platform.refusal = 1, refusal
			*s.clock = s.clock.Add(2 * time.Minute)
			s.work()
			*s.clock = s.clock.Add(time.Minute)
			s.work()
			var status channels.Status
			s.must(s.store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
				c, err := channels.ByID(tx, s.channel.ID)
				status = c.Status
				return err
			}))
			if n := s.count(ordersHere); string(status) != want || (n == 1) != (refusal == nil) {
				t.Errorf("the channel is %s with %d orders, want %s", status, n, want)
			}
		})
	}
}

// A pull that ends after the platform has refused the channel's credentials in another job leaves that state unchanged.
func TestAPullThatEndsAfterARefusal(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.place("order")
		*s.clock = s.clock.Add(2 * time.Minute)
		s.platform.whilePull = func() {
			s.platform.refusal = connector.Failf(connector.Unauthorized, "the key is wrong")
			_, err := s.do.CheckChannel(t.Context(), s.store, s.channel, "")
			s.must(err)
		}
		s.work()
		var status, lastError string
		s.must(s.store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
			c, err := channels.ByID(tx, s.channel.ID)
			if err != nil {
				return err
			}
			state, err := channelsync.ByChannel(tx, s.channel.ID)
			status, lastError = string(c.Status), state.LastError
			return err
		}))
		if s.count(ordersHere) != 1 || status != "needs_reauth" || lastError == "" {
			t.Errorf("%d orders, the channel is %s, its last error %q", s.count(ordersHere), status, lastError)
		}
	})
}

// A notification that is being verified while its channel is deactivated does not make the channel receive again.
func TestDeactivatedWhileANotificationIsVerified(t *testing.T) {
	syncedEngines(t, 1, func(t *testing.T, s *synced) {
		s.notify("withdrawn", "a")
		if n := s.count("SELECT count(*) FROM channels WHERE tenant_id = $1 AND status = 'needs_reauth'"); n != 1 {
			t.Errorf("%d channels need another authorisation", n)
		}
		now := s.channel
		now.Status = channels.Inactive
		s.must(s.write(t, func(tx *db.Tx) error { now.Save(tx); return nil }))
		s.notify("withdrawn", "b")
		if n := s.count("SELECT count(*) FROM channels WHERE tenant_id = $1 AND status = 'inactive'"); n != 1 {
			t.Errorf("%d channels are inactive", n)
		}
	})
}
