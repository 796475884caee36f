package backups

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entrepot/internal/base/bucket"
	"entrepot/internal/db"
	"entrepot/internal/verify"
)

// Checked is the result of a check without an error.
type Checked struct {
	Name  string
	At    time.Time // when the backup was made
	Bytes int64
	Rows  int64 // of a PostgreSQL copy: rows that were read
	// Verified says that the backup was restored and meets every rule of package verify. Without it, the whole file of
	// a PostgreSQL copy was read and its rows counted.
	Verified bool
}

// ErrNone means that a bucket has no backup.
var ErrNone = errors.New("there is no backup")

// Check takes the newest backup of a bucket, compares its SHA-256, and restores it into a temporary store in the folder
// temp, which is migrated and verified. A copy of a PostgreSQL store is restored into the empty database at the address
// into; without an address the file is read as a whole. Errors: ErrNone; the backup is damaged, or breaks a rule; there
// is no room. The name and size of the backup are set as far as they are known.
func Check(ctx context.Context, from bucket.Bucket, temp, into string) (c Checked, err error) {
	names, err := List(ctx, from)
	if err != nil {
		return c, err
	}
	if len(names) == 0 {
		return c, fmt.Errorf("%w in %s", ErrNone, from)
	}
	c.Name = names[len(names)-1]
	c.At, _ = Time(c.Name)
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return c, err
	}
	dir, err := os.MkdirTemp(temp, unfinished+"check-")
	if err != nil {
		return c, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(from.Folder(), c.Name)
	if from.Folder() == "" {
		path = filepath.Join(dir, c.Name)
	}
	if c.Bytes, err = fetch(ctx, from, c.Name, path); err != nil {
		return c, err
	}
	if strings.HasSuffix(c.Name, ".pgdump") {
		return c, c.checkDatabase(ctx, path, into)
	}
	store := filepath.Join(dir, "store")
	if _, err := db.Restore(path, store); err != nil {
		return c, err
	}
	if from.Folder() == "" {
		if err := os.Remove(path); err != nil { // it would take its room twice
			return c, err
		}
	}
	c.Verified = true
	return c, holds(ctx, db.Config{Dir: store, Unsafe: true})
}

// fetch compares a backup with its checksum and returns its size. A backup that is not on this machine is written to
// path.
func fetch(ctx context.Context, from bucket.Bucket, name, path string) (size int64, err error) {
	line, err := readAll(ctx, from, name+sumSuffix)
	if err != nil {
		return 0, err
	}
	file, err := from.Read(ctx, name)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	hash := sha256.New()
	var to io.Writer = hash
	if from.Folder() == "" {
		local, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return 0, err
		}
		defer local.Close()
		to = io.MultiWriter(hash, local)
	}
	if size, err = io.Copy(to, file); err != nil {
		return size, fmt.Errorf("reading %s: %w", name, err)
	}
	if sum := hex.EncodeToString(hash.Sum(nil)); !strings.HasPrefix(line, sum+" ") {
		return size, fmt.Errorf("%s is damaged: its SHA-256 is %s, not that of %s", name, sum, name+sumSuffix)
	}
	return size, nil
}

// readAll reads a checksum's file.
func readAll(ctx context.Context, from bucket.Bucket, name string) (string, error) {
	file, err := from.Read(ctx, name)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(file, 4096))
	return string(text), errors.Join(err, file.Close())
}

// checkDatabase checks a copy of a PostgreSQL store.
func (c *Checked) checkDatabase(ctx context.Context, path, into string) error {
	if into == "" {
		read, err := db.ReadDatabaseCopy(ctx, path)
		c.Rows = read.Rows
		return err
	}
	made, err := db.RestoreDatabase(ctx, path, into)
	if err != nil {
		return err
	}
	c.Rows, c.Verified = made.Rows, true
	return holds(ctx, db.Config{URL: into})
}

// holds brings a restored store up to date and verifies it.
func holds(ctx context.Context, c db.Config) error {
	c.HasBackup = true
	store, err := db.Open(ctx, c)
	if err != nil {
		return err
	}
	defer store.Close()
	if _, err := store.Migrate(ctx); err != nil {
		return err
	}
	results, err := verify.Run(ctx, store, "")
	for _, r := range results {
		if r.Wrong > 0 {
			err = errors.Join(err, fmt.Errorf("%s: does not hold in %d places: %s", r.Name, r.Wrong, strings.Join(r.Examples, "; ")))
		}
	}
	return err
}
