//go:build !windows

package disk

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A lock that is released is free at once, also while a program that was just started still has the file open.
func TestReleaseWhileAnotherHasTheFileOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	file, again := open(t, path), open(t, path)
	if free, err := TryLock(file); !free || err != nil {
		t.Fatal(free, err)
	}
	if free, err := TryLock(again); free || err != nil {
		t.Fatal("locked twice: ", free, err)
	}
	started, err := syscall.Dup(int(file.Fd())) // what a started program has until it runs
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(started)
	if err := Unlock(file); err != nil {
		t.Fatal(err)
	}
	file.Close()
	if free, err := TryLock(again); !free || err != nil {
		t.Error(free, err)
	}
}

func open(t *testing.T, path string) *os.File {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}
