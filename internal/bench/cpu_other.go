//go:build !unix

package bench

import "time"

// ownCPU is not known on this system; costs are then reported as zero.
func ownCPU() time.Duration { return 0 }
