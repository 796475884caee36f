package commerce

import (
	"cmp"
	"context"
	"errors"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/unfinished"
)

// Bounds of a step, in orders; of other things it takes textsAtOnce times as many. The least is some milliseconds of work: with fewer, the
// cost of the transactions would outweigh it on a busy machine, where each takes long whatever it does.
const (
	leastAtOnce = 32
	mostAtOnce  = 128
	textsAtOnce = 8
)

// ordersAtOnce are how many orders one transaction erases, deletes or moves.
const ordersAtOnce = 64

// restOfSteps is after how long without a step an operation counts as interrupted.
const restOfSteps = 10 * time.Second

func (s *Service) atOnce() int { return cmp.Or(s.AtOnce, ordersAtOnce) }

func (s *Service) newStride(store *db.DB) *db.Stride {
	return store.NewStride(max(1, min(leastAtOnce, s.atOnce())), mostAtOnce)
}

// errEnded is the error of a step when the operation has ended, or had ended before it was to begin.
var errEnded = errors.New("commerce: the operation has ended")

// orEnded is nil for an operation that has ended.
func orEnded(err error) error {
	if errors.Is(err, errEnded) {
		return nil
	}
	return err
}

// oneStep runs a transaction that does some of an operation, whose row it locks first, so that several processes may do steps of it. do
// says whether there was anything to do; then the row says so, too. Errors: errEnded; those of do.
func oneStep[T any, P interface {
	*T
	Save(tx db.Writer)
}](ctx context.Context, store *db.DB, tenant id.Tenant, stride *db.Stride, lock func(tx *db.Tx) (P, error),
	do func(tx *db.Tx, begun P) (bool, error)) (more bool, err error) {
	return timed(ctx, store, tenant, stride, func(tx *db.Tx) (bool, error) {
		begun, err := lock(tx)
		if err == nil && begun == nil {
			err = errEnded
		}
		if err != nil {
			return false, err
		}
		more, err := do(tx, begun)
		if err == nil && more {
			begun.Save(tx)
		}
		return more, err
	})
}

// timed runs a transaction that does some of what is to be done, and if there is more, lets others have their turn.
func timed(ctx context.Context, store *db.DB, tenant id.Tenant, stride *db.Stride,
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
		stride.Next(ctx, took)
	}
	return more, err
}

// before does in short transactions what the transaction of an operation would do otherwise: something that makes no difference if the
// operation is refused then, or never comes. do gets the place behind which a step begins, the zero value at first, and its size in
// orders; it returns where the step ended, the zero value if nothing is left.
func before[P comparable](ctx context.Context, s *Service, store *db.DB, tenant id.Tenant,
	do func(tx *db.Tx, last P, orders int) (to P, err error)) error {
	stride := s.newStride(store)
	var none, last P
	for {
		to := none
		more, err := timed(ctx, store, tenant, stride, func(tx *db.Tx) (_ bool, err error) {
			to, err = do(tx, last, stride.Size)
			return to != none, err
		})
		if err != nil || !more {
			return err
		}
		last = to
	}
}

// operation is an unfinished one of which this process does steps.
type operation struct {
	store   *db.DB
	tenant  id.Tenant
	kind    unfinished.Kind
	subject string
	stride  *db.Stride
}

// step is oneStep of the operation.
func (o *operation) step(ctx context.Context, do func(tx *db.Tx, begun *unfinished.Operation) (bool, error)) (more bool, err error) {
	return oneStep(ctx, o.store, o.tenant, o.stride,
		func(tx *db.Tx) (*unfinished.Operation, error) { return unfinished.Lock(tx, o.kind, o.subject) }, do)
}

// each does steps until nothing is left to do.
func (o *operation) each(ctx context.Context, do func(tx *db.Tx) (bool, error)) error {
	for {
		more, err := o.step(ctx, func(tx *db.Tx, _ *unfinished.Operation) (bool, error) { return do(tx) })
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
		more, err := o.step(ctx, func(tx *db.Tx, begun *unfinished.Operation) (bool, error) {
			left := after(list, id.Order(begun.DoneTo))
			if len(left) == 0 {
				return false, nil
			}
			left = left[:min(len(left), o.stride.Size)]
			begun.DoneTo = string(left[len(left)-1])
			return true, do(tx, left)
		})
		if err != nil || !more {
			return err
		}
	}
}

// end does the last step.
func (o *operation) end(ctx context.Context, do func(tx *db.Tx) error) error {
	_, err := o.step(ctx, func(tx *db.Tx, begun *unfinished.Operation) (bool, error) {
		begun.End(tx)
		return false, do(tx)
	})
	return err
}

// ContinueSteps ends the operations in steps of all accounts that were interrupted: those that nobody has continued for some seconds, or
// all if this is the only process and begins.
func (s *Service) ContinueSteps(ctx context.Context, store *db.DB, all bool) error {
	var erasures []customers.Erasing
	var others []unfinished.Operation
	err := store.Peek(ctx, db.Across, func(tx *db.Tx) (err error) {
		until := tx.Micros() + 1
		if !all {
			until -= restOfSteps.Microseconds()
		}
		if erasures, err = customers.LeftErasings(tx, until); err == nil {
			others, err = unfinished.Left(tx, until)
		}
		return err
	})
	for _, one := range erasures {
		err = errors.Join(err, s.EraseCustomer(ctx, store, accounts.Caller{Tenant: one.Tenant}, one.Customer, nil))
	}
	for _, one := range others {
		switch one.Kind {
		case unfinished.ChannelDeletion:
			err = errors.Join(err, s.FinishChannelDeletion(ctx, store, one.Tenant, id.Channel(one.Subject)))
		case unfinished.CustomerMerge:
			err = errors.Join(err, s.finishMerge(ctx, store, one.Tenant, id.Customer(one.Subject)))
		case unfinished.CategoryArrival, unfinished.CategoryDeletion, unfinished.CategoryRenaming:
			err = errors.Join(err, s.finishCategory(ctx, store, one.Tenant, one.Kind, id.Category(one.Subject)))
		case unfinished.WarehouseEmptied:
			err = errors.Join(err, s.FinishWarehouse(ctx, store, one.Tenant, id.Warehouse(one.Subject)))
		case unfinished.ItemsForgotten, unfinished.ItemsDue, unfinished.ItemsLooked:
			err = errors.Join(err, s.finishItems(ctx, store, one.Tenant, id.Channel(one.Subject), one.Kind))
		}
	}
	return err
}
