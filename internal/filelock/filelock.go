// Package filelock lets processes of one machine exclude each other by a lock on an open file. The system takes the lock back when
// the process ends, however it ends.
package filelock

import "os"

// Try locks an open file and reports whether nobody else holds its lock. The lock ends with the file's closing.
func Try(f *os.File) (bool, error) { return lock(f, false) }

// Wait locks an open file as soon as nobody else holds its lock, which ends with the file's closing.
func Wait(f *os.File) error {
	_, err := lock(f, true)
	return err
}
