// Package backups makes the backups of a running service and checks them (interface §10).
//
//	Make      copies the store, checks the copy, puts it into a bucket with its checksum, and removes the oldest ones
//	Check     takes the newest backup, checks its checksum, and restores it into a temporary store that is verified
//	State     what the store knows of the last backup and the last check (state.go)
//	Runner    does both when they are due, on one node of the store (runner.go)
//
// A backup entrepot-20260301T120000Z.db, or .pgdump of PostgreSQL, has its SHA-256 in a file beside it, whose name ends
// with .sha256 and which sha256sum reads. The checksum is put first: a backup without one is not whole.
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
	"regexp"
	"slices"
	"strings"
	"time"

	"entrepot/internal/base/bucket"
	"entrepot/internal/db"
)

// Source is a store to be copied.
type Source struct {
	URL string // PostgreSQL; empty for SQLite
	Dir string // SQLite's folder
}

// Made is a backup.
type Made struct {
	Name   string
	Bytes  int64
	SHA256 string // in hex
}

const (
	sumSuffix  = ".sha256"
	timeLayout = "20060102T150405Z"
	unfinished = ".entrepot-backup-" // begins the names of files that are not whole
)

var nameOf = regexp.MustCompile(`^entrepot-(\d{8}T\d{6}Z)\.(db|pgdump)$`)

// Time is when a backup was made, by its name. ok is false for the name of another file.
func Time(name string) (at time.Time, ok bool) {
	parts := nameOf.FindStringSubmatch(name)
	if parts == nil {
		return at, false
	}
	at, err := time.Parse(timeLayout, parts[1])
	return at, err == nil
}

// List are the backups in a bucket that have a checksum, oldest first.
func List(ctx context.Context, to bucket.Bucket) (whole []string, err error) {
	names, err := to.Names(ctx)
	for _, name := range names {
		if _, ok := Time(name); ok && slices.Contains(names, name+sumSuffix) {
			whole = append(whole, name)
		}
	}
	return whole, err
}

// Make copies a store into a bucket and checks the copy. Only then all but the newest backups of a number are removed,
// never the one just made. The copy is first written into the bucket's folder, or into temp when the bucket is
// elsewhere. Errors: no room; the copy is not sound; the bucket refuses it. Nothing is left behind then.
func Make(ctx context.Context, from Source, to bucket.Bucket, keep int, temp string, now time.Time) (made Made, err error) {
	if to.Folder() != "" {
		temp = to.Folder()
	}
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return made, err
	}
	if err := removeUnfinished(temp); err != nil {
		return made, err
	}
	made.Name = "entrepot-" + now.UTC().Format(timeLayout) + ".db"
	if from.URL != "" {
		made.Name = strings.TrimSuffix(made.Name, ".db") + ".pgdump"
	}
	there, err := to.Names(ctx)
	if err != nil {
		return made, err
	}
	if slices.Contains(there, made.Name) {
		return made, fmt.Errorf("%s exists already in %s", made.Name, to)
	}
	path := filepath.Join(temp, unfinished+made.Name)
	defer os.Remove(path)
	if err := from.copy(ctx, path); err != nil {
		return made, err
	}
	if made.Bytes, made.SHA256, err = sumOf(path); err != nil {
		return made, err
	}
	if err := put(ctx, to, made, path); err != nil {
		return made, err
	}
	return made, prune(ctx, to, keep, made.Name)
}

// copy writes a checked copy of the store into a new file.
func (s Source) copy(ctx context.Context, path string) error {
	if s.URL != "" {
		_, err := db.CopyDatabase(ctx, s.URL, path)
		return err
	}
	if err := db.RoomForCopy(s.Dir, filepath.Dir(path)); err != nil {
		return err
	}
	if err := db.CopyFile(s.Dir, path); err != nil {
		return err
	}
	if err := db.CheckFile(path); err != nil {
		return fmt.Errorf("the copy is not sound: %w", err)
	}
	return nil
}

// put stores a copy and, before it, its checksum.
func put(ctx context.Context, to bucket.Bucket, made Made, path string) error {
	sum := path + sumSuffix
	defer os.Remove(sum)
	file, err := os.OpenFile(sum, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(file, "%s  %s\n", made.SHA256, made.Name)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := to.Put(ctx, made.Name+sumSuffix, sum); err != nil {
		return err
	}
	if err := to.Put(ctx, made.Name, path); err != nil {
		return errors.Join(err, to.Remove(context.WithoutCancel(ctx), made.Name+sumSuffix))
	}
	return nil
}

// prune removes all but the newest backups of a number, never the one just made, and checksums without their backup.
func prune(ctx context.Context, to bucket.Bucket, keep int, made string) error {
	names, err := to.Names(ctx)
	if err != nil {
		return fmt.Errorf("the backup is made, older ones were not removed: %w", err)
	}
	var whole, gone []string
	for _, name := range names {
		of, isSum := strings.CutSuffix(name, sumSuffix)
		switch _, ours := Time(of); {
		case !ours:
		case isSum && !slices.Contains(names, of):
			gone = append(gone, name)
		case !isSum && slices.Contains(names, name+sumSuffix):
			whole = append(whole, name)
		}
	}
	for _, name := range whole[:max(0, len(whole)-max(1, keep))] {
		if name != made {
			gone = append(gone, name, name+sumSuffix)
		}
	}
	for _, name := range gone {
		if err := to.Remove(ctx, name); err != nil {
			return fmt.Errorf("the backup is made, older ones were not removed: %w", err)
		}
	}
	return nil
}

// removeUnfinished removes what a process that was killed has left.
func removeUnfinished(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, unfinished+"*"))
	for _, path := range left {
		err = errors.Join(err, os.RemoveAll(path))
	}
	return err
}

// sumOf is the length and the SHA-256 of a file.
func sumOf(path string) (size int64, sum string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer file.Close()
	hash := sha256.New()
	size, err = io.Copy(hash, file)
	return size, hex.EncodeToString(hash.Sum(nil)), err
}
