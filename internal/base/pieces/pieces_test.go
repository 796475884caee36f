package pieces_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"entrepot/internal/base/pieces"
)

// A file of any length is read as it was written, and no piece is larger than Size.
func TestFilesAreReadAsTheyWereWritten(t *testing.T) {
	for _, size := range []int{0, 1, pieces.Size - 1, 3*pieces.Size + 17} {
		file := make([]byte, size)
		noise := rand.New(rand.NewPCG(1, 2))
		for i := range file {
			file[i] = byte(noise.Uint32())
		}
		var stored [][]byte
		w := pieces.NewWriter(func(position int64, body []byte) error {
			if int(position) != len(stored) || len(body) > pieces.Size {
				t.Errorf("%d bytes: a piece of %d bytes at %d after %d", size, len(body), position, len(stored))
			}
			stored = append(stored, body)
			return nil
		})
		if _, err := w.Write(file); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		r, err := pieces.NewReader(func(position int64) ([]byte, error) {
			if int(position) >= len(stored) {
				return nil, nil
			}
			return stored[position], nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, file) {
			t.Errorf("%d bytes: read %d, %v", size, len(got), err)
		}
	}
	if _, err := pieces.NewReader(func(int64) ([]byte, error) { return nil, nil }); err != io.EOF {
		t.Errorf("no piece: %v", err)
	}
}
