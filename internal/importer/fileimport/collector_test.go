package fileimport

import (
	"runtime/debug"
	"testing"
)

// percentage is the garbage collector's at the moment.
func percentage() int {
	p := debug.SetGCPercent(100)
	debug.SetGCPercent(p)
	return p
}

// Garbage is collected more often until the last import has ended, and never less often than somebody wants.
func TestCollectOften(t *testing.T) {
	defer debug.SetGCPercent(percentage())
	for before, during := range map[int]int{400: thrifty, 50: 50, -1: thrifty} {
		debug.SetGCPercent(before)
		first, second := collectOften(), collectOften()
		if got := percentage(); got != during {
			t.Errorf("%d: %d while two run", before, got)
		}
		first()
		if got := percentage(); got != during {
			t.Errorf("%d: %d while one runs", before, got)
		}
		second()
		if got := percentage(); got != before {
			t.Errorf("%d: %d afterwards", before, got)
		}
	}
}
