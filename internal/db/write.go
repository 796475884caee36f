package db

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/base/trace"
	"entrepot/internal/db/engine"
)

// ErrNoRow is the error of a Row that matched nothing.
var ErrNoRow = engine.ErrNoRow

// ErrRetry is returned by a transaction that found data changed since it was read; Write runs it again.
var ErrRetry = engine.ErrRetry

// Across is the tenant of transactions that serve every tenant: due deliveries, key look-up. Each such statement is in
// a file whose comment says so.
const Across id.Tenant = 0

// A transaction that has lost races runs again at most maxTries times; after serialTries it excludes those of
// WriteSerially.
const (
	maxTries    = 20
	serialTries = 3
)

// Write runs one transaction of one tenant and commits it. An error rolls the transaction back and is returned
// unchanged. The transaction may run again after a race, so it must keep no state between runs. Transactions that
// lost a race run one at a time within their tenant, so that they do not make each other lose again. While one runs
// that has lost several races, no transaction of WriteSerially runs in its tenant.
func (d *DB) Write(ctx context.Context, tenant id.Tenant, run func(*Tx) error) error {
	return d.write(ctx, tenant, engine.Normal, 1, run)
}

// WriteSerially is Write for a transaction whose decisions depend on data that many other transactions change, such as
// a group of orders. On PostgreSQL such transactions of a tenant run one after the other, on all nodes. callers is
// how many callers it writes for: bulk operations pause for that many.
func (d *DB) WriteSerially(ctx context.Context, tenant id.Tenant, callers int, run func(*Tx) error) error {
	return d.write(ctx, tenant, engine.Serial, callers, run)
}

func (d *DB) write(ctx context.Context, tenant id.Tenant, how engine.Mode, callers int, run func(*Tx) error) error {
	var err error
	now := d.Now()
	author := d.author
	if author.Trace == "" && d.runs != d.engine {
		author.Trace = trace.Parent(ctx)
	}
	d.admission.active.mark(tenant, now)
	defer d.open.leave(d.open.enter(now))
	for try := range maxTries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if try > 0 {
			if how &= engine.Bulk | engine.Serial; tenant != Across {
				how |= engine.Alone
				if try >= serialTries {
					how |= engine.Serial
				}
			}
		}
		var tx *Tx
		err = d.runs.Write(ctx, tenant, how, func(s engine.Session) ([]*engine.Step, error) {
			tx = &Tx{Tenant: tenant, db: d, session: s, now: d.Now(), try: try, author: author}
			err := recovered(tx, func(tx *Tx) error {
				if err := run(tx); err != nil {
					return err
				}
				return tx.atEnd()
			})
			tx.pending = nil // no caller waits for these reads any more
			if err != nil {
				return nil, err
			}
			if tx.postponed {
				return nil, nil
			}
			tx.queueTallies()
			return tx.steps(), nil
		})
		if err == nil {
			d.commits.Add(1)
			switch {
			case how.Has(engine.Bulk):
				d.passed.Store(d.others.Load())
			case tenant != Across && ctx.Value(background{}) == nil:
				d.others.Add(int64(callers))
				d.otherAt.Store(time.Now().UnixNano())
			}
			tx.wakeAll()
			return nil
		}
		if !errors.Is(err, ErrRetry) {
			return err
		}
		d.log.Debug("write runs again", "try", try+1, "cause", err)
	}
	return engine.TooLong(fmt.Errorf("gave up after %d races: %w", maxTries, err))
}

var errPanic = errors.New("panic in a transaction")

// recovered turns a panic of a transaction into an error, so that it does not stop the writer.
func recovered(tx *Tx, run func(*Tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v\n%s", errPanic, p, debug.Stack())
		}
	}()
	return run(tx)
}

// Read runs reads of one tenant on one snapshot. Use ReadWide for queries that may look at many records.
func (d *DB) Read(ctx context.Context, tenant id.Tenant, run func(*Tx) error) error {
	at, err := d.admission.enterNarrow(ctx, tenant, d.now())
	if err != nil {
		return err
	}
	defer at.leave()
	return d.read(ctx, tenant, engine.Stored, run)
}

// Peek is a short Read that does not wait for the disk: a power cut may still undo what it sees, so no answer may
// depend on it. Admission does not limit it.
func (d *DB) Peek(ctx context.Context, tenant id.Tenant, run func(*Tx) error) error {
	return d.read(ctx, tenant, engine.Peek, run)
}

func (d *DB) read(ctx context.Context, tenant id.Tenant, how engine.ReadMode, run func(*Tx) error) error {
	return d.again(ctx, func() error {
		return d.runs.Read(ctx, tenant, how, func(s engine.Session) error {
			return run(&Tx{Tenant: tenant, db: d, session: s, now: d.Now(), readOnly: true})
		})
	})
}

// Settle waits until every change stamp reserved so far in the tenant is committed or abandoned, so that a reader
// with its own clock misses nothing (interface §4.3). It returns the store's time before the wait: whatever is not
// committed when Settle returns gets a later stamp.
func (d *DB) Settle(ctx context.Context, tenant id.Tenant) (at int64, err error) {
	err = d.again(ctx, func() error {
		at, err = d.engine.Settle(ctx, tenant)
		return err
	})
	return at, err
}

// again repeats a read as long as it loses races.
func (d *DB) again(ctx context.Context, read func() error) (err error) {
	for range maxTries {
		if err = read(); !errors.Is(err, ErrRetry) || ctx.Err() != nil {
			return err
		}
	}
	return engine.TooLong(fmt.Errorf("gave up after %d races: %w", maxTries, err))
}
