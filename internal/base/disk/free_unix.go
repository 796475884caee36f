//go:build linux || darwin

package disk

import "syscall"

// Free is how many bytes this user may still write on the disk of a folder.
func Free(dir string) (uint64, bool) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return 0, false
	}
	return stat.Bavail * uint64(stat.Bsize), true
}
