package fileimport

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/disk"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/importer"
	"entrepot/internal/imports"
	"entrepot/internal/jobs"
	nouns "entrepot/internal/orders"
	"entrepot/internal/records"
)

// Runner does the jobs of imports.
type Runner struct {
	Store    *db.DB
	Commerce *commerce.Service
}

// Sizes and bounds of a run.
const (
	listedAtOnce  = 500 // prices or levels in one transaction
	storedAtOnce  = 200 // products in one transaction, few enough not to delay others
	triedAtOnce   = 500 // a dry run only reads
	shippedAtOnce = 100 // orders to ship in one transaction
	ordersAtOnce  = 4   // orders in transactions of their own, which share commits
	mostTries     = 20  // leases of one job, some of which end because nodes restart
)

// Run continues the import of a job, and ends both. It stops early, without ending the job, when ctx ends. Errors:
// jobs.ErrLost when another node has taken the job; the store's and the disk's, after which the job may run again;
// ctx's.
func (r *Runner) Run(ctx context.Context, job jobs.Job, lease time.Duration) error {
	var i imports.Import
	err := r.Store.Read(ctx, job.Tenant, func(tx *db.Tx) (err error) {
		i, err = imports.OfJob(tx, job.ID)
		return err
	})
	if e, ok := apperr.As(err); ok && e.Kind == apperr.NotFound {
		return r.Store.Write(ctx, job.Tenant, func(tx *db.Tx) error { jobs.Finish(tx, job, true); return nil })
	}
	if err != nil {
		return err
	}
	if job.Tries > mostTries {
		return r.fail(ctx, i, job, "it was started several times and never ended")
	}
	defer collectOften()()
	t := &trial{dry: job.Type.DryRun(), asks: i.Kind == imports.Orders, jumps: importer.KeepJumps(mostDiffs)}
	k := &keeper{ctx: context.WithoutCancel(ctx), store: r.Store, i: i, job: job, lease: lease, dry: t.dry, kept: &t.kept}
	summary, err := r.importFile(ctx, k, t)
	return r.settle(context.WithoutCancel(ctx), ctx.Err(), k, t, summary, err)
}

// importFile runs the importer over a copy of the file on this node's disk.
func (r *Runner) importFile(ctx context.Context, k *keeper, t *trial) (importer.Summary, error) {
	o, err := ReadOptions(k.i)
	if err != nil {
		return importer.Summary{}, err
	}
	if err := r.begin(ctx, k); err != nil {
		return importer.Summary{}, err
	}
	file, err := Copy(ctx, r.Store, k.job.Tenant, k.i.ID)
	if err != nil {
		return importer.Summary{}, err
	}
	defer file.Close()
	options := o.importer(k.i.Kind, file.Open, k.i.Name)
	options.Keeper, options.OnFault, options.Now, options.Concurrency = k, k.note, r.Store.Now, 1
	options.DryRun, options.Batch = k.dry, storedAtOnce
	who, err := r.caller(ctx, k)
	if err != nil {
		return importer.Summary{}, err
	}
	to := &catalog{store: r.Store.By(who.Author("", "")), commerce: r.Commerce, who: who, of: k.i.ID, trial: t}
	options.Catalog, options.Lists = to, to
	switch {
	case k.i.Kind == imports.Prices, k.i.Kind == imports.Stock:
		options.Batch = listedAtOnce
	case k.i.Kind == imports.Shipments:
		options.Shipper, options.CarrierOf, options.Batch = to, nouns.CarrierOf, shippedAtOnce
	case k.i.Kind == imports.Orders:
		t.creates = o.CreateMissing
		options.Shop, options.Batch, options.OnNew = &shop{to}, 0, t.noteOrder
		if !k.dry {
			options.Concurrency = ordersAtOnce
		}
	case k.dry:
		options.Batch = triedAtOnce
	}
	return importer.Run(ctx, options)
}

// caller is the user for whom the file is imported, with the currency and the settings of the account as they are now.
func (r *Runner) caller(ctx context.Context, k *keeper) (who accounts.Caller, err error) {
	err = r.Store.Read(ctx, k.job.Tenant, func(tx *db.Tx) error {
		account, err := accounts.Own(tx)
		if err != nil {
			return err
		}
		who = accounts.Caller{Tenant: k.job.Tenant, Account: account.ID, User: k.i.User, Currency: account.Currency, Settings: account.Settings}
		if k.i.User == "" { // nobody's
			return nil
		}
		user, err := accounts.UserByID(tx, k.i.User)
		if who.Name = cmp.Or(user.Name, user.Email); apperr.Is(err, apperr.NotFound) {
			err = nil // deleted meanwhile
		}
		return err
	})
	return who, err
}

// begin finds the position for new lines. Lines of an interrupted dry run are deleted, because it starts again.
func (r *Runner) begin(ctx context.Context, k *keeper) error {
	return r.Store.Write(ctx, k.job.Tenant, func(tx *db.Tx) (err error) {
		if k.dry {
			imports.ClearLines(tx, k.i.ID, true)
		}
		k.next, err = imports.NextPosition(tx, k.i.ID, k.dry)
		return err
	})
}

