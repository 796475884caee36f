package commerce_test

import (
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/channelsync"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/jobs"
	"entrepot/internal/search"
)

// The deletion of a channel with a job and an order that reserves stock, and others that lock the jobs under way (an
// erasure), the blocks of searches (the worker that packs them) before the account's clock, or how far the channel's synchronisation is
// before its job (a run that fails), wait for each other in one order: neither has to be undone and done again.
func TestOthersLockWhatADeletedChannelHas(t *testing.T) {
	clock := func(_ *synced, tx *db.Tx) error { return tx.LockClock() }
	for name, other := range map[string]struct {
		locks, then func(s *synced, tx *db.Tx) error
	}{
		"jobs": {func(_ *synced, tx *db.Tx) error { return jobs.Interrupt(tx) }, clock},
		"blocks": {func(_ *synced, tx *db.Tx) error {
			return search.Erase(tx, search.Orders, []string{string(id.New[id.Order]())})
		}, clock},
		"synchronisation": {func(s *synced, tx *db.Tx) error {
			_, err := channelsync.Lock(tx, s.channel.ID)
			return err
		}, func(_ *synced, tx *db.Tx) error { return jobs.Interrupt(tx) }},
	} {
		t.Run(name, func(t *testing.T) {
			onPostgres(t, func(s *synced) {
				d := s.draft("ada@post.example", map[int]int64{0: 1})
				d.Channel = s.channel.ID
				s.create(t, d)
				s.working()
				s.beside(other.locks, other.then, func() error {
					return s.write(t, func(tx *db.Tx) error {
						_, err := s.do.DeleteChannel(tx, s.who, s.channel.ID, commerce.Expected{}, true, nil)
						return err
					})
				})
				if n := s.count("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND status IN ('PENDING', 'PROCESSING')"); n != 0 {
					t.Errorf("%d jobs of a channel that is gone", n)
				}
			})
		})
	}
}

// An erasure in steps locks the jobs under way before the account's clock, in its first step, too, as every erasure does.
func TestErasuresInStepsLockJobsFirst(t *testing.T) {
	onPostgres(t, func(s *synced) {
		s.do.AtOnce = 1
		ada := s.create(t, s.draft("ada@post.example", map[int]int64{0: 1}))
		s.create(t, s.draft("ada@post.example", map[int]int64{0: 1}))
		s.working()
		s.beside(func(_ *synced, tx *db.Tx) error { return jobs.Interrupt(tx) },
			func(_ *synced, tx *db.Tx) error { return tx.LockClock() },
			func() error { return s.do.EraseCustomer(t.Context(), s.store, s.who, ada.Customer, nil) })
	})
}

// onPostgres runs a test on PostgreSQL, where several write at a time, and fails it if a transaction was undone and done again.
func onPostgres(t *testing.T, test func(s *synced)) {
	t.Helper()
	clock, said := syncedAt, &strings.Builder{}
	store := dbtest.Open(t, db.Config{URL: dbtest.StoreURL(t), Now: func() time.Time { return clock },
		Log: slog.New(slog.NewTextHandler(said, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	test(syncedOn(t, store, 1, &clock, new(atomic.Int64)))
	if strings.Contains(said.String(), "runs again") {
		t.Errorf("a transaction was undone: %s", said)
	}
}

// working has a job of the channel under way.
func (s *synced) working() {
	s.t.Helper()
	s.must(s.write(s.t, func(tx *db.Tx) error {
		_, err := s.do.SyncChannel(tx, s.channel.ID, commerce.SyncDraft{Type: jobs.OrderPull})
		return err
	}))
	s.claim(jobs.OrderPull)
}

// beside does something while another transaction holds a lock, and lets that one go on to its next lock as soon as it is waited for.
func (s *synced) beside(locks, then func(s *synced, tx *db.Tx) error, do func() error) {
	s.t.Helper()
	var doing sync.WaitGroup
	s.must(s.write(s.t, func(tx *db.Tx) error {
		if err := locks(s, tx); err != nil {
			return err
		}
		done := make(chan struct{})
		doing.Go(func() {
			defer close(done)
			if err := do(); err != nil {
				s.t.Error(err)
			}
		})
		s.awaitWaiting(s.t, done)
		return then(s, tx)
	}))
	doing.Wait()
}
