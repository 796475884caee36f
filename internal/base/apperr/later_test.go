package apperr

import (
	"testing"
	"time"
)

// A wait is said in whole seconds, rounded up, and in grammar.
func TestLater(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		0:                        "too much, try again in 1 second",
		time.Second:              "too much, try again in 1 second",
		time.Second + 1:          "too much, try again in 2 seconds",
		59500 * time.Millisecond: "too much, try again in 60 seconds",
	} {
		if e := Later("too much", wait); e.Message != want || e.Kind != TooMany {
			t.Errorf("%s: %v", wait, e)
		}
	}
}
