package worker

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// payloadBudget limits the memory of a node's concurrent attempts, in bytes: of payloads and of what each attempt needs
// in addition. A quarter of the budget is for endpoints without a recent answer.
const (
	payloadBudget = 64 << 20
	attemptWeight = 16 << 10 // of one attempt, without its payload
	maxAnswering  = 1024     // attempts at once
	maxSilent     = 512
)

// pool limits attempts by number and by bytes.
type pool struct {
	slots  *semaphore.Weighted
	bytes  *semaphore.Weighted
	budget int64
}

func newPool(slots, budget int64) *pool {
	return &pool{slots: semaphore.NewWeighted(slots), bytes: semaphore.NewWeighted(budget), budget: budget}
}

// enter waits for a slot and for room for a payload of some bytes, and returns the function that releases both; nil
// when ctx ends first. A payload larger than the budget is sent when no other attempt runs.
func (p *pool) enter(ctx context.Context, payload int64) (leave func()) {
	weight := min(p.budget, attemptWeight+2*payload) // twice: as read from the store and as sent
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