// Copy writes the file of an import to this node's disk; the caller closes it. Errors: Conflict when the file is not
// stored any more; the store's and the disk's.
func Copy(ctx context.Context, store *db.DB, tenant id.Tenant, which id.Import) (*disk.Temporary, error) {
	f, err := disk.NewTemporary("")
	if err != nil {
		return nil, fmt.Errorf("a file cannot be imported without room for a copy: %w", err)
	}
	if err := imports.WriteFile(ctx, store, tenant, which, f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// settle ends an import by its outcome.
func (r *Runner) settle(ctx context.Context, stopping error, k *keeper, t *trial, summary importer.Summary, err error) error {
	call, wrong := errors.AsType[*importer.CallError](err)
	refused, known := apperr.As(err)
	switch {
	case err == nil:
		return r.finish(ctx, k, t, summary)
	case errors.Is(err, jobs.ErrLost):
		return jobs.ErrLost
	case known && refused.Kind == apperr.NotFound && r.deleted(ctx, k):
		return r.Store.Write(ctx, k.job.Tenant, func(tx *db.Tx) error { jobs.Finish(tx, k.job, true); return nil })
	case errors.Is(err, errStopped):
		return r.stopped(ctx, k)
	case stopping != nil:
		return stopping
	case wrong:
		return r.fail(ctx, k.i, k.job, call.Words())
	case known && refused.Kind != apperr.Unavailable:
		return r.fail(ctx, k.i, k.job, refused.Message)
	}
	return err
}

// deleted reports whether the import is gone: an erasure deletes imports of orders.
func (r *Runner) deleted(ctx context.Context, k *keeper) bool {
	err := r.Store.Read(ctx, k.job.Tenant, func(tx *db.Tx) error { _, err := imports.ByID(tx, k.i.ID); return err })
	return apperr.Is(err, apperr.NotFound)
}

// finish ends an import that has processed its whole file.
func (r *Runner) finish(ctx context.Context, k *keeper, t *trial, summary importer.Summary) error {
	i, job, was := k.i, k.job, k.i.Stage
	job.Total, job.Processed = int64(summary.Rows), int64(summary.Rows)
	job.Created, job.Updated, job.Failed = int64(summary.Created), int64(summary.Updated), int64(summary.RowsRefused)
	if k.dry {
		if k.next >= imports.MaxLines {
			t.kept.count = 0 // they are not all there
		}
		text, err := json.Marshal(Checked{Counts: summary.Counts, Rows: summary.Rows, NotImported: summary.NotImported, Changed: t.changed,
			New: t.new, Orders: t.orders, Warehouses: t.places, Before: t.kept.count, Prices: t.prices, Jumps: t.jumps.Count, Jumped: t.jumped()})
		if err != nil {
			return err
		}
		i.Stage, i.Checked, i.Progress = imports.Checked, string(text), ""
	} else {
		i.Stage = imports.Done
	}
	return r.Store.Write(ctx, job.Tenant, func(tx *db.Tx) error {
		// an erasure either finds the job's errors or has deleted such lines
		if err := imports.LockUnderWay(tx); err != nil {
			return err
		}
		first, err := imports.Lines(tx, i.ID, k.dry, true, -1, jobs.MaxErrors)
		if err != nil {
			return err
		}
		job.Errors = jobErrors(first)
		i.Update(tx, was)
		if k.dry || i.Kind != imports.Products {
			jobs.Finish(tx, job, false)
		} else {
			return r.Commerce.RunJob(tx, job)
		}
		return nil
	})
}

// stopped ends the job of an import that a person stopped. A dry run is discarded; an import can be continued.
func (r *Runner) stopped(ctx context.Context, k *keeper) error {
	i, was := k.i, k.i.Stage
	if i.Stage, i.Stop = imports.Stopped, false; k.dry {
		i.Stage, i.Progress = imports.New, ""
	}
	job := k.job
	job.Errors = records.JobErrors(records.JobError("stopped by a person", "stopped"))
	return r.Store.Write(ctx, job.Tenant, func(tx *db.Tx) error {
		i.Update(tx, was)
		jobs.Finish(tx, job, true)
		return nil
	})
}

// fail ends an import with a reason. What it has stored stays; a person can continue it after removing the reason.
func (r *Runner) fail(ctx context.Context, i imports.Import, job jobs.Job, reason string) error {
	was := i.Stage
	if i.Stage, i.Failure = imports.Broken, reason; job.Type.DryRun() {
		i.Stage, i.Progress = imports.New, ""
	}
	return r.Store.Write(ctx, job.Tenant, func(tx *db.Tx) error {
		i.Update(tx, was)
		if job.Type.DryRun() || i.Kind != imports.Products {
			job.Errors = records.JobErrors(records.JobError(reason, "failed"))
			jobs.Finish(tx, job, true)
			return nil
		}
		r.Commerce.GiveUp(tx, job, reason)
		return nil
	})
}
