package db

import (
	"testing"
	"time"
)

// A bulk operation alone never pauses; beside others it pauses for them, at most as long as it has worked.
func TestPause(t *testing.T) {
	for _, c := range []struct {
		piece  time.Duration
		others int64
		want   time.Duration
	}{
		{5 * time.Millisecond, 0, 0}, {5 * time.Millisecond, 2, 2 * time.Millisecond}, {5 * time.Millisecond, 5, 5 * time.Millisecond},
		{5 * time.Millisecond, 900, 5 * time.Millisecond}, {0, 900, 0},
	} {
		if got := pause(c.piece, c.others); got != c.want {
			t.Errorf("behind a piece of %s and %d transactions of others: %s, not %s", c.piece, c.others, got, c.want)
		}
	}
}
