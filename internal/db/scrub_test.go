package db_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// holds counts the files that contain a text.
func holds(t *testing.T, store *db.DB, text string) (files []string) {
	t.Helper()
	_, err := store.Files(t.Context(), func(name string, content io.Reader) error {
		all, err := io.ReadAll(content)
		if bytes.Contains(all, []byte(text)) {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// fillCustomers makes pages that rows were moved between: random keys in two indexes, rows that grow and shrink.
func fillCustomers(t *testing.T, store *db.DB, tenant id.Tenant, n int) (emails []string) {
	t.Helper()
	random := rand.New(rand.NewSource(7))
	for len(emails) < n {
		err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
			for range 200 {
				email := fmt.Sprintf("%08x.wilhelmine%05d@secret.example", random.Uint32(), len(emails))
				emails = append(emails, email)
				tx.Queue(`INSERT INTO customers (tenant_id, id, email, email_key, metadata, search, status, orders_count, total_spent,
					created_at, updated_at) VALUES ($1,$2,$3,$3,$4,$3,'active',0,0,1,
						1)`, tenant, id.New[id.Customer](), email, strings.Repeat("m", random.Intn(300)))
				old := emails[random.Intn(len(emails))]
				tx.Queue("UPDATE customers SET metadata = $3 WHERE tenant_id = $1 AND email_key = $2", tenant, old,
					strings.Repeat("w", random.Intn(900)))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return emails
}

// scrubUntilDone scrubs as often as the worker would: PostgreSQL's own ANALYZE or VACUUM of a table that was just filled
// may hold it for a moment, and then it is left for the next scrub.
func scrubUntilDone(t *testing.T, store *db.DB) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if err := store.Scrub(t.Context()); err != nil {
			t.Fatal(err)
		}
		switch n, err := store.PendingScrubs(t.Context()); {
		case err != nil:
			t.Fatal(err)
		case n == 0:
			return
		case time.Now().After(end):
			t.Fatalf("in the end %d are still pending", n)
		}
	}
}

func TestScrubLeavesNothingBehind(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 1)
		emails := fillCustomers(t, store, 1, 4000)
		if len(holds(t, store, emails[17])) == 0 {
			t.Fatal("the files are not read")
		}
		err := store.Write(t.Context(), 1, func(tx *db.Tx) error {
			tx.Queue("UPDATE customers SET email = 'x' || id::TEXT, email_key = 'x' || id::TEXT, search = ''")
			tx.RequestScrub("customers")
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(holds(t, store, "wilhelmine")) == 0 {
			t.Fatal("there is nothing to scrub, the test proves nothing")
		}
		if n, err := store.PendingScrubs(t.Context()); n != 1 || err != nil {
			t.Fatalf("owing %d, %v", n, err)
		}
		scrubUntilDone(t, store)
		if found := holds(t, store, "wilhelmine"); len(found) > 0 {
			t.Errorf("still in %v", found)
		}
		err = store.Texts(t.Context(), func(table, column, text string) error {
			if strings.Contains(text, "wilhelmine") {
				t.Errorf("%s.%s holds %q", table, column, text)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		var rows int64
		err = store.Read(t.Context(), 1, func(tx *db.Tx) error {
			return tx.Row("SELECT count(*) FROM customers WHERE tenant_id = $1 AND email_key LIKE 'x%'", []any{tx.Tenant}, &rows)
		})
		if rows != 4000 || err != nil {
			t.Errorf("%d rows are left, %v", rows, err)
		}
	})
}

// A scrub shares the store with writers and readers, and leaves a sound file.
func TestScrubBesideWriters(t *testing.T) {
	dbtest.Long(t, "writers beside it")
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 1)
		fillCustomers(t, store, 1, 1000)
		done := make(chan error, 8)
		for n := range 4 {
			go func() {
				for i := range 60 {
					err := store.Write(t.Context(), 1, func(tx *db.Tx) error {
						tx.Queue("UPDATE customers SET metadata = $2 WHERE tenant_id = $1 AND email_key LIKE $3", tx.Tenant,
							strings.Repeat("z", (n*60+i)%500), fmt.Sprintf("%x%%", 3*n))
						return nil
					})
					if err != nil {
						done <- err
						return
					}
				}
				done <- nil
			}()
			go func() {
				for range 3 {
					err := store.Write(t.Context(), 1, func(tx *db.Tx) error {
						tx.RequestScrub("customers", "customer_tags")
						return nil
					})
					if err == nil {
						err = store.Scrub(t.Context())
					}
					if err != nil {
						done <- err
						return
					}
				}
				done <- nil
			}()
		}
		for range 8 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		store.ScrubSoon(t.Context(), store.Observe()) // now that nobody is in the way
		if n, err := store.PendingScrubs(t.Context()); n != 0 || err != nil {
			t.Errorf("owing %d, %v", n, err)
		}
		if store.Engine() == "sqlite" {
			var verdict string
			err := store.Read(t.Context(), 1, func(tx *db.Tx) error { return tx.Row("PRAGMA integrity_check", nil, &verdict) })
			if verdict != "ok" || err != nil {
				t.Errorf("integrity: %s, %v", verdict, err)
			}
		}
	})
}

// While a reader keeps what was erased from going, an erasure in a store that others write to is answered all the same, and the scrub
// counts as pending until it is done.
func TestScrubOfABusyStoreIsNotWaitedFor(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 1)
		fillCustomers(t, store, 1, 200)
		reading, end := make(chan struct{}), make(chan struct{})
		var reader sync.WaitGroup
		reader.Go(func() {
			err := store.Read(t.Context(), 1, func(tx *db.Tx) error {
				err := tx.Row("SELECT count(*) FROM customers WHERE tenant_id = $1", []any{tx.Tenant}, new(int64))
				close(reading)
				<-end
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
		<-reading
		since := store.Observe()
		write := func(run func(tx *db.Tx)) {
			t.Helper()
			if err := store.Write(t.Context(), 1, func(tx *db.Tx) error { run(tx); return nil }); err != nil {
				t.Fatal(err)
			}
		}
		write(func(tx *db.Tx) {
			tx.Queue("UPDATE customers SET email = 'x' || id::TEXT, email_key = 'x' || id::TEXT, search = '' WHERE tenant_id = $1", tx.Tenant)
			tx.RequestScrub("customers")
		})
		for i := range 30 {
			write(func(tx *db.Tx) {
				tx.Queue("UPDATE customers SET orders_count = $2 WHERE tenant_id = $1", tx.Tenant, i)
			})
		}
		began := time.Now()
		store.ScrubSoon(t.Context(), since)
		t.Logf("it gave up after %s", time.Since(began)) // the reader ends after it: it does not wait for that
		if n, err := store.PendingScrubs(t.Context()); n != 1 || err != nil {
			t.Errorf("%d are pending, %v", n, err)
		}
		close(end)
		reader.Wait()
		store.ScrubSoon(t.Context(), store.Observe()) // a quiet store
		if n, err := store.PendingScrubs(t.Context()); n != 0 || err != nil {
			t.Errorf("%d are pending in a quiet store, %v", n, err)
		}
		if found := holds(t, store, "wilhelmine"); len(found) > 0 {
			t.Errorf("still in %v", found)
		}
	})
}
