package worker

import (
	"errors"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/channels"
	"entrepot/internal/db"
	"entrepot/internal/exports"
	"entrepot/internal/idempotency"
	"entrepot/internal/imports"
	"entrepot/internal/jobs"
	"entrepot/internal/stock"
	"entrepot/internal/view/all"
	"entrepot/internal/webhooks"
)

// Maintenance runs in small steps with pauses between them, so that it hardly delays other writers.
const (
	measureEvery  = 5 * time.Second
	maintainEvery = time.Minute
	maintainStep  = 256
	maintainRest  = 20 * time.Millisecond
	keepTombstone = 90 * 24 * time.Hour // interface §4.3
	keepJob       = 30 * 24 * time.Hour
	settleGap     = time.Minute // a deleted endpoint's last outcomes may still arrive
	scrubEvery    = 5 * time.Second
)

// maintain sets the gauges every few seconds and deletes what is past its retention every minute.
func (w *Worker) maintain() {
	var maintained time.Time
	for w.pause(nil, max(measureEvery, w.Poll)) {
		w.failed("measuring queues", w.measure())
		if now := w.DB.Now(); now.Sub(maintained) >= maintainEvery {
			maintained = now
			w.failed("deleting what is past its retention", w.deleteAllExpired())
		}
	}
}

// measure sets the gauges.
func (w *Worker) measure() error {
	w.mu.Lock()
	held.Set(float64(len(w.queues)))
	w.mu.Unlock()
	return w.DB.Read(w.stopping, db.Across, func(tx *db.Tx) error {
		n, since, err := webhooks.Depth(tx)
		pending.Set(float64(n))
		unserved.Set(0)
		if since > 0 {
			unserved.Set(time.Duration(1000 * (tx.Micros() - since)).Seconds())
		}
		return err
	})
}

// deleteAllExpired deletes everything that is past its retention.
func (w *Worker) deleteAllExpired() error {
	return errors.Join(w.deleteExpired(), w.deleteOldDeliveries(), w.deleteDeadEndpoints(), w.deleteOldEvents())
}

// scrub continues scrubs that a crash interrupted or that met tables in use. While a store stays in use, the pauses
// between its tries grow up to a minute.
func (w *Worker) scrub() {
	for wait := scrubEvery; w.pause(nil, wait); {
		pending, err := w.DB.PendingScrubs(w.stopping)
		if err == nil && pending > 0 {
			wait, err = min(2*wait, maintainEvery), w.DB.Scrub(w.stopping)
		} else {
			wait = scrubEvery
		}
		w.failed("scrubbing", err)
	}
}

// deleteExpired deletes rows with an expiry time.
func (w *Worker) deleteExpired() error {
	now := w.DB.Now()
	tasks := []func(tx *db.Tx) (int64, error){
		func(tx *db.Tx) (int64, error) { return idempotency.DeleteExpired(tx, maintainStep) },
		func(tx *db.Tx) (int64, error) { return accounts.DeleteExpiredTokens(tx, maintainStep) },
		func(tx *db.Tx) (int64, error) { return channels.DeleteExpired(tx, maintainStep) },
		func(tx *db.Tx) (int64, error) { return jobs.DeleteExpired(tx, now.Add(-keepJob), maintainStep) },
		func(tx *db.Tx) (int64, error) { return imports.DeleteExpired(tx, maintainStep) },
		func(tx *db.Tx) (int64, error) { return exports.DeleteExpired(tx, maintainStep) },
		func(tx *db.Tx) (int64, error) {
			return catalog.DeleteTombstones(tx, now.Add(-keepTombstone).UnixMicro(), maintainStep)
		},
		func(tx *db.Tx) (int64, error) {
			return stock.DeleteTombstones(tx, now.Add(-keepTombstone).UnixMicro(), maintainStep)
		},
	}
	var failed []error
	for _, task := range tasks {
		failed = append(failed, w.steps(db.Across, func(tx *db.Tx) (bool, error) {
			n, err := task(tx)
			return n >= maintainStep, err
		}))
	}
	return errors.Join(failed...)
}

// steps repeats a write until it has no more to do.
func (w *Worker) steps(tenant id.Tenant, step func(tx *db.Tx) (more bool, err error)) error {
	for {
		var more bool
		err := w.DB.Write(w.stopping, tenant, func(tx *db.Tx) (err error) {
			more, err = step(tx)
			return err
		})
		if err != nil || !more || !w.pause(nil, maintainRest) {
			return err
		}
	}
}

// deleteOldDeliveries deletes settled deliveries and their attempts.
func (w *Worker) deleteOldDeliveries() error {
	before := w.DB.Now().Add(-w.Keep).UnixMicro()
	queues, err := list(w, webhooks.Queues)
	for _, q := range queues {
		var stale bool
		err = errors.Join(err, w.DB.Read(w.stopping, q.Tenant, func(tx *db.Tx) (err error) {
			stale, err = webhooks.Stale(tx, q.Endpoint, before)
			return err
		}))
		if stale {
			err = errors.Join(err, w.steps(q.Tenant, func(tx *db.Tx) (bool, error) {
				n, err := webhooks.DeleteOldDeliveries(tx, q.Endpoint, before, maintainStep)
				return n == maintainStep, err
			}))
		}
	}
	return err
}

// deleteDeadEndpoints deletes the deliveries of deleted endpoints.
func (w *Worker) deleteDeadEndpoints() error {
	deleted, err := list(w, func(tx *db.Tx) ([]webhooks.Queue, error) {
		return webhooks.Deleted(tx, tx.Now().Add(-settleGap).UnixMicro())
	})
	for _, q := range deleted {
		err = errors.Join(err, w.steps(q.Tenant, func(tx *db.Tx) (bool, error) {
			n, err := webhooks.DeleteDeadEndpoint(tx, q.Endpoint, maintainStep)
			return n > 0, err
		}))
	}
	return err
}

// deleteOldEvents deletes old events, except those that pending deliveries still need.
func (w *Worker) deleteOldEvents() error {
	tenants, err := list(w, webhooks.Tenants)
	for _, tenant := range tenants {
		before := w.DB.Now().Add(-w.Keep).UnixMicro()
		var stale bool
		err = errors.Join(err, w.DB.Read(w.stopping, tenant, func(tx *db.Tx) (err error) {
			if stale, err = webhooks.StaleEvents(tx, before); err != nil || !stale {
				return err
			}
			before, err = webhooks.Keeps(tx, before)
			return err
		}))
		if stale {
			// Views must include the events that are about to be deleted from their feeds.
			if lacking := all.Include(w.stopping, w.DB, tenant, before); lacking != nil {
				err = errors.Join(err, lacking)
				continue
			}
			err = errors.Join(err, w.steps(tenant, func(tx *db.Tx) (bool, error) {
				n, err := webhooks.DeleteOldEvents(tx, before, maintainStep)
				return n == maintainStep, err
			}))
		}
	}
	return err
}

// list reads a list across all tenants.
func list[T any](w *Worker, read func(tx *db.Tx) ([]T, error)) (names []T, err error) {
	err = w.DB.Read(w.stopping, db.Across, func(tx *db.Tx) (err error) {
		names, err = read(tx)
		return err
	})
	return names, err
}
