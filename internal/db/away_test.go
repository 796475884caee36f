package db_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// shownAs checks that an error is a 503 with a code.
func shownAs(t *testing.T, what string, err error, code string) {
	t.Helper()
	if f, ok := apperr.As(err); !ok || f.Kind != apperr.Unavailable || f.Code != code {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

// A full store refuses what does not fit and takes the rest; its neighbours in the commit are not harmed.
func TestFullStore(t *testing.T) {
	dbtest.Long(t, "a store is filled")
	store, err := db.Open(t.Context(), db.Config{Dir: t.TempDir(), Unsafe: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	clock(t, store, 1)
	err = store.Write(t.Context(), 1, func(tx *db.Tx) error {
		var pages int64
		return tx.Row("PRAGMA max_page_count = 300", nil, &pages)
	})
	if err != nil {
		t.Fatal(err)
	}
	note := func(size int) error {
		return store.Write(t.Context(), 1, func(tx *db.Tx) error {
			tx.Queue("INSERT INTO order_figures (tenant_id, span, status, bucket, channel, currency, orders, items, big, small) VALUES "+
				"($1,1,$2,1,'','',1,1,1,1) ON CONFLICT DO NOTHING", tx.Tenant, strings.Repeat("x", size))
			return nil
		})
	}
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			if i%4 == 0 {
				shownAs(t, "what does not fit", note(8<<20), "unavailable")
			} else if err := note(i); err != nil {
				t.Errorf("what fits: %v", err)
			}
		})
	}
	wg.Wait()
	if err := note(64); err != nil {
		t.Errorf("later: %v", err)
	}
	if err := store.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

// slowly is a PostgreSQL database and a statement that takes long there.
const slowly = "SELECT 1 FROM (SELECT pg_sleep(20)) AS s"

// A read ends in the server when its caller hangs up, and a statement that takes too long is a 503.
func TestLongReadsEnd(t *testing.T) {
	url := dbtest.URL(t)
	store, err := db.Open(t.Context(), db.Config{URL: url, StatementTimeout: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	read := func(ctx context.Context) error {
		return store.Read(ctx, 1, func(tx *db.Tx) error { return tx.Row(slowly, nil, new(int64)) })
	}
	shownAs(t, "a long statement", read(t.Context()), "busy")
	patient, err := db.Open(t.Context(), db.Config{URL: url, MinWait: dbtest.Timeout})
	if err != nil {
		t.Fatal(err)
	}
	defer patient.Close()
	ctx, hangUp := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- patient.Read(ctx, 1, func(tx *db.Tx) error { return tx.Row(slowly, nil, new(int64)) })
	}()
	const running = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_sleep%' AND state = " +
		"'active' AND pid <> pg_backend_pid()"
	dbtest.Until(t, "the read runs", func() bool { return one(t, url, running) == 1 })
	hangUp()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the caller that hung up: %v", err)
	}
	dbtest.Until(t, "the read has ended", func() bool { return one(t, url, running) == 0 })
	if err := patient.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

// Connections that the server closed while they were idle are replaced without an error for the caller.
func TestCutIdleConnections(t *testing.T) {
	nodes, url := twoNodes(t)
	for range 5 {
		one(t, url,
			"SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
		for _, operation := range []func() error{
			func() error { return nodes[0].Write(t.Context(), 1, raise) },
			func() error { return nodes[1].Write(t.Context(), 1, raise) },
			func() error { _, err := nodes[0].Settle(t.Context(), 1); return err },
		} {
			if err := operation(); err != nil {
				t.Errorf("after the cut: %v", err)
			}
		}
	}
	if n := nextNumber(t, nodes[0]); n != 11 {
		t.Errorf("10 transactions made 1 into %d", n)
	}
}

// So are those that a transaction is sent on whole, with its COMMIT: the server's last word on such a connection is older than that.
func TestCutIdleConnectionsOfOneMessage(t *testing.T) {
	nodes, url := twoNodes(t)
	const rounds = 5
	for range rounds {
		var open, all sync.WaitGroup
		open.Add(4)
		for range 4 { // as many connections, idle for a moment only, so that the pool does not try them first
			all.Go(func() {
				arrive := sync.OnceFunc(open.Done)
				defer arrive()
				err := nodes[0].Read(t.Context(), 1, func(tx *db.Tx) error {
					err := tx.Row("SELECT next FROM order_numbers WHERE tenant_id = $1", []any{tx.Tenant}, new(int64))
					if err == nil {
						arrive()
						open.Wait()
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		one(t, url,
			"SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
		err := nodes[0].Write(t.Context(), 1, func(tx *db.Tx) error {
			tx.Queue("UPDATE order_numbers SET next = next + 1 WHERE tenant_id = $1", tx.Tenant)
			return nil
		})
		if err != nil {
			t.Errorf("after the cut: %v", err)
		}
	}
	if n := nextNumber(t, nodes[0]); n != 1+rounds {
		t.Errorf("%d transactions made 1 into %d", rounds, n)
	}
}

// A commit whose answer is lost says that its outcome is not known, and how to find out.
func TestOutcomeUnknown(t *testing.T) {
	address, err := url.Parse(dbtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	server := address.Host
	proxy, cut := net.Listener(nil), atomic.Bool{}
	if proxy, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	go func() {
		for {
			in, err := proxy.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", server)
			if err != nil {
				in.Close()
				return
			}
			go func() { // answers come back until the line is to be cut
				defer in.Close()
				defer out.Close()
				b := make([]byte, 64<<10)
				for {
					n, err := out.Read(b)
					if err != nil || cut.Load() {
						return
					}
					in.Write(b[:n])
				}
			}()
			go io.Copy(out, in)
		}
	}()
	address.Host = proxy.Addr().String()
	store, err := db.Open(t.Context(), db.Config{URL: address.String(), Pool: 1, MinWait: dbtest.Timeout})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	clock(t, store, 1)
	if err := store.Write(t.Context(), 1, raise); err != nil { // its statements are prepared from now on
		t.Fatal(err)
	}
	err = store.Write(t.Context(), 1, func(tx *db.Tx) error {
		defer cut.Store(true)
		return raise(tx)
	})
	shownAs(t, "the lost answer", err, "outcome_unknown")
	if err != nil && !strings.Contains(err.Error(), "Idempotency-Key") {
		t.Errorf("it does not say what to do: %v", err)
	}
	cut.Store(false)
	if err := store.Write(t.Context(), 1, raise); err != nil {
		t.Errorf("later: %v", err)
	}
	if n := nextNumber(t, store); n != 4 {
		t.Errorf("the number is %d: the first was stored although its answer was lost", n)
	}
}
