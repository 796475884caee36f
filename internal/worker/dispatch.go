package worker

import (
	"errors"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/webhooks"
)

// dispatch turns committed events into deliveries, account by account.
func (w *Worker) dispatch() {
	woken := w.DB.Woken(webhooks.Topic)
	for {
		start := time.Now()
		w.failed("dispatching events", w.dispatchAll())
		w.failed("replaying events", w.replayAll())
		if !w.backOff(start) || !w.pause(woken, w.Poll) {
			return
		}
	}
}

// dispatchAll works until no account has events left, one step of each in turn: a busy account does not keep the others waiting.
func (w *Worker) dispatchAll() error {
	var waiting []id.Tenant
	err := w.DB.Read(w.stopping, db.Across, func(tx *db.Tx) (err error) {
		waiting, err = webhooks.Waiting(tx)
		return err
	})
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

// replayAll goes on with replays that were too long for one transaction, one part of each in turn.
func (w *Worker) replayAll() error {
	for w.stopping.Err() == nil {
		var kept []webhooks.KeptReplay
		err := w.DB.Read(w.stopping, db.Across, func(tx *db.Tx) (err error) {
			kept, err = webhooks.Kept(tx)
			return err
		})
		if err != nil || len(kept) == 0 {
			return err
		}
		for _, k := range kept {
			err := w.DB.Write(w.stopping, k.Tenant, func(tx *db.Tx) error {
				_, err := webhooks.Resume(tx, k.ID)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
