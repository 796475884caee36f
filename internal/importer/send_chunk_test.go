package importer

import (
	"bytes"
	"fmt"
	"testing"
)

// A chunk has at most so many items and so many bytes, commas included; a larger item is alone in one.
func TestChunksAreBounded(t *testing.T) {
	var sizes []int
	k := chunker{most: 3, bytes: 100, read: func() int64 { return 0 }, deliver: func(c *chunk) error {
		sizes = append(sizes, len(c.items))
		return nil
	}}
	for _, length := range []int{10, 10, 10, 10, 60, 30, 30, 99, 1, 200, 49, 50} {
		if err := k.take(piece{body: bytes.Repeat([]byte("x"), length)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.flush(k.pieces); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(sizes), "[3 2 2 1 1 1 2]"; got != want {
		t.Errorf("items in the chunks: %s, want %s", got, want)
	}
}
