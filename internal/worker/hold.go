package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// jobHold is a job's lease while a run of it is under way.
type jobHold struct {
	w       *Worker
	job     jobs.Job
	mu      sync.Mutex
	until   time.Time     // by the store's clock: until then no other node takes the job
	renewed chan struct{} // closed when until has been extended
	wanted  chan struct{} // requests an early extension
	lost    bool
}

// holding runs a job and prolongs its lease meanwhile. When another node has taken the job, the run's context ends, and
// the error is jobs.ErrLost. A node that does not know whether the job is still its own, such as one that was
// suspended, calls no platform.
func (w *Worker) holding(ctx context.Context, job jobs.Job, run func(context.Context) error) error {
	h := &jobHold{w: w, job: job, until: time.UnixMicro(job.DueAt), renewed: make(chan struct{}),
		wanted: make(chan struct{}, 1)}
	ctx, end := context.WithCancel(ctx)
	var prolonging sync.WaitGroup
	prolonging.Go(func() { h.prolong(ctx, end) })
	err := run(connector.While(ctx, h.stands))
	end()
	prolonging.Wait()
	if err != nil && h.lost {
		return jobs.ErrLost
	}
	return err
}

// prolong prolongs the lease until the job has ended or another node has taken it.
func (h *jobHold) prolong(ctx context.Context, end context.CancelFunc) {
	tick := time.NewTicker(h.w.JobLease / 4)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-h.wanted:
		}
		begun := h.w.DB.Now()
		err := h.w.prolong(ctx, h.job, h.w.JobLease)
		switch {
		case errors.Is(err, jobs.ErrLost):
			h.lost = true
			end()
			return
		case err == nil:
			h.mu.Lock()
			h.until = begun.Add(h.w.JobLease)
			close(h.renewed)
			h.renewed = make(chan struct{})
			h.mu.Unlock()
		case ctx.Err() == nil:
			h.w.failed("holding the job "+string(h.job.ID), err)
		}
	}
}

// stands returns when enough of the lease is left for a request to arrive. When too little is left, it first has the
// lease prolonged. Errors: the context's, which ends when the lease is lost.
func (h *jobHold) stands(ctx context.Context) error {
	for {
		h.mu.Lock()
		left, renewed := h.until.Sub(h.w.DB.Now()), h.renewed
		h.mu.Unlock()
		if left > h.w.JobLease/4 {
			return ctx.Err()
		}
		select {
		case h.wanted <- struct{}{}:
		default:
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-renewed:
		}
	}
}

func (w *Worker) prolong(ctx context.Context, job jobs.Job, lease time.Duration) error {
	return w.DB.Write(ctx, job.Tenant, func(tx *db.Tx) error { jobs.Hold(tx, job, lease); return nil })
}
