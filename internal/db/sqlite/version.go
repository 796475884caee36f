package sqlite

import (
	"os"
	"runtime"

	"entrepot/internal/db/engine"
)

// The index of the write-ahead log (-shm) begins with its header, twice. SQLite writes the second one first, so while they differ a
// transaction is being committed. Every commit changes the header: it counts them, and has the log's length and its checksum.
const (
	headerSize = len(engine.Version{})
	headerMade = 12 // the byte that is 1 once there is a header
)

// Version reads the header of the log's index from the file that SQLite has mapped, where commits of all processes show at once.
func (e *Engine) Version() (v engine.Version, known bool) {
	if e.index == nil {
		return v, false
	}
	var both [2 * headerSize]byte
	if n, err := e.index.ReadAt(both[:], 0); err != nil || n < len(both) || both[headerMade] != 1 {
		return v, false
	}
	v = engine.Version(both[:headerSize])
	return v, v == engine.Version(both[headerSize:])
}

// openIndex opens the index of the log, which stays the same file as long as any connection is open; nil where a mapped file and what is
// read from it may differ, and where it cannot be read: then there are no versions. As with the store's file, it may be closed only when
// no connection is left.
func openIndex(path string) *os.File {
	if runtime.GOOS == "windows" {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	return file
}
