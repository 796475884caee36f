package db

import (
	"context"
	"time"
)

// Limits of a transaction of background work, roughly. On SQLite no other transaction writes meanwhile.
const (
	batchTime      = 25 * time.Millisecond
	batchTimeAlone = 100 * time.Millisecond // while no caller waits for transactions
)

// BatchSize adapts the size of background transactions that follow the writes of callers: the larger one is, the less
// each record costs, because records share the pages that they change. It is not safe for concurrent use.
type BatchSize struct {
	Size        int // in records
	least, most int
	pace        *Pace
}

// NewBatchSize begins with the least size.
func (d *DB) NewBatchSize(least, most int) *BatchSize {
	return &BatchSize{Size: least, least: least, most: most, pace: d.NewPace()}
}

// Next is called between two transactions; took is how long the last one ran, without waiting. It pauses for callers,
// as Pace does, at most until ctx ends.
func (s *BatchSize) Next(ctx context.Context, took time.Duration) {
	s.adapt(took, s.pace.Next(ctx) > 1)
}

func (s *BatchSize) adapt(took time.Duration, alone bool) {
	budget := batchTime
	if alone {
		budget = batchTimeAlone
	}
	switch {
	case took > budget:
		s.Size /= 2
	case took < budget/2:
		s.Size *= 2
	}
	s.Size = min(max(s.Size, s.least), s.most)
}
