package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// channelsAtOnce is how many jobs that call platforms a node runs at once: they wait for the platform most of their time.
const channelsAtOnce = 16

// schedule queues the jobs that are due for channels: scheduled pulls, and pushes of what changed in their accounts.
func (w *Worker) schedule() {
	woken := w.DB.Woken(commerce.SyncTopic)
	for {
		_, err := w.Commerce.ScheduleChannels(w.stopping, w.DB)
		w.failed("scheduling channels", err)
		if !w.pause(woken, w.Poll) {
			return
		}
	}
}

// channelJobs runs jobs that call platforms, one at a time for a channel: a slow shop delays no other.
func (w *Worker) channelJobs() { w.runSome(channelsAtOnce, w.claimOnChannel, w.runOnChannel) }

// runSome runs up to most jobs of one kind at once. A job starts as soon as it is due and a slot is free, however long
// the others take.
func (w *Worker) runSome(most int, claim func() (jobs.Job, bool, error), run func(jobs.Job)) {
	var running sync.WaitGroup
	defer running.Wait()
	woken := w.DB.Woken(jobs.Topic)
	slots, ended := make(chan struct{}, most), make(chan struct{}, 1)
	for {
		for {
			select {
			case slots <- struct{}{}:
			case <-w.stopping.Done():
				return
			}
			job, ok, err := claim()
			w.failed("claiming jobs", err)
			if !ok {
				<-slots
				break
			}
			running.Go(func() {
				run(job)
				<-slots
				select {
				case ended <- struct{}{}: // another job may have waited for this one
				default:
				}
			})
		}
		timer := time.NewTimer(w.Poll)
		select {
		case <-w.stopping.Done():
		case <-woken:
		case <-ended:
		case <-timer.C:
		}
		timer.Stop()
		if w.stopping.Err() != nil {
			return
		}
	}
}

func (w *Worker) claimOnChannel() (jobs.Job, bool, error) {
	return w.claimOne(jobs.NextDueOnChannel, jobs.ClaimOnChannel)
}

// claimOne checks on a snapshot whether a job is due before it claims one.
func (w *Worker) claimOne(nextDue func(*db.Tx) (time.Time, bool, error),
	claim func(*db.Tx, time.Duration) (jobs.Job, bool, error)) (job jobs.Job, ok bool, err error) {
	err = w.DB.Read(w.stopping, db.Across, func(tx *db.Tx) error {
		at, waits, err := nextDue(tx)
		ok = waits && !at.After(tx.Now())
		return err
	})
	if err != nil || !ok {
		return job, false, err
	}
	err = w.DB.Write(w.stopping, db.Across, func(tx *db.Tx) error {
		job, ok, err = claim(tx, w.JobLease)
		return err
	})
	return job, ok && err == nil, err
}

// runOnChannel does one job that calls a platform.
func (w *Worker) runOnChannel(job jobs.Job) {
	w.runHeld(job, func(ctx context.Context) error { return w.Commerce.RunChannelJob(ctx, w.DB, job, w.JobLease) })
}

// runHeld does one job while its lease is this node's. When the node stops, the job is interrupted between two steps and
// continues on another node, or after the next start.
func (w *Worker) runHeld(job jobs.Job, run func(ctx context.Context) error) {
	start := time.Now()
	err := w.holding(w.stopping, job, w.traced(job, run))
	switch {
	case err == nil:
		w.Log.Info("job", "job", job.ID, "type", job.Type, "channel", job.Channel, "items", job.Total, tookMS(time.Since(start)))
	case w.stopping.Err() != nil && !errors.Is(err, jobs.ErrLost):
		free, cancel := context.WithTimeout(context.WithoutCancel(w.stopping), 2*time.Second)
		defer cancel()
		_ = w.prolong(free, job, 0) // the next node that polls takes it
	case !errors.Is(err, jobs.ErrLost):
		w.failed("running the job "+string(job.ID), err)
		w.failed("putting off the job "+string(job.ID), w.prolong(w.running, job, jobPause))
	}
}
