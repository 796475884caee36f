package db

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"entrepot/internal/id"
)

// A row that was deleted or changed is gone for every statement, yet its bytes stay in the files until something happens to be
// written over them. After an erasure they must go (interface §4.4): the transaction that erases owes a scrub, and Scrub pays it
// after the commit. The debt is a row, so that a crash between the two does not forget it.

// scrubbing is what the scrubs of one process share.
type scrubbing struct {
	mu       sync.Mutex
	started  atomic.Int64
	finished int64 // the newest that went well, under mu
}

// RequestScrub notes in this transaction that rows of the given tables held what must leave the files too.
func (tx *Tx) RequestScrub(tables ...string) {
	tx.Queue("INSERT INTO scrubs (id, tables, created_at) VALUES ($1,$2,$3)", id.New[string](), strings.Join(tables, " "), tx.Micros())
}

// Scrub removes from the store's files what deleted and changed rows left behind, if a scrub is owed. It may take as long as
// reading the whole store; other work goes on meanwhile and is not held up: what is in use on PostgreSQL stays owed. After an error
// everything does, and the next call tries again. Calls that wait for one another share the work of the first that starts after them.
func (d *DB) Scrub(ctx context.Context) error {
	need := d.scrubbing.started.Load() + 1
	d.scrubbing.mu.Lock()
	defer d.scrubbing.mu.Unlock()
	if d.scrubbing.finished >= need {
		return nil
	}
	this := d.scrubbing.started.Add(1)
	owed, tables, err := d.owed(ctx)
	if err != nil {
		return err
	}
	if len(owed) > 0 {
		left, err := d.engine.Scrub(ctx, tables)
		if err != nil {
			return err
		}
		if len(left) > 0 {
			d.log.Info("erased data is gone from every table; some are in use and will be scrubbed later", "tables", strings.Join(left, " "))
		}
		err = d.Write(ctx, Across, func(tx *Tx) error {
			if len(left) > 0 {
				tx.RequestScrub(left...)
			}
			return Chunks(owed, func(piece []string) error {
				args := make([]any, len(piece))
				for i := range piece {
					args[i] = piece[i]
				}
				tx.Queue("DELETE FROM scrubs WHERE id IN "+In(len(piece), 1), args...)
				return nil
			})
		})
		if err != nil {
			return err
		}
	}
	d.scrubbing.finished = this
	return nil
}

// owed are the debts and the tables they name.
func (d *DB) owed(ctx context.Context) (debts, tables []string, err error) {
	err = d.Read(ctx, Across, func(tx *Tx) error {
		return tx.Each(func(r Rows) error {
			var debt, names string
			err := r.Scan(&debt, &names)
			debts, tables = append(debts, debt), append(tables, strings.Fields(names)...)
			return err
		}, "SELECT id, tables FROM scrubs ORDER BY id")
	})
	slices.Sort(tables)
	return debts, slices.Compact(tables), err
}

// PendingScrubs reports how many scrubs are owed.
func (d *DB) PendingScrubs(ctx context.Context) (int, error) {
	debts, _, err := d.owed(ctx)
	return len(debts), err
}

// Texts reads every text of every table, of whatever tenant, for proofs that something is nowhere.
func (d *DB) Texts(ctx context.Context, each func(table, column, text string) error) error {
	return d.Read(ctx, Across, func(tx *Tx) error {
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
		}, d.engine.Catalog().Texts)
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

// Files reads the store's files as the bytes they are. left says, for people, which ones this process could not read.
func (d *DB) Files(ctx context.Context, each func(name string, content io.Reader) error) (left []string, err error) {
	return d.engine.Files(ctx, each)
}

// everyText reads the text columns of one table.
func everyText(tx *Tx, table string, columns []string, each func(table, column, text string) error) error {
	values := make([]string, len(columns))
	places := make([]any, len(columns))
	for i := range places {
		places[i] = Opt(&values[i])
	}
	return tx.Each(func(r Rows) error {
		err := r.Scan(places...)
		for i, text := range values {
			if text != "" {
				err = errors.Join(err, each(table, columns[i], text))
			}
		}
		return err
	}, `SELECT "`+strings.Join(columns, `", "`)+`" FROM "`+table+`"`)
}
