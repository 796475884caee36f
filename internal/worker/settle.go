package worker

import (
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// settled is an outcome and the queue it belongs to.
type settled struct {
	queue   *queue
	outcome webhooks.Outcome
}

// settleBatch is the largest number of outcomes in one commit.
const settleBatch = webhooks.MostOutcomes

// settle stores outcomes. While one commit is under way, it collects those of the next.
func (w *Worker) settle() {
	defer close(w.settling)
	batch := make([]settled, 0, settleBatch)
	for first := range w.outcomes {
		batch = append(batch[:0], first)
	collect:
		for len(batch) < settleBatch {
			select {
			case next, ok := <-w.outcomes:
				if !ok {
					break collect
				}
				batch = append(batch, next)
			default:
				break collect
			}
		}
		w.store(batch)
	}
}

// store commits a batch of outcomes and repeats the commit until it succeeds, because the attempts have been made.
func (w *Worker) store(batch []settled) {
	outcomes := make([]webhooks.Outcome, len(batch))
	for i := range batch {
		outcomes[i] = batch[i].outcome
	}
	if !w.insist("storing outcomes", func() error {
		return w.DB.Write(w.running, db.Across, func(tx *db.Tx) error { return webhooks.Settle(tx, outcomes) })
	}) {
		return
	}
	type stored struct {
		positions []int64
		changed   bool
	}
	byQueue := map[*queue]*stored{}
	for i := range batch {
		s := &batch[i]
		n := byQueue[s.queue]
		if n == nil {
			n = &stored{}
			byQueue[s.queue] = n
		}
		n.positions = append(n.positions, s.outcome.Position)
		n.changed = n.changed || s.outcome.Ordered || s.outcome.State == webhooks.Pending
	}
	for q, n := range byQueue {
		q.done(n.positions, n.changed)
	}
}
