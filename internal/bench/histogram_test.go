package bench

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestPercentileByNearestRank(t *testing.T) {
	tens := []time.Duration{10, 20, 30, 40, 50, 60} // small values are exact
	cases := []struct {
		name  string
		waits []time.Duration
		share float64
		want  time.Duration
	}{
		{"nothing recorded", nil, 0.5, 0},
		{"one wait, median", tens[:1], 0.5, 10},
		{"one wait, p99", tens[:1], 0.99, 10},
		{"two waits, median is the first", tens[:2], 0.5, 10},
		{"three waits, median is the second", tens[:3], 0.5, 20},
		{"six waits, p90 is the sixth", tens, 0.9, 60},
		{"six waits, half", tens, 0.5, 30},
		{"share zero is the smallest", tens, 0, 10},
		{"share one is the largest", tens, 1, 60},
		{"a negative wait is zero", []time.Duration{-5}, 1, 0},
	}
	for _, c := range cases {
		var h Histogram
		for _, w := range c.waits {
			h.Add(w)
		}
		if got := h.Percentile(c.share); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

// Whatever was recorded, and however it was spread over clients, a percentile
// is never below the true one and at most a 64th above it.
func TestPercentileErrorIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		waits := rapid.SliceOfN(rapid.Int64Range(0, int64(time.Hour)), 1, 300).Draw(t, "waits")
		share := rapid.Float64Range(0, 1).Draw(t, "share")
		parts := [3]Histogram{}
		for i, w := range waits {
			parts[i%3].Add(time.Duration(w))
		}
		var whole Histogram
		for i := range parts {
			whole.Merge(&parts[i])
		}
		slices.Sort(waits)
		rank := min(max(int(math.Ceil(share*float64(len(waits)))), 1), len(waits))
		truth := waits[rank-1]
		got := int64(whole.Percentile(share))
		if got < truth || got > truth+truth/64+1 {
			t.Fatalf("percentile %f of %d waits: got %d, true %d", share, len(waits), got, truth)
		}
		if whole.Max() != time.Duration(waits[len(waits)-1]) || whole.Count() != uint64(len(waits)) {
			t.Fatalf("max %d count %d", whole.Max(), whole.Count())
		}
	})
}

func TestMeanAndMerge(t *testing.T) {
	var a, b, empty Histogram
	a.Add(10)
	b.Add(20)
	b.Add(60)
	a.Merge(&b)
	a.Merge(&empty)
	if a.Mean() != 30 || a.Max() != 60 || a.Count() != 3 {
		t.Fatalf("mean %d max %d count %d", a.Mean(), a.Max(), a.Count())
	}
	empty.Merge(&a)
	if empty.Percentile(0) != 10 || empty.Max() != 60 {
		t.Fatalf("merging into an empty one: min %d max %d", empty.Percentile(0), empty.Max())
	}
}

// A wait that is longer than any run is counted, and the longest of all stays exact.
func TestEndlessWait(t *testing.T) {
	var h Histogram
	h.Add(100 * time.Hour)
	if h.Count() != 1 || h.Max() != 100*time.Hour || h.Percentile(0.5) < longestWait {
		t.Errorf("count %d max %s median %s", h.Count(), h.Max(), h.Percentile(0.5))
	}
}
