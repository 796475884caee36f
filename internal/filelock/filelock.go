// Package filelock lets processes of one machine exclude each other by a lock on an open file. The system releases the
// lock when the process ends, however it ends.
package filelock

import "os"

// Try locks an open file and reports whether it succeeded: it fails if another holds the lock. The lock ends with
// Release, or when the file is closed everywhere: a program that this process is just starting may have it open, too.
func Try(f *os.File) (bool, error) { return lock(f, false) }

// Wait locks an open file when no other holds its lock. The lock ends as that of Try.
func Wait(f *os.File) error {
	_, err := lock(f, true)
	return err
}

// Release ends the lock of an open file.
func Release(f *os.File) error { return unlock(f) }
