package records

import "fmt"

// SampleTime is the time in samples: 2026-01-02T03:04:05.678Z.
const SampleTime = 1767323045678000

// SampleID is the n-th identifier of the samples.
func SampleID[T ~string](n int) T { return T(fmt.Sprintf("019a1c52-7c1e-7d40-9a55-%012d", n)) }
