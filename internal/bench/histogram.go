package bench

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

const (
	longestWait = 75 * time.Minute // longer waits count as this one; a run lasts an hour at most
	figures     = 2                // significant ones of a percentile
)

// Histogram counts waiting times with a bounded relative error: a percentile is never below the true one and at most a
// 64th above it. The zero value is usable; it is not safe for concurrent use.
type Histogram struct {
	counts *hdrhistogram.Histogram // nil before the first wait
	max    time.Duration
}

// Add records one wait. A negative wait (a clock that was set back) counts as zero.
func (h *Histogram) Add(wait time.Duration) {
	wait = max(wait, 0)
	h.max = max(h.max, wait)
	_ = h.ready().RecordValue(int64(min(wait, longestWait))) // fails only beyond the longest wait
}

// Merge adds everything that other has counted.
func (h *Histogram) Merge(other *Histogram) {
	if other.counts == nil {
		return
	}
	h.max = max(h.max, other.max)
	h.ready().Merge(other.counts)
}

func (h *Histogram) ready() *hdrhistogram.Histogram {
	if h.counts == nil {
		h.counts = hdrhistogram.New(1, int64(longestWait), figures)
	}
	return h.counts
}

// Count is the number of waits recorded.
func (h *Histogram) Count() uint64 { return uint64(h.ready().TotalCount()) }

// Max is the longest wait, exactly.
func (h *Histogram) Max() time.Duration { return h.max }

// Mean is the average wait, within the error of a percentile; zero when nothing was recorded.
func (h *Histogram) Mean() time.Duration { return time.Duration(h.ready().Mean()) }

// Percentile is the wait that the given share (0 to 1) of all waits did not exceed, by the nearest-rank rule: of 10
// waits, 0.9 is the ninth. Zero without any.
func (h *Histogram) Percentile(share float64) time.Duration {
	count := float64(h.Count())
	if count == 0 {
		return 0
	}
	rank := min(max(math.Ceil(share*count), 1), count) // the library would round it
	return min(time.Duration(h.counts.ValueAtPercentile(100*rank/count)), h.max)
}
