package worker

import (
	"errors"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// emptyPause is how long dispatch pauses after it found nothing to do. Changes of accounts without endpoints wake
// dispatch too: without a pause it would run after every commit of a busy account.
const emptyPause = 50 * time.Millisecond

// dispatch turns committed events into deliveries, account by account, and continues replays that were too long for
// one transaction.
func (w *Worker) dispatch() {
	woken := w.DB.Woken(webhooks.Topic)
	for {
		start := time.Now()
		work, err := w.work()
		looked := time.Since(start)
		w.failed("looking for events to dispatch", err)
		w.failed("dispatching events", w.dispatchAll(work.Waiting))
		w.failed("replaying events", w.replayAll(work.Replays))
		if !w.backOff(looked) || work.None() && !w.pause(nil, emptyPause) || !w.pause(woken, w.Poll) {
			return
		}
	}
}

// work reads what there is to do, for all accounts.
func (w *Worker) work() (work webhooks.Work, err error) {
	err = w.DB.Read(w.stopping, db.Across, func(tx *db.Tx) (err error) {
		work, err = webhooks.FindWork(tx)
		return err
	})
	return work, err
}

// dispatchAll works until no account has events left. It takes one step of each account at a time, so that a busy
// account does not delay the others.
func (w *Worker) dispatchAll(waiting []id.Tenant) (err error) {
	for err == nil && len(waiting) > 0 && w.stopping.Err() == nil {
		left := waiting[:0]
		for _, tenant := range waiting {
			more, failed := w.dispatchStep(tenant)
			if more {
				left = append(left, tenant)
			}
			err = errors.Join(err, failed)
		}
		waiting = left
	}
	return err
}

// dispatchStep turns the next events of one account into deliveries; more says that there are others.
func (w *Worker) dispatchStep(tenant id.Tenant) (more bool, err error) {
	var step *webhooks.Step
	err = w.DB.Read(w.stopping, tenant, func(tx *db.Tx) (err error) {
		step, err = webhooks.ReadStep(tx)
		return err
	})
	if err != nil {
		return false, err
	}
	err = w.DB.Write(w.stopping, tenant, func(tx *db.Tx) error { step.Write(tx); return nil })
	if errors.Is(err, webhooks.ErrMeanwhile) {
		return false, nil
	}
	if err == nil {
		dispatched.Add(float64(step.Len()))
	}
	return step.More && err == nil, err
}

// replayAll continues replays until none is left, one part of each at a time.
func (w *Worker) replayAll(open []webhooks.OpenReplay) error {
	for len(open) > 0 && w.stopping.Err() == nil {
		for _, replay := range open {
			err := w.DB.Write(w.stopping, replay.Tenant, func(tx *db.Tx) error {
				_, err := webhooks.Resume(tx, replay.ID)
				return err
			})
			if err != nil {
				return err
			}
		}
		work, err := w.work()
		if err != nil {
			return err
		}
		open = work.Replays
	}
	return nil
}
