package sqlite

import (
	"errors"
	"os"
	"syscall"
)

// syncLog returns when the disk holds what was written to a file, and the file attributes that reading it needs.
func syncLog(f *os.File) error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
