package db

import "errors"

// Pages of the log: after how many new ones they are copied into the file, and from what length on the log is to begin anew.
const (
	copyEvery = 1000
	longLog   = 2000
	hugeLog   = 50_000 // SQLite's own checkpoint, inside a commit: only if copying beside the writer fails
)

// copyLog copies the log into the file beside the writer, which would otherwise do so inside its commits. While the writer goes on, the
// log never comes to an end; when it has grown long, the writer copies the little that is left between two groups, and begins it anew.
func (w *sqliteWriter) copyLog(open func() (*sqliteConn, error)) {
	defer close(w.copied)
	var conn *sqliteConn
	defer func() {
		if conn != nil {
			conn.close()
		}
	}()
	for range w.grown {
		if conn == nil {
			var err error
			if conn, err = open(); err != nil {
				w.db.log.Warn("the log is not copied into the store's file beside the writer", "error", err)
				conn = nil
				continue
			}
		}
		pages, copied, err := conn.checkpoint("NOOP")
		if err == nil && pages-copied < copyEvery {
			continue
		}
		pages, err = conn.copyLog()
		if err != nil && !errors.Is(err, Retry) {
			w.db.log.Warn("the log is not copied into the store's file beside the writer", "error", err)
		}
		if pages < longLog {
			continue
		}
		select {
		case w.tasks <- func(c *sqliteConn) { c.copyLog() }: // best effort: it is tried again soon
		case <-w.written:
		}
	}
}

// copyLog copies what can be copied without waiting for anybody, and reports how many pages the log has.
func (c *sqliteConn) copyLog() (pages int64, err error) {
	pages, _, err = c.checkpoint("PASSIVE")
	return pages, err
}

// checkpoint runs a checkpoint of SQLite's in some mode and reports how many pages the log has and how many of them are in the file.
func (c *sqliteConn) checkpoint(mode string) (pages, copied int64, err error) {
	rows, err := c.query("PRAGMA wal_checkpoint("+mode+")", nil)
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

// grew wakes the one who copies the log.
func (w *sqliteWriter) grew() {
	select {
	case w.grown <- struct{}{}:
	default: // it is about to look anyway
	}
}
