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

// channelsAtOnce bounds the jobs of a node that call platforms: they wait for others most of their time.
const channelsAtOnce = 16

// schedule queues what is due for channels: scheduled pulls, and pushes of what changed in their accounts.
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
func (w *Worker) channelJobs() {
	var running sync.WaitGroup
	defer running.Wait()
	woken := w.DB.Woken(jobs.Topic)
	slots, ended := make(chan struct{}, channelsAtOnce), make(chan struct{}, 1)
	for {
		for {
			select {
			case slots <- struct{}{}:
			case <-w.stopping.Done():
				return
			}
			job, ok, err := w.claimOnChannel()
			w.failed("claiming jobs of channels", err)
			if !ok {
				<-slots
				break
			}
			running.Go(func() {
				w.runOnChannel(job)
				<-slots
				select {
				case ended <- struct{}{}: // another job of the channel may have waited for this one
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

func (w *Worker) claimOnChannel() (job jobs.Job, ok bool, err error) {
	err = w.DB.Read(w.stopping, db.Across, func(tx *db.Tx) error {
		at, waits, err := jobs.NextDueOnChannel(tx)
		ok = waits && !at.After(tx.Now())
		return err
	})
	if err != nil || !ok {
		return job, false, err
	}
	err = w.DB.Write(w.stopping, db.Across, func(tx *db.Tx) error {
		job, ok, err = jobs.ClaimOnChannel(tx, jobLease)
		return err
	})
	return job, ok && err == nil, err
}

// runOnChannel does one job, holding its lease. When the node stops, the job is broken off between two steps and goes on elsewhere, or
// after the next start.
func (w *Worker) runOnChannel(job jobs.Job) {
	start := time.Now()
	ctx, end := context.WithCancel(w.stopping)
	var holding sync.WaitGroup
	holding.Go(func() { w.hold(ctx, job) })
	err := w.Commerce.RunChannelJob(ctx, w.DB, job, jobLease)
	end()
	holding.Wait()
	switch {
	case err == nil:
		w.Log.Info("job", "job", job.ID, "type", job.Type, "channel", job.Channel, "took", time.Since(start))
	case w.stopping.Err() != nil && !errors.Is(err, jobs.ErrLost):
		free, cancel := context.WithTimeout(context.WithoutCancel(w.stopping), 2*time.Second)
		defer cancel()
		_ = w.prolong(free, job, 0) // whoever looks next takes it
	case !errors.Is(err, jobs.ErrLost):
		w.failed("running the job "+string(job.ID), err)
		w.failed("putting off the job "+string(job.ID), w.prolong(w.running, job, jobRest))
	}
}
