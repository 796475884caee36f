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
	endpoint, counts, counted := id.New[id.Endpoint](), Counts{}, figures{}
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
		counts.add(d.State, 1)
		counted.move(endpoint, d.Position, d.Name, in(d.State), 1)
		all = append(all, d)
	}
	err := store.Write(t.Context(), tenant, func(tx *db.Tx) error {
		for _, d := range all {
			tx.Queue(`INSERT INTO deliveries (tenant_id, endpoint_id, position, id, event_id, event_stamp, event, resource_id, ordered, by_hand,
				state, attempts, due_at) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,FALSE,FALSE,$9,1,$10)`, tx.Tenant, d.Endpoint, d.Position, d.ID, d.Event,
				d.EventStamp, d.Name, d.Resource, d.State, db.Null(d.DueAt))
		}
		tx.Queue(newQueue, tx.Tenant, endpoint, counts.Pending, counts.Delivered, counts.Failed)
		counted.store(tx.Queue, tx.Tenant)
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

// fits is what a program would choose that looks at every delivery.
func (f *Filter) fits(d *Delivery) bool {
	return (f.State == "" || d.State == f.State) && (f.Event == "" || d.Name == f.Event) && (f.Resource == "" || d.Resource == f.Resource) &&
		d.Position >= f.From && (f.To == 0 || d.Position <= f.To)
}

// Every page of an endpoint's deliveries, whatever is asked for, has what fits at its place, and the total is exact.
func TestPagesOfAnEndpointsDeliveries(t *testing.T) {
	dbtest.Long(t, "hundreds of pages are read")
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		tenant, other := dbtest.Account(t, store), dbtest.Account(t, store)
		const n = 400
		all := spreadDeliveries(t, store, tenant, n, anyState())
		spreadDeliveries(t, store, other, 20, anyState())
		dice := rand.New(rand.NewPCG(5, 6))
		for try := range 300 {
			f := Filter{Endpoint: all[0].Endpoint, Limit: 1 + dice.IntN(25), State: append([]State{""}, States...)[dice.IntN(4)],
				Event:    []string{"", OrderReceived, StockUpdated, OrderReturned, OrderShipped}[dice.IntN(5)],
				Resource: []string{"", "", "", "r2"}[dice.IntN(4)]}
			f.Offset = f.Limit * dice.IntN(4)
			if dice.IntN(4) == 0 {
				f.Offset = dice.IntN(n)
			}
			if dice.IntN(2) == 0 {
				f.From, f.To = all[dice.IntN(n)].Position, all[dice.IntN(n)].Position+dice.Int64N(2)
			}
			if dice.IntN(8) == 0 {
				f.To = 0
			}
			var want []id.Delivery
			for i := range all {
				if f.fits(&all[i]) {
					want = append(want, all[i].ID)
				}
			}
			total := int64(len(want))
			want = want[min(f.Offset, len(want)):]
			want = want[:min(f.Limit, len(want))]
			var got []id.Delivery
			err := store.Read(t.Context(), tenant, func(tx *db.Tx) error {
				list, sum, err := Deliveries(tx, f)
				if sum != total {
					t.Errorf("%d: %+v: %d match, not %d", try, f, sum, total)
				}
				got = got[:0]
				for _, d := range list {
					got = append(got, d.ID)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d: %+v: a page of %d, not of %d, or of others", try, f, len(got), len(want))
			}
		}
	})
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
