package worker

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// payloadBudget bounds the memory of a node's attempts under way, in bytes: payloads, and what each attempt takes besides. A quarter
// of it is for endpoints of which no answer is known.
const (
	payloadBudget = 64 << 20
	attemptWeight = 16 << 10 // of one attempt without its payload
	maxAnswering  = 1024     // attempts at once
	maxSilent     = 512
)

// pool bounds attempts by number and by bytes.
type pool struct {
	slots  *semaphore.Weighted
	bytes  *semaphore.Weighted
	budget int64
}

func newPool(slots, budget int64) *pool {
	return &pool{slots: semaphore.NewWeighted(slots), bytes: semaphore.NewWeighted(budget), budget: budget}
}

// enter waits for a slot and for room for a payload of some bytes, and gives what leaves both; nil when ctx ends first. A payload
// above the budget goes alone.
func (p *pool) enter(ctx context.Context, payload int64) (leave func()) {
	weight := min(p.budget, attemptWeight+2*payload) // as the store gave it, and as it is sent
	if p.slots.Acquire(ctx, 1) != nil {
		return nil
	}
	if p.bytes.Acquire(ctx, weight) != nil {
		p.slots.Release(1)
		return nil
	}
	return func() {
		p.bytes.Release(weight)
		p.slots.Release(1)
	}
}
