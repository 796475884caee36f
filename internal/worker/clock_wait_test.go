package worker

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// While operations on endpoints wait for the account's clock, deliveries continue: no transaction that has locked a
// queue waits for the clock. On SQLite there is one writer, and nothing to wait for.
func TestDeliveriesGoOnWhileOperationsWaitForTheClock(t *testing.T) {
	store := dbtest.Open(t, db.Config{URL: dbtest.StoreURL(t), Pool: 24})
	s := newShop(t, store)
	open := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-open:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	plain, _ := s.endpoint(server.URL + "/plain")
	inOrder, _ := s.endpoint(server.URL+"/ordered", ordered)
	w := s.start()
	const n = 20
	s.emit(n, each)
	dbtest.Until(t, "they are dispatched, and first attempts under way", func() bool {
		served := w.queue(webhooks.Queue{Tenant: s.tenant, Endpoint: inOrder.ID}) != nil
		return served && s.counts0(plain).Pending == n && s.counts0(inOrder).Pending == n
	})
	held, release := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	write := func(run func(tx *db.Tx) error) {
		all.Go(func() {
			if err := store.Write(t.Context(), s.tenant, run); err != nil {
				t.Error(err)
			}
		})
	}
	write(func(tx *db.Tx) error {
		if err := tx.LockClock(); err != nil {
			return err
		}
		close(held)
		<-release
		return nil
	})
	<-held
	for _, e := range []*webhooks.Endpoint{plain, inOrder} {
		write(func(tx *db.Tx) error {
			r, err := webhooks.NewReplay(tx, webhooks.Replay{Endpoint: e.ID, To: tx.Micros()})
			if err == nil {
				_, _, err = r.Run(tx)
			}
			return err
		})
		write(func(tx *db.Tx) error {
			webhooks.Test(tx, e, records.EventOf("order.updated", "", []byte(`{}`)))
			return nil
		})
	}
	write(func(tx *db.Tx) error { // an erasure: it emits an event in the same transaction
		webhooks.Record(tx, records.EventOf(webhooks.CustomerErased, "c", []byte(`{}`)))
		return webhooks.ForgetAnswers(tx, []string{"r1"})
	})
	dbtest.Until(t, "five wait for the clock", func() (waiting bool) {
		s.read(func(tx *db.Tx) error {
			return tx.Row(`SELECT count(*) = 5 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
				AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`, nil, &waiting)
		})
		return waiting
	})
	close(open)
	dbtest.Until(t, "what was dispatched is delivered and settled", func() bool {
		return s.counts0(plain).Delivered == n && s.counts0(inOrder).Delivered == n
	})
	close(release)
	all.Wait()
	dbtest.Until(t, "the replays and test events as well", func() bool {
		return s.counts0(plain).Delivered == 2*n+2 && s.counts0(inOrder).Delivered == 2*n+2
	})
	s.counts(plain)
	s.counts(inOrder)
}
