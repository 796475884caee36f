package commerce

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/orders"
)

// MaxBulkOrders is how many orders one job changes at most.
const MaxBulkOrders = 10_000

// bulkSlice is how long a bulk job runs before other waiting jobs run.
const bulkSlice = 2 * time.Second

// bulkInput is the input of a bulk job, with its caller, whose rights were checked when the job was requested, and
// that request.
type bulkInput struct {
	To      orders.Status `json:"to,omitempty"`
	Tagging *bulkTagging  `json:"tagging,omitempty"` // instead of To: the job tags and assigns its orders
	User    id.User       `json:"user,omitempty"`
	Key     id.Key        `json:"key,omitempty"`
	Name    string        `json:"name,omitempty"` // of the user or the key
	Request string        `json:"request,omitempty"`
	Note    string        `json:"note,omitempty"`
	Restock bool          `json:"restock,omitempty"`
	Undo    bool          `json:"undo,omitempty"` // the shipments of another job are deleted
}

// parcel is the tracking of an order that waits to be shipped by a bulk job.
type parcel struct {
	Carrier string `json:"carrier,omitempty"`
	Number  string `json:"number,omitempty"`
}

// Tracked is an order of a bulk job that is shipped with tracking.
func Tracked(o jobs.Order, carrier, number string) jobs.Order {
	text, err := json.Marshal(parcel{carrier, number})
	if err != nil {
		panic(err) // strings always encode
	}
	o.Message = string(text)
	return o
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
	return s.insertBulk(tx, who, bulkInput{To: d.To, Note: d.Note, Restock: d.Restock}, d.Orders)
}

// UndoShipped queues a job that deletes the shipments that a bulk job has made. Errors: NotFound; Invalid if it has
// made none.
func (s *Service) UndoShipped(tx *db.Tx, who accounts.Caller, shipped id.Job) (jobs.Job, error) {
	made, err := jobs.ByID(tx, shipped)
	if err != nil {
		return jobs.Job{}, err
	}
	if made.Type != jobs.OrderBulk || !BulkShips(made) {
		return jobs.Job{}, apperr.Missing("job")
	}
	list, _, err := jobs.Report(tx, shipped, jobs.Done, MaxBulkOrders, 0)
	if err == nil && len(list) == 0 {
		err = apperr.New(apperr.Invalid, "no_orders", "no order was shipped")
	}
	if err != nil {
		return jobs.Job{}, err
	}
	for i := range list {
		list[i].Outcome = "" // the message is the shipment
	}
	return s.insertBulk(tx, who, bulkInput{To: orders.Processing, Undo: true}, list)
}

// BulkShips reports whether a bulk job ships its orders, which can be undone.
func BulkShips(job jobs.Job) bool {
	var in bulkInput
	_ = json.Unmarshal([]byte(job.Input), &in)
	return in.To == orders.Shipped
}

// BulkUndoes reports whether a bulk job deletes the shipments of another.
func BulkUndoes(job jobs.Job) bool {
	var in bulkInput
	_ = json.Unmarshal([]byte(job.Input), &in)
	return in.Undo
}

// insertBulk queues a bulk job of a caller. Errors: Invalid without orders or with more than MaxBulkOrders.
func (s *Service) insertBulk(tx *db.Tx, who accounts.Caller, in bulkInput, list []jobs.Order) (jobs.Job, error) {
	switch n := len(list); {
	case n == 0:
		return jobs.Job{}, apperr.New(apperr.Invalid, "no_orders", "no order is chosen")
	case n > MaxBulkOrders:
		return jobs.Job{}, apperr.New(apperr.Invalid, "too_many_orders", "%d orders are chosen, at most %d can be changed at once", n,
			MaxBulkOrders)
	}
	in.User, in.Key, in.Name, in.Request = who.User, who.Key, who.Name, tx.Author().Request
	input, err := json.Marshal(in)
	if err != nil {
		return jobs.Job{}, err
	}
	job := jobs.Insert(tx, jobs.Job{Type: jobs.OrderBulk, Total: int64(len(list)), Input: string(input)})
	jobs.InsertOrders(tx, job.ID, list)
	if in.Tagging != nil { // tags may name a person
		audit.Record(tx, who.Actor(), "orders.tagged", "job", string(job.ID), nil)
		return job, nil
	}
	audit.Record(tx, who.Actor(), "orders.moved", "job", string(job.ID), map[string]string{"to": string(in.To)})
	return job, nil
}

// BulkTarget is the status to which a bulk job changes its orders.
func BulkTarget(job jobs.Job) orders.Status {
	var in bulkInput
	_ = json.Unmarshal([]byte(job.Input), &in)
	return in.To
}

// RunOrderBulk continues a bulk job for some seconds, and ends or releases it. Each order is changed in the
// transaction that stores its outcome, so that it is changed once, whoever runs the job again. Errors: jobs.ErrLost
// when another node has taken the job; the store's.
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
		settled := o // the transaction may run again, and needs the message of o then
		settled.Outcome, settled.Message = outcome, message
		settled.Settle(tx)
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
		made, err := s.bulkStep(tx, who, in, o)
		if err == nil {
			after = settle(tx, jobs.Done, string(made))
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

// bulkStep changes one order, and returns the shipment that it made, "" for none.
func (s *Service) bulkStep(tx *db.Tx, who accounts.Caller, in bulkInput, o jobs.Order) (made id.Shipment, err error) {
	if in.Undo {
		_, err := s.UnshipOrder(tx, who, o.ID, Expected{}, id.Shipment(o.Message))
		return "", err
	}
	if in.Tagging != nil {
		return "", s.TagOrder(tx, who, o.ID, in.Tagging.tagging())
	}
	move := Move{To: in.To, Note: in.Note, Restock: in.Restock, Source: sourceOf(who)}
	var p parcel
	if json.Unmarshal([]byte(o.Message), &p) == nil {
		move.Draft.Carrier, move.Draft.TrackingNumber = p.Carrier, p.Number
	}
	order, err := holdOrder(tx, o.ID, Expected{})
	if err != nil {
		return "", err
	}
	before := len(order.Shipments)
	if err = s.moveOrder(tx, who, order, move); err == nil && len(order.Shipments) > before {
		made = order.Shipments[before].ID
	}
	return made, err
}
