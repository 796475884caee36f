package disk

import "os"

// TryLock locks an open file and reports whether it succeeded: it fails if another holds the lock. The lock ends with
// Unlock, or when the file is closed everywhere: a program that this process is just starting may have it open, too.
func TryLock(f *os.File) (bool, error) { return lock(f, false) }

// Lock locks an open file when no other holds its lock. The lock ends as that of TryLock.
func Lock(f *os.File) error {
	_, err := lock(f, true)
	return err
}

// Unlock ends the lock of an open file.
func Unlock(f *os.File) error { return unlock(f) }
