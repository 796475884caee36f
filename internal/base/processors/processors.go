// Package processors counts the processors that this process may use, and lets Go's code run on one thread more than
// there are.
package processors

import (
	"runtime"
	"sync/atomic"
)

var more atomic.Int32 // threads in addition to one for each processor

// Count is how many processors this process may use, at least 1. Pools and limits are made from it.
func Count() int { return runtime.GOMAXPROCS(0) - int(more.Load()) }

// OneThreadMore lets Go's code run on one thread more than there are processors. A thread that waits for the disk in
// the middle of SQLite's work occupies its processor until the runtime notices, and the others wait with it; with one
// thread more a processor goes on meanwhile. The operating system also interrupts a long statement long before Go
// does (decision 17).
func OneThreadMore() {
	if more.CompareAndSwap(0, 1) {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	}
}
