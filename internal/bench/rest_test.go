package bench

import (
	"testing"
	"time"
)

// A service is at rest from the last look at which it had worked, and what little it always does is no work.
func TestResting(t *testing.T) {
	var r resting
	used := time.Duration(0)
	for second, share := range []int{90, 2, 3, 80, 0, 5, 9, 11, 1, 1} { // parts in a hundred of each second
		used += time.Duration(share) * time.Second / 100
		at := time.Duration(second+1) * time.Second
		want := []time.Duration{0, 1, 2, 0, 1, 2, 3, 0, 1, 2}[second] * time.Second
		if got := r.look(at, used); got != want {
			t.Errorf("after %s: at rest for %s, want %s", at, got, want)
		}
	}
}
