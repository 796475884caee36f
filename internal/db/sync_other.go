//go:build !linux

package db

import "os"

// forceFile returns when the disk holds what was written to a file.
func forceFile(f *os.File) error { return f.Sync() }
