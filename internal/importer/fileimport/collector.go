package fileimport

import (
	"runtime/debug"
	"sync"
)

// thrifty is the garbage collector's percentage while files are imported. Rows leave much behind that is soon
// garbage, and the service's own percentage lets that grow to several times what is in use.
const thrifty = 100

// collector is how many imports of this process run, and the percentage that it had before the first of them.
var collector struct {
	mu      sync.Mutex
	imports int
	before  int
}

// collectOften has garbage collected more often until every import of a file that has begun has called end.
func collectOften() (end func()) {
	c := &collector
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.imports++; c.imports == 1 {
		if c.before = debug.SetGCPercent(thrifty); c.before >= 0 && c.before < thrifty {
			debug.SetGCPercent(c.before)
		}
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.imports--; c.imports == 0 {
			debug.SetGCPercent(c.before)
		}
	}
}
