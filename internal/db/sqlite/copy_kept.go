package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entrepot/internal/base/disk"
)

// keptCopies is how many copies KeepCopy leaves in the data folder.
const keptCopies = 2

// spareRoom is what must be left on the disk beside the copy of KeepCopy, in bytes: the migration writes, too.
const spareRoom = 64 << 20

// freeOf is how many bytes are left on the disk of a folder. Tests replace it.
var freeOf = disk.Free

// KeepCopy copies the store into its data folder, under a name with its schema and a time, checks the copy, and removes
// all but the newest two such copies. It returns the copy's path. Errors: there is no room for a copy.
func (e *Engine) KeepCopy(schema int, now time.Time) (path string, err error) {
	if err := RoomForCopy(e.dir, e.dir); err != nil {
		return "", err
	}
	path = fmt.Sprintf("%s.schema-%d-%s", e.path, schema, now.UTC().Format("20060102T150405Z"))
	if err := CopyFile(e.dir, path); err != nil {
		return "", err
	}
	if err := CheckFile(path); err != nil {
		return "", fmt.Errorf("the copy is not sound: %w", err)
	}
	kept, err := filepath.Glob(e.path + ".schema-*Z")
	if err != nil {
		return "", err
	}
	slices.SortFunc(kept, func(a, b string) int { return strings.Compare(timeOf(a), timeOf(b)) })
	for _, old := range kept[:max(0, len(kept)-keptCopies)] {
		if old != path {
			err = os.Remove(old)
		}
		if err != nil {
			return "", err
		}
	}
	return path, nil
}

// timeOf is the end of a copy's name.
func timeOf(path string) string { return path[strings.LastIndexByte(path, '-')+1:] }

// RoomForCopy is an error if the disk of a folder has no room for a copy of the SQLite store in a data folder.
func RoomForCopy(dir, to string) error {
	need := uint64(spareRoom)
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(filepath.Join(dir, File) + suffix); err == nil {
			need += uint64(info.Size())
		}
	}
	if free, known := freeOf(to); known && free < need {
		return fmt.Errorf("a copy of the store needs %d MB on the disk of %s, which has %d MB left: make room there, then try again",
			need>>20, to, free>>20)
	}
	return nil
}
