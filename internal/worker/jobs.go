package worker

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"entrepot/internal/base/trace"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// Bounds of the jobs of a node.
const (
	jobsAtOnce       = 4
	operationsAtOnce = 2
	jobLease         = 3 * time.Second    // prolonged every quarter of it while the job runs: jobs of a killed node continue after it
	jobPause         = time.Minute        // until a failed job is run again
	jobTries         = 5                  // a job fails after this many leases without an end
	jobWaits         = 7 * 24 * time.Hour // a job that waits for other jobs fails after this time
)

// jobs runs the short jobs: those that call no platform, read or write no file and are no operations.
func (w *Worker) jobs() {
	w.runSome(jobsAtOnce, func() (jobs.Job, bool, error) { return w.claimOne(jobs.NextDue, claimShort) }, w.run)
}

func claimShort(tx *db.Tx, lease time.Duration) (j jobs.Job, ok bool, err error) {
	list, err := jobs.Claim(tx, 1, lease)
	if err != nil || len(list) == 0 {
		return j, false, err
	}
	return list[0], true, nil
}

// run does one job. A job that fails is due again after jobPause; after jobTries it ends as failed.
func (w *Worker) run(job jobs.Job) {
	start := time.Now()
	err := w.holding(w.running, job, w.traced(job, func(ctx context.Context) error { return w.do(ctx, job) }))
	switch {
	case err == nil:
		w.Log.Info("job", "job", job.ID, "type", job.Type, "items", job.Total, tookMS(time.Since(start)))
	case !errors.Is(err, jobs.ErrLost):
		w.failed("running the job "+string(job.ID), err)
		w.failed("putting off the job "+string(job.ID), w.prolong(w.running, job, jobPause))
	}
}

// traced is the work of a job with a span around it.
func (w *Worker) traced(job jobs.Job, run func(context.Context) error) func(context.Context) error {
	if w.Trace == nil {
		return run
	}
	return func(ctx context.Context) error {
		ctx, end := w.Trace.Begin(ctx, "job "+string(job.Type), trace.Attr("entrepot.job.id", string(job.ID)),
			trace.Attr("entrepot.channel.id", string(job.Channel)))
		err := run(ctx)
		end(err)
		return err
	}
}

// do does one job, or the next part of a long one: a job of many orders takes many leases.
func (w *Worker) do(ctx context.Context, job jobs.Job) error {
	if job.Type == jobs.OrderBulk || job.Type == jobs.ProductBulk {
		bulk, end := context.WithCancel(ctx)
		defer end()
		defer context.AfterFunc(w.stopping, end)() // between two items; another node continues, or this one after its next start
		if job.Type == jobs.ProductBulk {
			return w.Commerce.RunProductBulk(bulk, w.DB, job, w.JobLease)
		}
		return w.Commerce.RunOrderBulk(bulk, w.DB, job, w.JobLease)
	}
	return w.DB.By(job.Author()).Write(trace.Carry(ctx, w.running), job.Tenant, func(tx *db.Tx) error {
		if job.Tries > jobTries && (!job.WaitsForOthers() || tx.Now().Sub(time.UnixMicro(job.CreatedAt)) > jobWaits) {
			w.Commerce.GiveUp(tx, job, "it was started several times and never ended")
			return nil
		}
		return w.Commerce.RunJob(tx, job)
	})
}

// operations ends operations that a crash or a caller who went away has interrupted (decision 17).
func (w *Worker) operations() {
	w.runSome(operationsAtOnce, func() (jobs.Job, bool, error) { return w.claimOne(jobs.NextDueOperation, jobs.ClaimOperation) },
		func(job jobs.Job) {
			w.runHeld(job, func(ctx context.Context) error { return w.Commerce.RunOperation(ctx, w.DB, job) })
		})
}

// tookMS returns how long something took, in milliseconds, as requests are logged.
func tookMS(d time.Duration) slog.Attr {
	return slog.Float64("took_ms", float64(d.Microseconds())/1000)
}
