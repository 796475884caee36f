package postgres

import (
	"strings"
	"testing"
	"time"
)

// MinWait raises what a test waits for, never lowers it, and leaves the service as it is.
func TestMinWaitRaisesTheWaits(t *testing.T) {
	for minWait, want := range map[time.Duration]struct {
		connection time.Duration
		lock, idle string
	}{
		-time.Second:    {5 * time.Second, "5000", "'10000'"},
		0:               {5 * time.Second, "5000", "'10000'"},
		7 * time.Second: {7 * time.Second, "7000", "'10000'"},
		time.Minute:     {time.Minute, "60000", "'60000'"},
	} {
		b := newBounds(minWait)
		if b.connection != want.connection || b.lock != want.lock || !strings.Contains(b.holder, want.idle) ||
			!strings.HasPrefix(b.holder, settings) {
			t.Errorf("%s: %+v", minWait, b)
		}
	}
}
