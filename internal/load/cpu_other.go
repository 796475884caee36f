//go:build !unix

package load

import "time"

// ownCPU is not known on this system; costs are then reported as zero.
func ownCPU() time.Duration { return 0 }
