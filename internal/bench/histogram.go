package bench

import (
	"math"
	"math/bits"
	"time"
)

// Buckets grow with the value: below 64 ns each nanosecond has its own, above
// that every power of two is cut into 64. A percentile read back is therefore
// at most 1/64 (1.6 %) above the true value, never below it.
const (
	bucketsPerPower = 64
	powers          = 37 // up to 2^42 ns, about 73 minutes; longer waits land in the last bucket
	bucketCount     = powers * bucketsPerPower
)

// Histogram counts waiting times with a bounded relative error and without
// allocating. The zero value is ready; it is not safe for concurrent use.
type Histogram struct {
	counts [bucketCount]uint32
	count  uint64
	sum    float64 // nanoseconds
	min    time.Duration
	max    time.Duration
}

// Add records one wait. A negative wait (a clock that was set back) counts as
// zero.
func (h *Histogram) Add(wait time.Duration) {
	wait = max(wait, 0)
	h.counts[bucketOf(uint64(wait))]++
	if h.count == 0 || wait < h.min {
		h.min = wait
	}
	h.max = max(h.max, wait)
	h.count++
	h.sum += float64(wait)
}

// Merge adds everything that other has counted.
func (h *Histogram) Merge(other *Histogram) {
	if other.count == 0 {
		return
	}
	for i, n := range other.counts {
		h.counts[i] += n
	}
	if h.count == 0 || other.min < h.min {
		h.min = other.min
	}
	h.max = max(h.max, other.max)
	h.count += other.count
	h.sum += other.sum
}

// Count is the number of waits recorded.
func (h *Histogram) Count() uint64 { return h.count }

// Max is the longest wait, exactly.
func (h *Histogram) Max() time.Duration { return h.max }

// Mean is the average wait; zero when nothing was recorded.
func (h *Histogram) Mean() time.Duration {
	if h.count == 0 {
		return 0
	}
	return time.Duration(h.sum / float64(h.count))
}

// Percentile answers the wait that the given share (0 to 1) of all waits did
// not exceed, by the nearest-rank rule: of 10 waits, 0.9 is the ninth. Zero
// when nothing was recorded.
func (h *Histogram) Percentile(share float64) time.Duration {
	if h.count == 0 {
		return 0
	}
	rank := uint64(math.Ceil(share * float64(h.count)))
	rank = min(max(rank, 1), h.count)
	var seen uint64
	for i, n := range h.counts {
		seen += uint64(n)
		if seen >= rank {
			return min(max(time.Duration(bucketTop(i)), h.min), h.max)
		}
	}
	return h.max
}

// bucketOf is the bucket that counts a value of v nanoseconds.
func bucketOf(v uint64) int {
	if v < bucketsPerPower {
		return int(v)
	}
	shift := bits.Len64(v) - 7 // v>>shift lies in 64…127
	return min((shift+1)*bucketsPerPower+int(v>>shift)-bucketsPerPower, bucketCount-1)
}

// bucketTop is the largest value that bucket i counts, in nanoseconds.
func bucketTop(i int) uint64 {
	if i < bucketsPerPower {
		return uint64(i)
	}
	shift := i/bucketsPerPower - 1
	return uint64(i%bucketsPerPower+bucketsPerPower+1)<<shift - 1
}
