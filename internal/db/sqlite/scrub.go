package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"entrepot/internal/db/engine"
)

// SQLite zeroes what it deletes (secure_delete), with one exception: when rows move between the pages of a b-tree,
// the page that they leave keeps their bytes in its unused middle. Scrub zeroes those bytes, page by page, through
// SQLite itself (sqlite_dbpage), so that other connections and a crash see only a change of unused bytes. A
// checkpoint that truncates the write-ahead log removes older versions of pages.

// Bounds of a scrub of SQLite.
const (
	scrubPages = 512     // cleaned in one transaction: some milliseconds of the writer's time
	treePages  = 1 << 25 // in a file with more pages, a page of another kind may look like one of a b-tree
)

// Scrub zeroes the unused bytes of every page, of all tables, and empties the log.
func (e *Engine) Scrub(ctx context.Context, _ []string) (left []string, err error) {
	if err := e.dropSamples(ctx); err != nil {
		return nil, err
	}
	dirty, err := e.dirtyPages(ctx)
	if err != nil {
		return nil, err
	}
	for len(dirty) > 0 {
		piece := dirty[:min(scrubPages, len(dirty))]
		dirty = dirty[len(piece):]
		if err := e.inWriter(ctx, func(c *conn) error { return c.cleanPages(piece) }); err != nil {
			return nil, err
		}
	}
	return nil, e.truncateLog(ctx)
}

// inWriter runs one transaction on the writer's connection.
func (e *Engine) inWriter(ctx context.Context, work func(*conn) error) error {
	return e.serial(ctx, e.writer.waiting, func(s engine.Session) ([]*engine.Step, error) { return nil, work(s.(*conn)) })
}

// dropSamples deletes the copies of rows that an ANALYZE run by hand leaves.
func (e *Engine) dropSamples(ctx context.Context) error {
	var found string
	_, err := e.snapshot(ctx, func(c *conn) (err error) {
		found, err = c.text("SELECT coalesce(max('found'), '') FROM sqlite_master WHERE name = 'sqlite_stat4'")
		return err
	})
	if err != nil || found == "" {
		return err
	}
	return e.inWriter(ctx, func(c *conn) error {
		_, err := c.Exec("DELETE FROM sqlite_stat4", nil)
		return err
	})
}

// dirtyPages reads every page, on a snapshot of its own connection, and returns those whose unused bytes are not all
// zero.
func (e *Engine) dirtyPages(ctx context.Context) (dirty []int64, err error) {
	conn, err := e.openReader()
	if err != nil {
		return nil, engine.Unavailable(err)
	}
	defer conn.close()
	rows, err := conn.Query("SELECT pgno, data FROM sqlite_dbpage('main')", nil)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var page int64
		var content []byte
		if err := rows.Scan(&page, &content); err != nil {
			return nil, err
		}
		switch {
		case page%1024 == 0 && (ctx.Err() != nil || e.isClosed()):
			return nil, errors.Join(ctx.Err(), engine.ErrClosed)
		case page >= treePages:
			return nil, fmt.Errorf("the file has more than %d pages, too many to distinguish their kinds: run VACUUM instead", treePages)
		}
		for _, unused := range unusedBytes(content, page == 1) {
			if !zero(unused) {
				dirty = append(dirty, page)
				break
			}
		}
	}
	return dirty, rows.Err()
}

// cleanPages zeroes the unused bytes of pages in their present state.
func (c *conn) cleanPages(pages []int64) error {
	for _, page := range pages {
		content, err := c.page(page)
		if err != nil {
			return err
		}
		changed := false
		for _, unused := range unusedBytes(content, page == 1) {
			if !zero(unused) {
				clear(unused)
				changed = true
			}
		}
		if changed {
			if _, err := c.Exec("UPDATE sqlite_dbpage SET data = $1 WHERE pgno = $2", []any{content, page}); err != nil {
				return err
			}
		}
	}
	return nil
}

// page reads one page; nil if the file no longer has it.
func (c *conn) page(number int64) (content []byte, err error) {
	rows, err := c.Query("SELECT data FROM sqlite_dbpage('main') WHERE pgno = $1", []any{number})
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if rows.Next() {
		err = rows.Scan(&content)
	}
	return content, errors.Join(err, rows.Err())
}

// truncateLog copies the write-ahead log into the file and empties it. It needs a moment in which no reader uses an
// older snapshot, and waits for one in short tries, so that the writer is not delayed.
func (e *Engine) truncateLog(ctx context.Context) error {
	for range 300 {
		busy, err := e.checkpoint()
		if err != nil || !busy {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	return errors.New("the write-ahead log could not be emptied: a reader holds an old snapshot")
}

// checkpoint makes the writer empty the log, between two groups.
func (e *Engine) checkpoint() (busy bool, err error) {
	done := make(chan struct{})
	task := func(conn *conn) {
		defer close(done)
		if err = conn.script("PRAGMA busy_timeout = 20"); err != nil {
			return
		}
		defer conn.script("PRAGMA busy_timeout = 15000")
		var rows engine.Rows
		if rows, err = conn.Query("PRAGMA wal_checkpoint(TRUNCATE)", nil); err != nil {
			if errors.Is(err, engine.ErrRetry) {
				busy, err = true, nil
			}
			return
		}
		defer rows.Close()
		var frames, moved int64
		if rows.Next() {
			err = rows.Scan(&busy, &frames, &moved)
		}
		err = errors.Join(err, rows.Err())
	}
	e.closing.RLock()
	if e.closed {
		e.closing.RUnlock()
		return false, engine.Unavailable(engine.ErrClosed)
	}
	e.writer.tasks <- task
	e.closing.RUnlock()
	<-done
	return busy, err
}
