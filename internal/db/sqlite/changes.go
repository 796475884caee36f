package sqlite

import (
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"entrepot/internal/db/engine"
)

// header is the beginning of the index of the write-ahead log (-shm). Every commit, of any process, changes it: it counts them, and has
// the log's length and checksum.
type header [48]byte

const headerMade = 12 // the byte that is 1 once there is a header

// changes knows which tables the writer's commits have changed, so that a commit to other tables leaves a version as it is. A commit of
// another connection, such as a command beside a running server, may have changed any table.
type changes struct {
	index *os.File // nil if it cannot be read: then no version is known

	mu      sync.Mutex
	own     header           // after the writer's last commit; zero while it is not known
	commits int64            // how many commits there were
	all     int64            // the last one that may have changed any table
	tables  map[string]int64 // the last one that changed each table

	others int64 // data_version of the writer's connection: another connection's commit changes it
}

func newChanges(path string) *changes {
	return &changes{index: openIndex(path), tables: map[string]int64{}}
}

// header reads the header from the file that SQLite has mapped. It stands there twice, and SQLite writes the second one first: while they
// differ, a commit is under way and the header is not known.
func (c *changes) header() (h header, known bool) {
	if c.index == nil {
		return h, false
	}
	var both [2 * len(h)]byte
	if n, err := c.index.ReadAt(both[:], 0); err != nil || n < len(both) || both[headerMade] != 1 {
		return h, false
	}
	h = header(both[:len(h)])
	return h, h == header(both[len(h):])
}

// version is that of tables at the moment when the header was read.
func (c *changes) version(h header, tables []string) engine.Version {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h != c.own {
		return engine.Version{Log: h}
	}
	v := engine.Version{Commit: c.all}
	for _, t := range tables {
		v.Commit = max(v.Commit, c.tables[t])
	}
	return v
}

// Version is that of tables at this moment.
func (e *Engine) Version(tables ...string) (v engine.Version, known bool) {
	h, known := e.changes.header()
	if known {
		v = e.changes.version(h, tables)
	}
	return v, known
}

// committed records a commit of the writer, which has changed some tables; anyTable among them stands for all. Only the writer calls it.
func (c *changes) committed(writer *conn, tables []string) {
	if c.index == nil {
		return
	}
	c.mu.Lock()
	c.commits++
	for _, t := range tables {
		if t == anyTable {
			c.all = c.commits
		}
		c.tables[t] = c.commits
	}
	c.mu.Unlock()
	var own header
	for range 3 { // another connection may commit at any moment
		h, known := c.header()
		others, err := writer.number("PRAGMA data_version")
		if known && err == nil && others == c.others {
			own = h // nobody else had committed when it was read
			break
		}
		c.mu.Lock()
		c.others, c.all = others, c.commits
		c.mu.Unlock()
	}
	c.mu.Lock()
	c.own = own
	c.mu.Unlock()
}

// anyTable stands for all tables.
const anyTable = "*"

var changedTable = regexp.MustCompile(`\b(?:INSERT INTO|UPDATE|DELETE FROM)\s+"?(\w+)`)

// changedBy are the tables that a statement may change: those that its text names, and any for one that defines tables.
func changedBy(text string) (tables []string) {
	for _, found := range changedTable.FindAllStringSubmatch(text, -1) {
		if found[1] != "SET" { // of DO UPDATE SET
			tables = append(tables, found[1])
		}
	}
	switch word, _, _ := strings.Cut(text, " "); word {
	case "SELECT", "WITH", "BEGIN", "COMMIT", "ROLLBACK", "PRAGMA":
		return tables
	}
	if tables == nil {
		return []string{anyTable}
	}
	return tables
}

// openIndex opens the index of the log, which stays the same file as long as any connection is open; nil where a mapped file and what is
// read from it may differ, and where it cannot be read. As with the store's file, it may be closed only when no connection is left.
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
