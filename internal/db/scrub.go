package db

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"entrepot/internal/base/id"
)

// No statement sees a deleted row or the old version of a changed one, yet their bytes stay in the files until
// something else overwrites them. After an erasure they must go (interface §4.4): the transaction that erases
// requests a scrub, which runs after the commit. The request is a row, so that it survives a crash before the scrub.

// scrubbing is the state that the scrubs of one process share.
type scrubbing struct {
	mu       sync.Mutex
	started  atomic.Int64
	finished int64        // number of the newest scrub that succeeded, under mu
	ended    atomic.Int64 // when the newest ended, in nanoseconds since 1970
}

// RequestScrub records in this transaction that rows of the given tables held data that must leave the files too.
func (tx *Tx) RequestScrub(tables ...string) {
	tx.Queue("INSERT INTO scrubs (id, tables, created_at) VALUES ($1,$2,$3)", id.New[string](), strings.Join(tables, " "), tx.Micros())
}

// Bounds of how long a caller waits for a scrub.
const (
	quietWait = 20 * time.Second // in a store that nobody else writes to
	busyWait  = time.Second      // in a store that is in use, counted from Observe
	busyRest  = 5 * time.Second  // between scrubs of a store in use: each delays other work a little
	quietMost = 20               // transactions of others up to which a store counts as quiet
	waitStep  = 20 * time.Millisecond
)

// Activity is a moment, and how many transactions had been committed by it.
type Activity struct {
	at      time.Time
	commits int64
}

// Observe notes the moment from which ScrubSoon counts the transactions of others.
func (d *DB) Observe() Activity { return Activity{time.Now(), d.commits.Load()} }

// busy reports whether others have used the store since.
func (d *DB) busy(since Activity) bool { return d.commits.Load()-since.commits > quietMost }

// ScrubSoon starts a scrub and waits until it is done, so that nothing of the erased data is left in the files. In a
// store that is in use a scrub takes longer: the caller waits at most a second from the given moment, the scrub goes
// on, and PendingScrubs reports it. Errors are logged, and the scrub stays pending. It also stays pending if another
// scrub ended a moment ago. The next periodic call of Scrub does it.
func (d *DB) ScrubSoon(ctx context.Context, since Activity) {
	if d.busy(since) && time.Since(time.Unix(0, d.scrubbing.ended.Load())) < busyRest {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := d.scrubWhileQuiet(context.WithoutCancel(ctx), since); err != nil {
			d.log.Error("erased data is gone from every table, but bytes of it may be left in the store's files; this is tried again", "error", err)
		}
	}()
	step := time.NewTicker(waitStep)
	defer step.Stop()
	for {
		select {
		case <-done:
			return
		case <-step.C:
		}
		if waited := time.Since(since.at); waited > quietWait || waited > busyWait && d.busy(since) {
			return
		}
	}
}

// scrubWhileQuiet scrubs, and repeats it for tables that were in use as long as nobody else writes.
func (d *DB) scrubWhileQuiet(ctx context.Context, since Activity) error {
	for {
		if err := d.Scrub(ctx); err != nil {
			return err
		}
		if pending, err := d.PendingScrubs(ctx); err != nil || pending == 0 || d.busy(since) || time.Since(since.at) > quietWait {
			return err
		}
		time.Sleep(waitStep)
	}
}

// Scrub removes what deleted and changed rows left in the store's files, if a scrub is pending. It may take as long
// as reading the whole store, without delaying other work: tables in use on PostgreSQL stay pending. After an error
// all stay pending, and the next call tries again. Callers that wait for a running scrub share the next one.
func (d *DB) Scrub(ctx context.Context) error {
	need := d.scrubbing.started.Load() + 1
	d.scrubbing.mu.Lock()
	defer d.scrubbing.mu.Unlock()
	if d.scrubbing.finished >= need {
		return nil
	}
	this := d.scrubbing.started.Add(1)
	defer func() { d.scrubbing.ended.Store(time.Now().UnixNano()) }()
	requests, tables, err := d.scrubRequests(ctx)
	if err != nil {
		return err
	}
	if len(requests) > 0 {
		if err := d.scrub(ctx, requests, tables); err != nil {
			return err
		}
	}
	d.scrubbing.finished = this
	return nil
}

// scrub scrubs some tables. A new request for those that were in use replaces the old requests.
func (d *DB) scrub(ctx context.Context, requests, tables []string) error {
	left, err := d.engine.Scrub(ctx, tables)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		d.log.Info("erased data is gone from every table; some are in use and will be scrubbed later", "tables", strings.Join(left, " "))
	}
	return d.Write(ctx, Across, func(tx *Tx) error {
		if len(left) > 0 {
			tx.RequestScrub(left...)
		}
		return Chunks(requests, func(piece []string) error {
			args := make([]any, len(piece))
			for i := range piece {
				args[i] = piece[i]
			}
			tx.Queue("DELETE FROM scrubs WHERE id IN "+In(len(piece), 1), args...)
			return nil
		})
	})
}

// scrubRequests returns the pending requests and the tables they name.
func (d *DB) scrubRequests(ctx context.Context) (requests, tables []string, err error) {
	err = d.Read(ctx, Across, func(tx *Tx) error {
		return tx.Each(func(r Rows) error {
			var request, names string
			err := r.Scan(&request, &names)
			requests, tables = append(requests, request), append(tables, strings.Fields(names)...)
			return err
		}, "SELECT id, tables FROM scrubs ORDER BY id")
	})
	slices.Sort(tables)
	return requests, slices.Compact(tables), err
}

// PendingScrubs reports how many requests are not done yet.
func (d *DB) PendingScrubs(ctx context.Context) (int, error) {
	requests, _, err := d.scrubRequests(ctx)
	return len(requests), err
}

// Texts reads every text of every table, of all tenants, to prove that something is stored nowhere.
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

// Files reads the store's files byte by byte. left describes the files that this process could not read.
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
