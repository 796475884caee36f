// Package disk is what the service needs of a disk besides its store: temporary files for large answers and files to
// be imported, how much room is left, and locks by which processes exclude each other.
package disk

import (
	"io"
	"math"
	"os"
)

// Temporary is a temporary file without a name: however the process ends, nothing of its content is left in the
// folder. On a system that does not let go of the name of an open file, Close removes it.
type Temporary struct{ *os.File }

// NewTemporary makes an empty file in a folder; "" is the system's folder for temporary files. Errors: the disk's.
func NewTemporary(folder string) (*Temporary, error) {
	f, err := os.CreateTemp(folder, ".entrepot-*") // mode 600
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name())
	return &Temporary{f}, nil
}

// Open reads the content from its beginning. Several may read at once; closing one changes nothing for the others. Its
// error is always nil.
func (f *Temporary) Open() (io.ReadCloser, error) {
	return io.NopCloser(io.NewSectionReader(f, 0, math.MaxInt64)), nil
}

// Close ends the file.
func (f *Temporary) Close() error {
	err := f.File.Close()
	os.Remove(f.Name())
	return err
}
