//go:build unix

package bench

import (
	"syscall"
	"time"
)

// ownCPU is the processor time this process has used so far, user and system
// together.
func ownCPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
