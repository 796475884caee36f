package server

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"entrepot/internal/base/disk"
	"entrepot/internal/db"
)

// lockFile is locked, in the data folder of a SQLite store, by the one process that serves it. Its text identifies
// that process.
const lockFile = "serve.lock"

// lockStore prevents a second service on a SQLite store: workers of two processes would send each delivery twice.
// Commands that work on the store while a service runs do not take the lock. In a folder with the database of another
// program nothing is created. A PostgreSQL store may have any number of services. release is never nil.
func lockStore(c StoreConfig, address string) (release func(), err error) {
	release = func() {}
	if c.URL != "" {
		return release, nil
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return release, fmt.Errorf("making the data folder: %w", err)
	}
	if err := db.OwnFile(c.Dir); err != nil {
		return release, err
	}
	path := filepath.Join(c.Dir, lockFile)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrPermission) {
		return release, fmt.Errorf("the data folder %s cannot be written: give it to the user that runs the service (chown), or name another "+
			"with --data: %w", c.Dir, err)
	}
	if err != nil {
		return release, err
	}
	free, err := disk.TryLock(file)
	if err != nil {
		return release, errors.Join(fmt.Errorf("locking %s: %w", path, err), file.Close())
	}
	if !free {
		text, _ := io.ReadAll(io.LimitReader(file, 200))
		file.Close()
		holder := cmp.Or(strings.TrimSpace(string(text)), "another process")
		return release, fmt.Errorf("the store in %s is served already by %s: stop that first, or name another folder with --data", c.Dir, holder)
	}
	err = file.Truncate(0)
	if err == nil {
		_, err = fmt.Fprintf(file, "process %d at %s\n", os.Getpid(), address)
	}
	if err != nil {
		return release, errors.Join(fmt.Errorf("writing %s: %w", path, err), file.Close())
	}
	return func() {
		file.Truncate(0) // a name without a lock would mislead people
		disk.Unlock(file)
		file.Close()
	}, nil
}
