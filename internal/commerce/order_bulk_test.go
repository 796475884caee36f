package commerce_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
)

// A bulk job changes each of its orders once, however often it is interrupted and whichever node continues it, and
// reports the outcome of each. An order that refuses the change does not stop the others.
func TestBulkMovesEachOrderOnce(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store, 1)
		var chosen []jobs.Order
		for i := range 12 {
			d := s.draft("", map[int]int64{0: 2})
			d.Status = []orders.Status{orders.Processing, orders.Processing, orders.Pending}[i%3]
			o := s.create(t, d)
			chosen = append(chosen, jobs.Order{ID: o.ID, Number: o.Number})
		}
		var job jobs.Job
		if err := s.write(t, func(tx *db.Tx) (err error) {
			job, err = s.do.MoveOrders(tx, s.who, commerce.BulkDraft{To: orders.Shipped, Orders: chosen})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		claim := func(now time.Duration) (list []jobs.Job) {
			if err := store.Write(t.Context(), db.Across, func(tx *db.Tx) (err error) {
				list, err = jobs.Claim(tx, 1, now)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			return list
		}
		held := claim(-time.Second)[0] // its lease is over at once: two nodes have it
		other := claim(time.Minute)[0]
		if err := s.do.RunOrderBulk(t.Context(), store, held, time.Minute); err != jobs.ErrLost {
			t.Errorf("who has lost the job goes on: %v", err)
		}
		stopped, stop := context.WithCancel(t.Context())
		stop()
		if err := s.do.RunOrderBulk(stopped, store, other, time.Minute); err != nil { // given back before its first order
			t.Fatal(err)
		}
		if err := s.do.RunOrderBulk(t.Context(), store, claim(time.Minute)[0], time.Minute); err != nil {
			t.Fatal(err)
		}
		if list := claim(time.Minute); len(list) != 0 {
			t.Errorf("the job is due again: %+v", list)
		}
		err := store.Read(t.Context(), s.who.Tenant, func(tx *db.Tx) error {
			job, err := jobs.ByID(tx, job.ID)
			if err != nil || job.Status != jobs.CompletedWithErrors || job.Processed != 12 || job.Updated != 8 || job.Failed != 4 {
				t.Errorf("%+v, %v", job, err)
			}
			list, total, err := jobs.Report(tx, job.ID, "", 100, 0)
			if err != nil || total != 12 {
				t.Fatal(total, err)
			}
			for i, r := range list {
				o, err := orders.ByID(tx, r.ID)
				if err != nil {
					return err
				}
				pending := i%3 == 2
				want := jobs.Order{Job: job.ID, Position: int64(i), ID: chosen[i].ID, Number: chosen[i].Number, Outcome: jobs.Done}
				if pending {
					want.Outcome, want.Message = jobs.Refused, "an order cannot go from PENDING to SHIPPED"
				} else if len(o.Shipments) == 1 {
					want.Message = string(o.Shipments[0].ID) // by which it can be undone
				}
				if r != want || !pending && (len(o.Shipments) != 1 || o.Status != orders.Shipped) || pending && o.Status != orders.Pending {
					t.Errorf("%d: %+v; %s with %d shipments", i, r, o.Status, len(o.Shipments))
				}
			}
			_, refused, err := jobs.Report(tx, job.ID, jobs.Refused, 1, 0)
			if refused != 4 {
				t.Errorf("%d refused", refused)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// A bulk job has at least one order, and no more than the bound.
func TestBulkBounds(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		s := newShop(t, store, 0)
		for n, want := range map[int]string{0: "no order is chosen", commerce.MaxBulkOrders: "", commerce.MaxBulkOrders + 1: "at most 10000"} {
			err := s.write(t, func(tx *db.Tx) error {
				list := make([]jobs.Order, n)
				for i := range list {
					list[i].ID = id.New[id.Order]()
				}
				_, err := s.do.MoveOrders(tx, s.who, commerce.BulkDraft{To: orders.Cancelled, Orders: list})
				return err
			})
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%d orders: %v", n, err)
			}
		}
	})
}
