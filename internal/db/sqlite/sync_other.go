//go:build !linux

package sqlite

import "os"

// syncLog returns when the disk holds what was written to a file.
func syncLog(f *os.File) error { return f.Sync() }
