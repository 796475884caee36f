package commerce

import (
	"context"
	"errors"
	"strconv"
	"time"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// Bounds of one transaction of a bulk change, in products.
const (
	leastProducts = 16
	mostProducts  = 128
)

// RunProductBulk continues a bulk change for some seconds, and ends or releases it. The outcomes of some products, the
// products and their events are one transaction, so that each is changed once, whoever runs the job again. Errors:
// jobs.ErrLost when another node has taken the job, or when it was paused or stopped; the store's.
func (s *Service) RunProductBulk(ctx context.Context, store *db.DB, job jobs.Job, lease time.Duration) error {
	in := readProductBulk(job)
	run := &productRun{s: s, job: job, in: in, lease: lease, store: store.By(in.who(job.Tenant).Author(in.Request, ""))}
	run.batch = store.NewBatchSize(leastProducts, mostProducts)
	started := time.Now() // time on this machine, independent of the store's clock
	for ctx.Err() == nil && time.Since(started) < bulkSlice {
		items, err := run.next(ctx)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return err
		}
		if len(items) == 0 {
			return store.Write(ctx, job.Tenant, func(tx *db.Tx) error { jobs.Finish(tx, run.job, false); return nil })
		}
		if err := run.change(context.WithoutCancel(ctx), items); err != nil {
			return err
		}
	}
	return store.Write(context.WithoutCancel(ctx), job.Tenant, func(tx *db.Tx) error {
		jobs.Again(tx, run.job, tx.Now())
		tx.Wake(jobs.Topic)
		return nil
	})
}

// productRun is a bulk change while a worker runs it.
type productRun struct {
	s     *Service
	store *db.DB
	job   jobs.Job
	in    productBulk
	lease time.Duration
	batch *db.BatchSize
}

// next reads the next products of the job. The cursor is the last product or, of a job that undoes another, the
// position of the last outcome.
func (r *productRun) next(ctx context.Context) (items []bulkItem, err error) {
	err = r.store.Read(ctx, r.job.Tenant, func(tx *db.Tx) error {
		items = nil
		if r.in.Undo == "" {
			ids, err := r.in.next(tx, id.Product(r.job.Cursor), r.batch.Size)
			for _, product := range ids {
				items = append(items, bulkItem{product: product})
			}
			return err
		}
		after, err := strconv.ParseInt(r.job.Cursor, 10, 64)
		if err != nil {
			after = -1 // nothing is done yet
		}
		list, err := jobs.NextProducts(tx, r.in.Undo, jobs.Done, after, r.batch.Size)
		for i := range list {
			items = append(items, bulkItem{product: list[i].ID, undo: &list[i]})
		}
		return err
	})
	return items, err
}

// change changes some products in one transaction. If the store refuses them, each is changed by itself, and those that
// are refused again are reported.
func (r *productRun) change(ctx context.Context, items []bulkItem) error {
	err := r.settle(ctx, items, "")
	var refused *apperr.Error
	if !errors.As(err, &refused) || refused.Kind == apperr.Unavailable {
		return err
	}
	if len(items) == 1 {
		return r.settle(ctx, items, refused.Message)
	}
	for i := range items {
		if err := r.change(ctx, items[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// settle changes some products, or refuses them for a reason, and stores their outcomes and the progress of the job.
func (r *productRun) settle(ctx context.Context, items []bulkItem, refused string) error {
	after := r.job
	_, err := timed(ctx, r.store, r.job.Tenant, r.batch, func(tx *db.Tx) (bool, error) {
		outcomes, err := r.apply(tx, items, refused)
		if err != nil {
			return false, err
		}
		after = r.advanced(items, outcomes)
		jobs.InsertProducts(tx, r.job.ID, r.job.Processed, outcomes)
		jobs.Advance(tx, after, r.lease)
		return true, nil
	})
	if err == nil {
		r.job = after
	}
	return err
}

func (r *productRun) apply(tx *db.Tx, items []bulkItem, refused string) ([]jobs.Product, error) {
	who := r.in.who(r.job.Tenant)
	plan, err := r.s.planProducts(tx, who, r.in.change(), items)
	if err != nil {
		return nil, err
	}
	if refused == "" {
		return plan.outcomes, plan.apply(tx, who)
	}
	for i := range plan.outcomes {
		plan.outcomes[i].Refuse(refused)
	}
	return plan.outcomes, nil
}

// advanced is the job after some more outcomes.
func (r *productRun) advanced(items []bulkItem, outcomes []jobs.Product) jobs.Job {
	after := r.job
	last := items[len(items)-1]
	after.Cursor = string(last.product)
	if last.undo != nil {
		after.Cursor = strconv.FormatInt(last.undo.Position, 10)
	}
	for i := range outcomes {
		after.Processed++
		switch outcomes[i].Outcome {
		case jobs.Done:
			after.Updated++
		case jobs.Refused:
			after.Failed++
		}
	}
	return after
}
