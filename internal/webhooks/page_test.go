package webhooks

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"entrepot/internal/base/id"
	"entrepot/internal/base/spans"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// spreadDeliveries gives an account an endpoint with n deliveries over some days, many in one moment and others hours apart, and their
// figures. They come back newest first.
func spreadDeliveries(t *testing.T, store *db.DB, tenant id.Tenant, n int, state func(i int) State) (all []Delivery) {
	t.Helper()
	dice := rand.New(rand.NewPCG(3, 4))
	endpoint := id.New[id.Endpoint]()
	position := 20_000 * spans.Widths[spans.Days]
	for i := range n {
		position += []int64{1, 1, 1, 3_000_000, 40_000_000, 1_900_000_000, 30_000_000_000}[dice.IntN(7)]
		d := Delivery{ID: id.New[id.Delivery](), Endpoint: endpoint, Position: position, Event: id.New[id.Event](),
			Name: []string{OrderReceived, StockUpdated}[min(1, dice.IntN(5))], Resource: fmt.Sprint("r", dice.IntN(9)),
			State: state(i), Attempts: 1}
		if i%97 == 0 {
			d.Name = OrderReturned // a rare one
		}
		if d.State == Pending {
			d.DueAt = 5_000
		}
		d.EventStamp = d.Position
		all = append(all, d)
	}
	err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
		storeDeliveries(tx, all)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(all)
	return all
}

// anyState gives each state by turns that follow no rule.
func anyState() func(int) State {
	dice := rand.New(rand.NewPCG(7, 8))
	return func(int) State { return States[dice.IntN(3)] }
}

// A page and its total read little more than the page holds, however many deliveries there are, how deep the page
// lies, and how rare the event is.
func TestPagesOfDeliveriesReadFewRows(t *testing.T) {
	store := dbtest.Open(t, db.Config{URL: dbtest.PlainStoreURL(t)})
	tenant := dbtest.Account(t, store)
	all := spreadDeliveries(t, store, tenant, 3000, anyState())
	if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error { _, err := tx.Exec("ANALYZE"); return err }); err != nil {
		t.Fatal(err)
	}
	span := Filter{From: all[2900].Position, To: all[100].Position}
	for name, f := range map[string]Filter{"of a rare event": {Event: OrderReturned}, "of a frequent one": {Event: StockUpdated, Offset: 900},
		"of a span": span, "deep": {Offset: 2000}, "delivered": {State: Delivered, Offset: 500}, "pending": {State: Pending, Offset: 300},
		"failed, of a span": {State: Failed, From: span.From, To: span.To}} {
		f.Endpoint, f.Limit = all[0].Endpoint, 20
		err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			before := deliveriesRead(t, tx)
			list, _, err := Deliveries(tx, f)
			if read := deliveriesRead(t, tx) - before; len(list) != 20 || read > 120 {
				t.Errorf("%s: %d deliveries were read for a page of %d", name, read, len(list))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// The few pending deliveries of an endpoint are looked up one by one, however many finished ones lie between them.
func TestFewPendingDeliveriesAreLookedUp(t *testing.T) {
	store := dbtest.Open(t, db.Config{URL: dbtest.PlainStoreURL(t)})
	tenant := dbtest.Account(t, store)
	const n = 3000
	all := spreadDeliveries(t, store, tenant, n, func(i int) State {
		if i < 5 || i == n-2 {
			return Pending
		}
		return Delivered
	})
	if err := store.Write(t.Context(), tenant, func(tx *db.Tx) error { _, err := tx.Exec("ANALYZE"); return err }); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]AcrossFilter{"all": {}, "older ones": {To: all[n/2].Position}} {
		f.State, f.Limit = Pending, 20
		err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
			before := deliveriesRead(t, tx)
			page, err := Across(tx, f)
			read := deliveriesRead(t, tx) - before
			if n := len(page.Deliveries); n < 5 || n > 6 || read > 60 {
				t.Errorf("%s: %d deliveries were read for %d", name, read, n)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// deliveriesRead is how many deliveries, and entries of their indexes, PostgreSQL has read in the transaction.
func deliveriesRead(t *testing.T, tx *db.Tx) (n int64) {
	t.Helper()
	err := tx.Row(`SELECT (coalesce(sum(pg_stat_get_xact_tuples_returned(c.oid)), 0)
			+ (SELECT coalesce(sum(pg_stat_get_xact_tuples_returned(i.indexrelid)), 0) FROM pg_index i
				WHERE i.indrelid = 'deliveries'::regclass))::BIGINT
		FROM pg_class c WHERE c.oid = 'deliveries'::regclass`, nil, &n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
