package commerce

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/apperr"
	"entrepot/internal/audit"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
)

// MaxBulkOrders is how many orders one job changes at most.
const MaxBulkOrders = 10_000

// bulkSlice is how long a bulk job runs before other waiting jobs get their turn.
const bulkSlice = 2 * time.Second

// bulkInput is the input of a bulk job, and its caller, whose rights were checked when the job was requested, with that request.
type bulkInput struct {
	To      orders.Status `json:"to"`
	User    id.User       `json:"user,omitempty"`
	Key     id.Key        `json:"key,omitempty"`
	Name    string        `json:"name,omitempty"` // of the user or the key
	Request string        `json:"request,omitempty"`
	Note    string        `json:"note,omitempty"`
	Restock bool          `json:"restock,omitempty"`
}

// BulkDraft is a caller's request to change the status of some orders. SHIPPED ships all that remains of each.
type BulkDraft struct {
	To      orders.Status
	Note    string
	Restock bool         // with RETURNED: what was shipped is on hand again
	Orders  []jobs.Order // id and number of each
}

// MoveOrders queues a job that changes the status of orders one by one, each in its own transaction, and reports the
// outcome of each. Errors: Invalid without orders or with more than MaxBulkOrders.
func (s *Service) MoveOrders(tx *db.Tx, who accounts.Caller, d BulkDraft) (jobs.Job, error) {
	switch n := len(d.Orders); {
	case n == 0:
		return jobs.Job{}, apperr.New(apperr.Invalid, "no_orders", "no order is chosen")
	case n > MaxBulkOrders:
		return jobs.Job{}, apperr.New(apperr.Invalid, "too_many_orders", "%d orders are chosen, at most %d can be moved at once", n,
			MaxBulkOrders)
	}
	input, err := json.Marshal(bulkInput{d.To, who.User, who.Key, who.Name, tx.Author().Request, d.Note, d.Restock})
	if err != nil {
		return jobs.Job{}, err
	}
	job := jobs.Insert(tx, jobs.Job{Type: jobs.OrderBulk, Total: int64(len(d.Orders)), Input: string(input)})
	jobs.InsertOrders(tx, job.ID, d.Orders)
	audit.Record(tx, who.Actor(), "orders.moved", "job", string(job.ID), map[string]string{"to": string(d.To)})
	return job, nil
}

// BulkTarget is the status to which a bulk job changes its orders.
func BulkTarget(job jobs.Job) orders.Status {
	var in bulkInput
	_ = json.Unmarshal([]byte(job.Input), &in)
	return in.To
}

// RunOrderBulk continues a bulk job for some seconds, and ends it or releases it for the next turn. Each order is
// changed in the transaction that stores its outcome, so that it is changed once, whoever runs the job again. Errors:
// jobs.ErrLost when another node has taken the job; the store's.
func (s *Service) RunOrderBulk(ctx context.Context, store *db.DB, job jobs.Job, lease time.Duration) error {
	var in bulkInput
	if err := json.Unmarshal([]byte(job.Input), &in); err != nil {
		return err
	}
	who := accounts.Caller{Tenant: job.Tenant, User: in.User, Key: in.Key, Name: in.Name}
	store = store.By(who.Author(in.Request, ""))
	started := time.Now() // time on this machine, independent of the store's clock
	for ctx.Err() == nil && time.Since(started) < bulkSlice {
		var next []jobs.Order
		err := store.Read(ctx, job.Tenant, func(tx *db.Tx) (err error) {
			next, err = jobs.NextOrders(tx, job.ID, 20)
			return err
		})
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return err
		}
		if len(next) == 0 {
			return store.Write(ctx, job.Tenant, func(tx *db.Tx) error { jobs.Finish(tx, job, false); return nil })
		}
		for _, o := range next {
			if err := s.moveOfBulk(context.WithoutCancel(ctx), store, who, &job, in, o, lease); err != nil {
				return err
			}
		}
	}
	return store.Write(context.WithoutCancel(ctx), job.Tenant, func(tx *db.Tx) error {
		jobs.Again(tx, job, tx.Now())
		tx.Wake(jobs.Topic)
		return nil
	})
}

// moveOfBulk changes one order and stores the outcome. A change that the order does not allow is an outcome, too.
func (s *Service) moveOfBulk(ctx context.Context, store *db.DB, who accounts.Caller, job *jobs.Job, in bulkInput, o jobs.Order,
	lease time.Duration) error {
	settle := func(tx *db.Tx, outcome jobs.Outcome, message string) jobs.Job {
		o.Outcome, o.Message = outcome, message
		o.Settle(tx)
		after := *job
		after.Processed++
		if outcome == jobs.Done {
			after.Updated++
		} else {
			after.Failed++
		}
		jobs.Advance(tx, after, lease)
		return after
	}
	after := *job
	err := store.Write(ctx, job.Tenant, func(tx *db.Tx) error {
		_, err := s.MoveOrder(tx, who, o.ID, Expected{}, Move{To: in.To, Note: in.Note, Restock: in.Restock, Source: sourceOf(who)})
		if err == nil {
			after = settle(tx, jobs.Done, "")
		}
		return err
	})
	var refused *apperr.Error
	if errors.As(err, &refused) && refused.Kind != apperr.Unavailable {
		err = store.Write(ctx, job.Tenant, func(tx *db.Tx) error {
			after = settle(tx, jobs.Refused, refused.Message)
			return nil
		})
	}
	if err == nil {
		*job = after
	}
	return err
}
