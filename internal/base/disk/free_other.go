//go:build !linux && !darwin && !windows

package disk

// Free is not known on this system.
func Free(string) (uint64, bool) { return 0, false }
