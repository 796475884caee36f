package server

import (
	"bytes"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"

	"entrepot/internal/base/overload"
)

// In bytes: ownMemory is a node's memory outside its budget; storeMemory is the part of it for SQLite's page caches
// and statements, which the garbage collector does not count; leastMemory is the least that a node needs in total.
// The program's own text, of which the system holds some 40 MB in memory, is not included.
const (
	ownMemory   = 64 << 20
	storeMemory = 80 << 20
	leastMemory = 160 << 20
)

// LimitMemory sets the garbage collector's limit to the budget and what the node needs for itself, and at most three
// quarters of the memory of the machine or its container, so that memory taken for many requests at once goes back to
// the system afterwards. The limit is a soft one; if GOMEMLIMIT is set, that one stays. It returns the budget, reduced
// to what there is room for.
func LimitMemory(lend int64) *overload.Budget {
	lend, heap := divide(lend, machineMemory(os.DirFS("/")))
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(heap)
	}
	return overload.NewBudget(lend)
}

// divide computes how much of the machine's memory the budget may be, and the garbage collector's limit.
func divide(lend, machine int64) (budget, heap int64) {
	limit := max(leastMemory, min(lend+ownMemory, machine/4*3))
	return min(lend, limit-ownMemory), limit - storeMemory
}

// machineMemory is how many bytes the process may have: its control group's limit (either version), else the machine's
// memory, else no limit. Only Linux reports any of them.
func machineMemory(root fs.FS) int64 {
	most := int64(math.MaxInt64)
	bound := func(name, field string) {
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return
		}
		unit := int64(1)
		if field != "" {
			_, rest, _ := bytes.Cut(text, []byte(field))
			text, _, _ = bytes.Cut(rest, []byte("kB"))
			unit = 1 << 10
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 && n <= math.MaxInt64/unit {
			most = min(most, n*unit)
		}
	}
	bound("proc/meminfo", "MemTotal:")
	bound("sys/fs/cgroup/memory.max", "")
	bound("sys/fs/cgroup/memory/memory.limit_in_bytes", "")
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		switch own := strings.TrimPrefix(path.Clean(parts[2]), "/"); {
		case parts[0] == "0":
			bound(path.Join("sys/fs/cgroup", own, "memory.max"), "")
		case parts[1] == "memory":
			bound(path.Join("sys/fs/cgroup/memory", own, "memory.limit_in_bytes"), "")
		}
	}
	return most
}
