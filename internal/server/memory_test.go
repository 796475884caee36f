package server

import (
	"math"
	"testing"
	"testing/fstest"
)

// The standard budget leaves the process below 300 MB with SQLite's memory and the program itself; a container of 256 MB
// has room for all of it, and the smallest one for the largest body.
func TestDivideMemory(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct{ lend, machine, budget, heap int64 }{
		{160, 1 << 30, 160, 144}, {160, 256, 128, 112}, {160, 64, 96, 80}, {1024, 1 << 30, 1024, 1008}, {64, 1 << 30, 64, 80},
	} {
		budget, heap := divide(c.lend*mb, c.machine*mb)
		if budget != c.budget*mb || heap != c.heap*mb {
			t.Errorf("%d of %d MB: a budget of %d and a heap of %d, want %d and %d", c.lend, c.machine, budget/mb, heap/mb, c.budget, c.heap)
		}
	}
}

func TestMachineMemory(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	info := file("MemTotal:       16384000 kB\nMemFree:        1 kB\n")
	for name, c := range map[string]struct {
		root fstest.MapFS
		want int64
	}{
		"not Linux":        {fstest.MapFS{}, math.MaxInt64},
		"no control group": {fstest.MapFS{"proc/meminfo": info}, 16384000 << 10},
		"unbounded group":  {fstest.MapFS{"proc/meminfo": info, "sys/fs/cgroup/memory.max": file("max\n")}, 16384000 << 10},
		"container":        {fstest.MapFS{"proc/meminfo": info, "sys/fs/cgroup/memory.max": file("536870912\n")}, 512 << 20},
		"nested": {fstest.MapFS{"proc/meminfo": info, "proc/self/cgroup": file("0::/system.slice/entrepot.service\n"),
			"sys/fs/cgroup/system.slice/entrepot.service/memory.max": file("268435456\n")}, 256 << 20},
		"version 1": {fstest.MapFS{"proc/meminfo": info, "proc/self/cgroup": file("5:cpu:/x\n4:memory:/docker/1\n"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes":          file("9223372036854771712\n"),
			"sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": file("1073741824\n")}, 1 << 30},
		"nonsense": {fstest.MapFS{"proc/meminfo": file("MemTotal: lots"), "sys/fs/cgroup/memory.max": file("-1")}, math.MaxInt64},
	} {
		t.Run(name, func(t *testing.T) {
			if got := machineMemory(c.root); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
}
