package processors

import (
	"runtime"
	"testing"
)

// Pools and limits are made for the processors, not for the threads.
func TestOneThreadMoreCountsTheSame(t *testing.T) {
	before, threads := Count(), runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(threads); more.Store(0) })
	OneThreadMore()
	OneThreadMore() // once only
	if Count() != before || runtime.GOMAXPROCS(0) != threads+1 {
		t.Errorf("%d processors and %d threads, %d and %d before", Count(), runtime.GOMAXPROCS(0), before, threads)
	}
	runtime.GOMAXPROCS(8)
	if Count() != 7 {
		t.Errorf("%d processors of 8 threads", Count())
	}
}
