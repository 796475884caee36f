// Package pieces divides a file, compressed, into pieces that are small enough to be stored one by one, and puts them
// together again.
//
//	Writer  what is written to it is passed to save, piece by piece
//	Reader  reads the pieces one after the other
package pieces

import (
	"bytes"
	"compress/gzip"
	"io"
)

// Size is the largest piece of a file in bytes, compressed: small enough that writing one delays no other writer.
const Size = 256 << 10

// Writer compresses what is written to it and passes it on in pieces of Size bytes; only the last may be smaller.
type Writer struct {
	packed *gzip.Writer
	parts  divider
}

// NewWriter begins a file. save stores a piece, which is its own from then on, at a position from 0.
func NewWriter(save func(position int64, body []byte) error) *Writer {
	w := &Writer{parts: divider{save: save}}
	w.packed = gzip.NewWriter(&w.parts)
	return w
}

// Write implements io.Writer. Errors: those of save.
func (w *Writer) Write(p []byte) (int, error) { return w.packed.Write(p) }

// Close stores the last piece. Errors: those of save.
func (w *Writer) Close() error {
	if err := w.packed.Close(); err != nil {
		return err
	}
	return w.parts.flush()
}

// divider divides what is written into pieces.
type divider struct {
	save     func(position int64, body []byte) error
	position int64
	rest     []byte
}

// Write implements io.Writer.
func (d *divider) Write(p []byte) (int, error) {
	d.rest = append(d.rest, p...)
	for len(d.rest) >= Size {
		if err := d.save(d.position, bytes.Clone(d.rest[:Size])); err != nil {
			return 0, err
		}
		d.position++
		d.rest = append(d.rest[:0], d.rest[Size:]...)
	}
	return len(p), nil
}

func (d *divider) flush() error {
	if len(d.rest) == 0 {
		return nil
	}
	return d.save(d.position, d.rest)
}

// NewReader reads a file of which read gives the piece at a position, without bytes behind the last. Errors: io.EOF
// without any piece; those of read, and of a file that is damaged.
func NewReader(read func(position int64) ([]byte, error)) (io.Reader, error) {
	return gzip.NewReader(&joiner{read: read})
}

// joiner reads the pieces one after the other.
type joiner struct {
	read     func(position int64) ([]byte, error)
	position int64
	rest     []byte
}

// Read implements io.Reader.
func (j *joiner) Read(p []byte) (int, error) {
	if len(j.rest) == 0 {
		body, err := j.read(j.position)
		if err != nil {
			return 0, err
		}
		if len(body) == 0 {
			return 0, io.EOF
		}
		j.rest = bytes.Clone(body)
		j.position++
	}
	n := copy(p, j.rest)
	j.rest = j.rest[n:]
	return n, nil
}
