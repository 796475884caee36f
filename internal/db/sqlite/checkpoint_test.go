package sqlite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Under writes that never pause, and with readers about, the log is begun anew again and again.
func TestTheLogBeginsAnew(t *testing.T) {
	store := opened(t, Config{Unsafe: true})
	salt := func() string { // of the log's header: another one each time that it is begun
		b := make([]byte, 4)
		if _, err := store.log.ReadAt(b, 16); err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	first, content, begun, written := salt(), strings.Repeat("x", 256<<10), 0, 0
	for ; begun < 2 && written < 2000; written++ {
		if err := mark(t, store, written, content); err != nil {
			t.Fatal(err)
		}
		if _, err := marks(t, store); err != nil {
			t.Fatal(err)
		}
		if now := salt(); now != first {
			first = now
			begun++
		}
	}
	if begun < 2 {
		t.Fatalf("begun anew %d times in %d writes of 64 pages", begun, written)
	}
	if n, err := marks(t, store); n != int64(written) || err != nil {
		t.Fatalf("%d marks of %d, %v", n, written, err)
	}
	if file, err := os.Stat(filepath.Join(store.dir, File)); err != nil || file.Size() < 8<<20 {
		t.Fatalf("hardly anything was copied: %v", err)
	}
}
