package db

import (
	"context"
	"time"
)

// How long a transaction of work in the background may take about: on SQLite no other transaction writes meanwhile.
const (
	strideTime  = 25 * time.Millisecond
	strideAlone = 100 * time.Millisecond // while no caller waits for transactions
)

// Stride is the size of the next transaction of work in the background that follows the writes of callers: the more it does at
// once, the less each record costs, because records share the pages that they change. It is not safe for concurrent use.
type Stride struct {
	Size        int // in records
	least, most int
	pace        *Pace
}

// NewStride begins with the least size.
func (d *DB) NewStride(least, most int) *Stride {
	return &Stride{Size: least, least: least, most: most, pace: d.NewPace()}
}

// Next is called between two transactions; took is how long the last one ran, without waiting. It lets callers have their turn,
// as Pace does, at most until ctx ends.
func (s *Stride) Next(ctx context.Context, took time.Duration) { s.adapt(took, s.pace.Next(ctx) > 1) }

func (s *Stride) adapt(took time.Duration, alone bool) {
	budget := strideTime
	if alone {
		budget = strideAlone
	}
	switch {
	case took > budget:
		s.Size /= 2
	case took < budget/2:
		s.Size *= 2
	}
	s.Size = min(max(s.Size, s.least), s.most)
}
