package sqlite

import (
	"errors"
	"time"

	"entrepot/internal/db/engine"
)

// Pages of the log: how many new ones cause a copy into the file, and from what length on the log is restarted. With
// SQLite's own 1,000 nearly every piece of an import would cause a copy with two syncs, which makes it 1.3 times as
// expensive; with 10,000 readers search more of the log's index.
const (
	copyEvery = 4000
	longLog   = 8000
	hugeLog   = 50_000 // SQLite's own checkpoint, inside a commit: only if the concurrent copy fails
)

// When nothing was committed for quietFor, as few as quietLeast remaining pages are copied, too: readers have mapped
// the file, but read the log.
const (
	quietFor   = 500 * time.Millisecond
	quietLeast = 256
)

// copyLog copies the log into the file while the writer works; otherwise the writer would do so inside its commits.
// As long as the writer adds pages, the copy never reaches the log's end. When the log has grown long, the writer
// copies the small remainder between two groups and restarts the log.
func (w *writer) copyLog(open func() (*conn, error)) {
	defer close(w.copied)
	var own *conn
	defer func() {
		if own != nil {
			own.close()
		}
	}()
	quiet := time.NewTimer(time.Hour)
	defer quiet.Stop()
	for {
		least := int64(copyEvery)
		select {
		case _, more := <-w.grown:
			if !more {
				return
			}
			quiet.Reset(quietFor)
		case <-quiet.C:
			least = quietLeast
		}
		if own == nil {
			var err error
			if own, err = open(); err != nil {
				w.log.Warn("the log is not copied into the store's file while the writer works", "error", err)
				own = nil
				continue
			}
		}
		pages, copied, err := own.checkpoint("NOOP")
		if err == nil && pages-copied < least {
			continue
		}
		pages, err = own.copyLog()
		if err != nil && !errors.Is(err, engine.ErrRetry) {
			w.log.Warn("the log is not copied into the store's file while the writer works", "error", err)
		}
		if pages < longLog {
			continue
		}
		select {
		case w.tasks <- func(c *conn) { c.copyLog() }: // if the writer is busy, it is tried again soon
		case <-w.written:
		}
	}
}

// copyLog copies what can be copied without waiting, and returns how many pages the log has.
func (c *conn) copyLog() (pages int64, err error) {
	pages, _, err = c.checkpoint("PASSIVE")
	return pages, err
}

// checkpoint runs a checkpoint of SQLite in the given mode and returns how many pages the log has and how many of them
// are in the file.
func (c *conn) checkpoint(mode string) (pages, copied int64, err error) {
	rows, err := c.Query("PRAGMA wal_checkpoint("+mode+")", nil)
	if err != nil {
		return 0, 0, err
	}
	defer rows.Close()
	var busy int64
	if rows.Next() {
		err = rows.Scan(&busy, &pages, &copied)
	}
	return pages, copied, errors.Join(err, rows.Err())
}

// grew wakes the goroutine that copies the log.
func (w *writer) grew() {
	select {
	case w.grown <- struct{}{}:
	default: // it has been woken already
	}
}
