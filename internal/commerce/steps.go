package commerce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// Bounds of a step, in orders; of other things it takes textsAtOnce times as many. The least is some milliseconds of
// work: with fewer, the cost of the transactions would outweigh it on a busy machine.
const (
	leastAtOnce = 32
	mostAtOnce  = 128
	textsAtOnce = 8
)

// ordersAtOnce are how many orders one transaction erases, deletes or moves.
const ordersAtOnce = 64

func (s *Service) atOnce() int { return cmp.Or(s.AtOnce, ordersAtOnce) }

func (s *Service) newBatchSize(store *db.DB) *db.BatchSize {
	return store.NewBatchSize(max(1, min(leastAtOnce, s.atOnce())), mostAtOnce)
}

// errEnded is the error of a step when the operation has ended, or had ended before it was to begin.
var errEnded = errors.New("commerce: the operation has ended")

// orEnded turns errEnded into nil.
func orEnded(err error) error {
	if errors.Is(err, errEnded) {
		return nil
	}
	return err
}

// timed runs a transaction that does a part of the work. If more is left, it pauses for other writers.
func timed(ctx context.Context, store *db.DB, tenant id.Tenant, batch *db.BatchSize,
	do func(tx *db.Tx) (bool, error)) (more bool, err error) {
	var took time.Duration
	err = store.WriteBulk(ctx, tenant, func(tx *db.Tx) error {
		started := time.Now()
		if more, err = do(tx); err == nil && more {
			err = tx.Flush()
		}
		took = time.Since(started)
		return err
	})
	if err == nil && more {
		batch.Next(ctx, took)
	}
	return more, err
}

// before does harmless parts of an operation ahead of it, in short transactions; the operation may still be refused,
// or never come. do receives the position behind which a step begins, the zero value at first, and its size in
// orders; it returns the position at which the step ended, the zero value if nothing is left.
func before[P comparable](ctx context.Context, s *Service, store *db.DB, tenant id.Tenant,
	do func(tx *db.Tx, last P, orders int) (to P, err error)) error {
	batch := s.newBatchSize(store)
	var none, last P
	for {
		to := none
		more, err := timed(ctx, store, tenant, batch, func(tx *db.Tx) (_ bool, err error) {
			to, err = do(tx, last, batch.Size)
			return to != none, err
		})
		if err != nil || !more {
			return err
		}
		last = to
	}
}

// operation is a job of jobs.Operations whose steps this process does.
type operation struct {
	store   *db.DB
	tenant  id.Tenant
	kind    jobs.Type
	subject string
	batch   *db.BatchSize
}

func (s *Service) operation(store *db.DB, tenant id.Tenant, kind jobs.Type, subject string) *operation {
	return &operation{store: store, tenant: tenant, kind: kind, subject: subject, batch: s.newBatchSize(store)}
}

// step does some of the operation in one transaction. The transaction locks the job first, so that several processes
// may do steps. do returns whether there was anything to do; if there was, step stores the job's input and cursor.
// Errors: errEnded; those of do.
func (o *operation) step(ctx context.Context, do func(tx *db.Tx, begun *jobs.Job) (bool, error)) (more bool, err error) {
	return timed(ctx, o.store, o.tenant, o.batch, func(tx *db.Tx) (bool, error) {
		begun, err := jobs.LockOperation(tx, o.kind, o.subject)
		if err == nil && begun == nil {
			err = errEnded
		}
		if err != nil {
			return false, err
		}
		more, err := do(tx, begun)
		if err == nil && more {
			begun.StepDone(tx)
		}
		return more, err
	})
}

// each does steps until nothing is left to do.
func (o *operation) each(ctx context.Context, do func(tx *db.Tx) (bool, error)) error {
	for {
		more, err := o.step(ctx, func(tx *db.Tx, _ *jobs.Job) (bool, error) { return do(tx) })
		if err != nil || !more {
			return err
		}
	}
}

// orders does steps with some of the orders of a sorted list, behind those that are done.
func (o *operation) orders(ctx context.Context, list []id.Order, before func() error, do func(tx *db.Tx, some []id.Order) error) error {
	for {
		if err := before(); err != nil {
			return err
		}
		more, err := o.step(ctx, func(tx *db.Tx, begun *jobs.Job) (bool, error) {
			left := after(list, id.Order(begun.Cursor))
			if len(left) == 0 {
				return false, nil
			}
			left = left[:min(len(left), o.batch.Size)]
			begun.Cursor = string(left[len(left)-1])
			return true, do(tx, left)
		})
		if err != nil || !more {
			return err
		}
	}
}

// end does the last step.
func (o *operation) end(ctx context.Context, do func(tx *db.Tx) error) error {
	_, err := o.step(ctx, func(tx *db.Tx, begun *jobs.Job) (bool, error) {
		begun.LastStepDone(tx)
		return false, do(tx)
	})
	return err
}

// RunOperation goes on with an operation that was interrupted, from its cursor to its end. It returns nil if another
// process has ended the operation meanwhile.
func (s *Service) RunOperation(ctx context.Context, store *db.DB, job jobs.Job) error {
	switch job.Type {
	case jobs.CustomerErasure:
		return s.EraseCustomer(ctx, store, accounts.Caller{Tenant: job.Tenant}, id.Customer(job.Subject), nil)
	case jobs.CustomerMerge:
		return s.finishMerge(ctx, store, job.Tenant, id.Customer(job.Subject))
	case jobs.ChannelDeletion:
		return s.FinishChannelDeletion(ctx, store, job.Tenant, id.Channel(job.Subject))
	case jobs.CategoryArrival, jobs.CategoryDeletion, jobs.CategoryRenaming:
		return s.finishCategory(ctx, store, job.Tenant, job.Type, id.Category(job.Subject))
	case jobs.WarehouseEmptied:
		return s.FinishWarehouse(ctx, store, job.Tenant, id.Warehouse(job.Subject))
	case jobs.ItemsForgotten, jobs.ItemsDue, jobs.ItemsLookedAt:
		return s.finishItems(ctx, store, job.Tenant, id.Channel(job.Subject), job.Type)
	}
	return fmt.Errorf("commerce: %s is no operation", job.Type)
}
