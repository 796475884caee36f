// Package spool keeps bytes on the disk for as long as a process needs them: large answers, and files to be imported.
// A File has no name in its folder, so nothing of it is left however the process ends.
package spool

import (
	"io"
	"math"
	"os"
)

// File is a temporary file without a name: however the process ends, nothing of its content is left in the folder. On a
// system that does not let go of the name of an open file, Close removes it.
type File struct{ *os.File }

// Create makes an empty file in a folder; "" is the system's folder for temporary files. Errors: the disk's.
func Create(folder string) (*File, error) {
	f, err := os.CreateTemp(folder, ".entrepot-*") // mode 600
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name())
	return &File{f}, nil
}

// Open reads the content from its beginning. Several may read at once; closing one changes nothing for the others. Its
// error is always nil.
func (f *File) Open() (io.ReadCloser, error) {
	return io.NopCloser(io.NewSectionReader(f, 0, math.MaxInt64)), nil
}

// Close ends the file.
func (f *File) Close() error {
	err := f.File.Close()
	os.Remove(f.Name())
	return err
}
