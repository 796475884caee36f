package worker

import (
	"time"

	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// sweep measures the queues every few seconds and drops what is past its time every minute.
func (w *Worker) sweep() {
	const measure = 5 * time.Second
	for w.pause(nil, max(measure, w.Poll)) {
		w.failed("measuring queues", w.measure())
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
