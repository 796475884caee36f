package db_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// twoNodes gives two open stores on one database, and its address.
func twoNodes(t *testing.T) (nodes []*db.DB, url string) {
	t.Helper()
	url = dbtest.URL(t)
	for range 2 {
		store, err := db.Open(t.Context(), db.Config{URL: url, MinWait: dbtest.Timeout})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		nodes = append(nodes, store)
	}
	if _, err := nodes[0].Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	clock(t, nodes[0], 1)
	return nodes, url
}

// one reads one number of a database beside the store.
func one(t *testing.T, url, sql string, args ...any) (n int64) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if err := conn.QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

const deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"

// stamped writes a row that carries a stamp and is named.
func stamped(tx *db.Tx, name string) {
	tx.Change("INSERT INTO events (tenant_id, id, stamp, event, resource_id, payload, created_at) VALUES ($1,$2,"+db.Clock+
		" + $3::BIGINT,$4,$5,$6,$7)",
		tx.Tenant, id.New[id.Event](), tx.Stamps(1), "e", name, "{}", tx.Micros())
}

// A reader who takes its own clock for the next since misses nothing that two nodes write.
func TestOwnClockMissesNothing(t *testing.T) {
	nodes, url := twoNodes(t)
	stop := time.Now().Add(2 * time.Second)
	var wg sync.WaitGroup
	wrote := make([]int, 8)
	for w := range wrote {
		wg.Go(func() {
			for wrote[w] == 0 || time.Now().Before(stop) {
				err := nodes[w%2].Write(t.Context(), 1, func(tx *db.Tx) error {
					var n int64 // begins the transaction, so that its commit comes later
					if err := tx.Row("SELECT next FROM order_numbers WHERE tenant_id = $1", []any{tx.Tenant}, &n); err != nil {
						return err
					}
					stamped(tx, fmt.Sprintf("%d-%d", w, wrote[w]))
					return nil
				})
				if err != nil {
					t.Error(err)
					return
				}
				wrote[w]++
			}
		})
	}
	seen, since := map[string]bool{}, int64(0)
	look := func() {
		pending := time.Now().UnixMicro()
		at, err := nodes[0].Settle(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if at < pending {
			t.Fatalf("settle returns a time %d µs before it was pending", pending-at)
		}
		err = nodes[0].Read(t.Context(), 1, func(tx *db.Tx) error {
			return tx.Each(func(r db.Rows) error {
				var who string
				err := r.Scan(&who)
				seen[who] = true
				return err
			}, "SELECT resource_id FROM events WHERE tenant_id = $1 AND stamp >= $2", tx.Tenant, since)
		})
		if err != nil {
			t.Fatal(err)
		}
		since = pending
	}
	for time.Now().Before(stop) {
		look()
	}
	wg.Wait()
	look()
	total := 0
	for _, n := range wrote {
		total += n
	}
	if len(seen) != total || total == 0 {
		t.Errorf("the reader missed %d of %d changes", total-len(seen), total)
	}
	if n := one(t, url, deadlocks); n > 0 {
		t.Errorf("%d deadlocks", n)
	}
}

// Transactions that lock the clock from their start, those that lock it at commit, and readers that wait for it do not
// block each other forever, and what is read behind the clock stays the same.
func TestLockClock(t *testing.T) {
	nodes, url := twoNodes(t)
	var wg sync.WaitGroup
	const workers, each = 12, 20
	for w := range workers {
		store := nodes[w%2]
		wg.Go(func() {
			for i := range each {
				var err error
				switch w % 3 {
				case 0: // reads, then writes what nobody may have changed meanwhile
					err = store.Write(t.Context(), 1, func(tx *db.Tx) error {
						if tx.Try() > 0 {
							t.Error("behind the clock it lost a race")
						}
						if err := tx.LockClock(); err != nil {
							return err
						}
						return raiseBehindClock(tx)
					})
				case 1:
					err = store.Write(t.Context(), 1, func(tx *db.Tx) error {
						stamped(tx, fmt.Sprintf("%d-%d", w, i))
						tx.Change("UPDATE order_numbers SET next = next + 1 WHERE tenant_id = $1", tx.Tenant)
						return nil
					})
				default:
					_, err = store.Settle(t.Context(), 1)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := one(t, url, deadlocks); n > 0 {
		t.Errorf("%d deadlocks", n)
	}
	if n, want := nextNumber(t, nodes[0]), int64(1+2*workers/3*each); n != want {
		t.Errorf("the number is %d, want %d", n, want)
	}
}

// raiseBehindClock is raise for a row that others write behind the clock.
func raiseBehindClock(tx *db.Tx) error {
	var n int64
	if err := tx.Row("SELECT next FROM order_numbers WHERE tenant_id = $1", []any{tx.Tenant}, &n); err != nil {
		return err
	}
	tx.Change("UPDATE order_numbers SET next = $2::BIGINT + 1 WHERE tenant_id = $1 AND next = $2::BIGINT", tx.Tenant, n).Rows(1, nil)
	return nil
}

// A transaction that was refused because of another one's writes sees them as they are stored: the other one ran again
// with a new id after a third transaction of their group had failed.
func TestRefusalsNameWhatIsStored(t *testing.T) {
	store, err := db.Open(t.Context(), db.Config{Dir: t.TempDir(), Unsafe: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	clock(t, store, 1)
	type refused struct{ error }
	bad := errors.New("bad")
	held, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { // keeps the writer until all others wait, so that they share a group
		store.Write(t.Context(), 1, func(*db.Tx) error { close(held); <-release; return nil })
	})
	<-held
	for i := range 20 {
		key := fmt.Sprint("k", i)
		write := func(last error) func(tx *db.Tx) error {
			return func(tx *db.Tx) error {
				var there string
				err := tx.Row("SELECT CAST(channel_id AS TEXT) FROM notifications WHERE tenant_id = $1 AND key = $2", []any{tx.Tenant, key}, &there)
				if err == nil {
					return refused{errors.New(there)}
				}
				if !errors.Is(err, db.ErrNoRow) {
					return err
				}
				tx.Queue("INSERT INTO notifications (tenant_id, channel_id, key, expires_at) VALUES ($1,$2,$3,$4)", tx.Tenant, id.New[id.Channel](),
					key, i)
				if last != nil {
					if err := tx.Flush(); err != nil {
						return err
					}
				}
				return last
			}
		}
		for _, last := range []error{nil, nil, bad} { // the second is refused for the first; the third fails, having written or not
			operation := write(last)
			if last != nil {
				before := operation
				operation = func(tx *db.Tx) error {
					tx.Queue("UPDATE order_numbers SET next = next + 1 WHERE tenant_id = $1", tx.Tenant)
					if err := tx.Flush(); err != nil {
						return err
					}
					if err := before(tx); err != nil && !errors.Is(err, bad) {
						return err
					}
					return bad
				}
			}
			wg.Go(func() {
				err := store.Write(t.Context(), 1, operation)
				var no refused
				if !errors.As(err, &no) {
					return
				}
				var there int
				store.Read(t.Context(), 1, func(tx *db.Tx) error {
					return tx.Row("SELECT count(*) FROM notifications WHERE tenant_id = $1 AND channel_id = $2 AND key = $3",
						[]any{tx.Tenant, no.Error(), key}, &there)
				})
				if there != 1 {
					t.Errorf("%s was refused for %s, which is not stored", key, no.Error())
				}
			})
		}
	}
	time.Sleep(20 * time.Millisecond) // most of them wait now; the test holds whichever do
	close(release)
	wg.Wait()
	if n := nextNumber(t, store); n != 1 {
		t.Errorf("failed transactions left something: %d", n)
	}
}
