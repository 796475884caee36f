package db_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// Behind a pooler that gives each transaction another connection of the server, many callers write, read, hang up, settle and scrub,
// with nothing in the address that says so.
func TestThroughAPooler(t *testing.T) {
	direct := dbtest.URL(t)
	address := dbtest.Pooler(t, direct)
	store, err := db.Open(t.Context(), db.Config{URL: address, MinWait: dbtest.Timeout})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	const tenants, each = 8, 10
	for tenant := range tenants {
		clock(t, store, id.Tenant(1+tenant))
	}
	var callers sync.WaitGroup
	for tenant := range tenants {
		for range 4 {
			callers.Go(func() {
				for range each {
					err := store.Write(t.Context(), id.Tenant(1+tenant), raise)
					if err == nil {
						_, err = store.Settle(t.Context(), id.Tenant(1+tenant))
					}
					if err == nil {
						err = store.Read(t.Context(), id.Tenant(1+tenant), func(tx *db.Tx) error {
							return tx.Row("SELECT next FROM order_numbers WHERE tenant_id = $1", []any{tx.Tenant}, new(int64))
						})
					}
					if err != nil {
						t.Errorf("tenant %d: %v", tenant, err)
						return
					}
				}
			})
		}
	}
	for n := range 16 { // they hang up
		callers.Go(func() {
			for i := range 20 {
				ctx, hangUp := context.WithTimeout(t.Context(), time.Duration(1+(n+i)%12)*time.Millisecond)
				_ = store.Peek(ctx, 1, func(tx *db.Tx) error { return tx.Row("SELECT 1 FROM (SELECT pg_sleep(0.006)) AS s", nil, new(int64)) })
				hangUp()
			}
		})
	}
	callers.Wait()
	if n := one(t, direct, "SELECT sum(next)::BIGINT FROM order_numbers"); n != tenants*(1+4*each) {
		t.Errorf("the numbers add up to %d, want %d", n, tenants*(1+4*each))
	}
	for range 4 {
		callers.Go(func() {
			err := store.Write(t.Context(), 1, func(tx *db.Tx) error {
				tx.RequestScrub("customers", "customer_tags")
				return nil
			})
			if err == nil {
				err = store.Scrub(t.Context())
			}
			if err != nil {
				t.Errorf("scrub: %v", err)
			}
		})
	}
	callers.Wait()
	dbtest.Until(t, "nothing is left to scrub", func() bool {
		if err := store.Scrub(t.Context()); err != nil {
			t.Fatal(err)
		}
		n, err := store.PendingScrubs(t.Context())
		return err == nil && n == 0
	})
	if n := one(t, direct, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"); n != 0 {
		t.Errorf("%d advisory locks were left on the server's connections", n)
	}
}
