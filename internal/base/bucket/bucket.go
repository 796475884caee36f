// Package bucket keeps whole files under names, in a folder of this machine or in an S3 bucket.
//
//	Open     the bucket at a place: a folder, or s3://bucket/prefix
//	Bucket   puts, lists, reads and removes files; a file is there whole or not at all
//	S3       which S3 service, and as whom
package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bucket keeps files under names without slashes. Files are streamed: none is held in memory.
type Bucket interface {
	// Put stores a local file under a name and removes the local file. After an error nothing is stored under the name.
	Put(ctx context.Context, name, path string) error
	// Names lists the files, sorted by name.
	Names(ctx context.Context) ([]string, error)
	// Read opens a file. Errors: fs.ErrNotExist.
	Read(ctx context.Context, name string) (io.ReadCloser, error)
	// Remove removes a file; a missing one is no error.
	Remove(ctx context.Context, name string) error
	// Folder is the folder of this machine in which the files are, "" if they are elsewhere.
	Folder() string
	// String is the place, for people.
	String() string
}

// Open opens the bucket at a place: s3://bucket/prefix, or the path of a folder. Nothing is read or made yet.
func Open(place string, service S3) (Bucket, error) {
	if strings.HasPrefix(place, scheme) {
		return service.open(place)
	}
	if kind, _, is := strings.Cut(place, "://"); is {
		return nil, fmt.Errorf("%s:// is no place for files: give a folder or s3://bucket/prefix", kind)
	}
	return folder(place), nil
}

// folder is a bucket in a folder of this machine, which is made with the first file.
type folder string

func (f folder) Folder() string { return string(f) }

func (f folder) String() string { return string(f) }

func (f folder) Put(_ context.Context, name, path string) error {
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return err
	}
	if err := os.Rename(path, filepath.Join(string(f), name)); err != nil {
		return err
	}
	dir, err := os.Open(string(f))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func (f folder) Names(context.Context) (names []string, err error) {
	entries, err := os.ReadDir(string(f))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			names = append(names, entry.Name())
		}
	}
	slices.Sort(names)
	return names, err
}

func (f folder) Read(_ context.Context, name string) (io.ReadCloser, error) {
	return os.Open(filepath.Join(string(f), name))
}

func (f folder) Remove(_ context.Context, name string) error {
	err := os.Remove(filepath.Join(string(f), name))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
