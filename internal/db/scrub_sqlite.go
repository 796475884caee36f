package db

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// SQLite zeroes what it deletes (secure_delete), with one exception: when it moves rows between the pages of a tree, the page
// they leave keeps their bytes in its unused middle. Those are zeroed here, page by page, through SQLite itself (sqlite_dbpage),
// so that other connections and a crash see nothing but a change of unused bytes. Older versions of pages in the write-ahead log
// go with a checkpoint that truncates it.

// Bounds of a scrub of SQLite.
const (
	scrubPages = 64      // cleaned in one transaction, so that writers hardly wait
	treePages  = 1 << 25 // from here on a page of another kind may begin like one of a tree
)

func (e *sqliteEngine) scrub(ctx context.Context, _ []string) (left []string, err error) {
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
		if err := e.serial(ctx, Across, func(tx *Tx) error { return cleanPages(tx, piece) }); err != nil {
			return nil, err
		}
	}
	return nil, e.truncateLog(ctx)
}

// dropSamples forgets the rows that an ANALYZE, run by hand, keeps copies of.
func (e *sqliteEngine) dropSamples(ctx context.Context) error {
	return e.serial(ctx, Across, func(tx *Tx) error {
		var n int64
		if err := tx.Row("SELECT count(*) FROM sqlite_master WHERE name = 'sqlite_stat4'", nil, &n); err != nil || n == 0 {
			return err
		}
		_, err := tx.Exec("DELETE FROM sqlite_stat4")
		return err
	})
}

// dirtyPages reads every page, on a snapshot and a connection of its own, and names those with unused bytes that are not zero.
func (e *sqliteEngine) dirtyPages(ctx context.Context) (dirty []int64, err error) {
	conn, err := e.openReader()
	if err != nil {
		return nil, unavailable(err)
	}
	defer conn.close()
	rows, err := conn.query("SELECT pgno, data FROM sqlite_dbpage('main')", nil)
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
			return nil, errors.Join(ctx.Err(), errClosed)
		case page >= treePages:
			return nil, fmt.Errorf("the file has more than %d pages, too many to tell their kinds apart: run VACUUM instead", treePages)
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

func (e *sqliteEngine) isClosed() bool {
	e.closing.RLock()
	defer e.closing.RUnlock()
	return e.closed
}

// cleanPages zeroes the unused bytes of some pages as they are now.
func cleanPages(tx *Tx, pages []int64) error {
	for _, page := range pages {
		var content []byte
		err := tx.Row("SELECT data FROM sqlite_dbpage('main') WHERE pgno = $1", []any{page}, &content)
		if errors.Is(err, ErrNoRow) {
			continue
		}
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
			if _, err := tx.Exec("UPDATE sqlite_dbpage SET data = $1 WHERE pgno = $2", content, page); err != nil {
				return err
			}
		}
	}
	return nil
}

func zero(b []byte) bool {
	for len(b) >= 8 {
		if binary.NativeEndian.Uint64(b) != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// unusedBytes are the parts of a tree's page that belong to no row: the gap between the row pointers and the rows, and the blocks
// freed among the rows without their heads. Pages of other kinds, and what does not look like a page, have none.
func unusedBytes(page []byte, first bool) (parts [][]byte) {
	head := 0
	if first {
		head = 100 // the file's own header
	}
	if len(page) < 512 {
		return nil
	}
	pointers := head + 8
	switch page[head] {
	case 0x02, 0x05: // inner pages also point to their last child
		pointers += 4
	case 0x0a, 0x0d:
	default:
		return nil
	}
	number := func(at int) int { return int(binary.BigEndian.Uint16(page[at:])) }
	low, high := pointers+2*number(head+3), number(head+5)
	if high == 0 {
		high = 1 << 16
	}
	if low > high || high > len(page) {
		return nil
	}
	parts = append(parts, page[low:high])
	for block, next := number(head+1), 0; block != 0; block = next {
		if block < high || block+4 > len(page) {
			return nil
		}
		next = number(block)
		size := number(block + 2)
		if size < 4 || block+size > len(page) || next != 0 && next < block+size {
			return nil
		}
		parts = append(parts, page[block+4:block+size])
	}
	return parts
}

// truncateLog copies the write-ahead log into the file and empties it. It needs a moment in which no reader is on an older
// snapshot, and waits for one in short tries, so that the writer is never held up.
func (e *sqliteEngine) truncateLog(ctx context.Context) error {
	for range 200 {
		busy, err := e.checkpoint()
		if err != nil || !busy {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	return errors.New("the write-ahead log could not be emptied: a reader holds an old snapshot")
}

// checkpoint asks the writer, which is between two transactions then.
func (e *sqliteEngine) checkpoint() (busy bool, err error) {
	done := make(chan struct{})
	task := func(conn *sqliteConn) {
		defer close(done)
		if err = conn.script("PRAGMA busy_timeout = 20"); err != nil {
			return
		}
		defer conn.script("PRAGMA busy_timeout = 15000")
		var rows Rows
		if rows, err = conn.query("PRAGMA wal_checkpoint(TRUNCATE)", nil); err != nil {
			if errors.Is(err, Retry) {
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
		return false, unavailable(errClosed)
	}
	e.writer.tasks <- task
	e.closing.RUnlock()
	<-done
	return busy, err
}

func (e *sqliteEngine) texts(ctx context.Context, each func(table, column, text string) error) error {
	return e.read(ctx, Across, true, func(tx *Tx) error {
		columns := map[string][]string{}
		var tables []string
		err := tx.Each(func(r Rows) error {
			var table, column string
			err := r.Scan(&table, &column)
			if columns[table] == nil {
				tables = append(tables, table)
			}
			columns[table] = append(columns[table], column)
			return err
		}, `SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' AND c.type = 'TEXT' ORDER BY t.name, c.cid`)
		if err != nil {
			return err
		}
		for _, table := range tables {
			if err := everyText(tx, table, columns[table], each); err != nil {
				return err
			}
		}
		return nil
	})
}

// files reads the store's file and its write-ahead log. The handle on the file stays open until the store is closed, because
// closing it would end the locks that this process's connections have on it.
func (e *sqliteEngine) files(_ context.Context, each func(name string, content io.Reader) error) ([]string, error) {
	e.rawOnce.Do(func() { e.raw, e.rawErr = os.Open(filepath.Join(e.dir, File)) })
	if e.rawErr != nil {
		return nil, e.rawErr
	}
	if err := each(File, io.NewSectionReader(e.raw, 0, 1<<62)); err != nil {
		return nil, err
	}
	log, err := os.ReadFile(filepath.Join(e.dir, File+"-wal"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return nil, each(File+"-wal", bytes.NewReader(log))
}
