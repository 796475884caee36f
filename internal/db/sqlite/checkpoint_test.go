package sqlite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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

// When the writer rests, what is left of the log is copied, so that readers need not look into it.
func TestTheLogIsCopiedAtRest(t *testing.T) {
	store := opened(t, Config{Unsafe: true})
	if err := mark(t, store, 0, strings.Repeat("x", 2*quietLeast<<12)); err != nil {
		t.Fatal(err)
	}
	own, err := openConn(store.path)
	if err != nil {
		t.Fatal(err)
	}
	defer own.close()
	var pages, copied int64
	for range 2400 {
		if pages, copied, err = own.checkpoint("NOOP"); err != nil {
			t.Fatal(err)
		}
		if copied == pages {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%d of %d pages were copied in two minutes", copied, pages)
}
