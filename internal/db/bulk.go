package db

import (
	"context"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db/engine"
)

// WriteBulk is Write for a piece of a bulk operation. A transaction of Write waits for at most one
// piece of its tenant on this node, on SQLite for at most one of all tenants: when both wait, they take turns.
func (d *DB) WriteBulk(ctx context.Context, tenant id.Tenant, run func(*Tx) error) error {
	return d.write(ctx, tenant, engine.Bulk, 1, run)
}

type background struct{}

// Background marks work that no caller waits for: a bulk operation does not pause for its transactions (Pace).
func Background(ctx context.Context) context.Context {
	return context.WithValue(ctx, background{}, true)
}

// Pace keeps a bulk operation from slowing down others that write meanwhile. It measures real time, not the store's
// clock. It is not safe for concurrent use.
type Pace struct {
	db     *DB
	begun  time.Time // of the piece
	others int64     // transactions until then
}

// NewPace begins the first piece.
func (d *DB) NewPace() *Pace { return &Pace{d, time.Now(), d.others.Load()} }

// alone is how many times as large as beside others a piece may be while no other transactions are stored. More would be faster still,
// but whoever comes then waits for all of it.
const alone = 4

func timesBeside(others bool) int {
	if others {
		return 1
	}
	return alone
}

// aloneAfter is how long nobody else must have written before a bulk operation begins as if it were alone.
const aloneAfter = time.Second

// First is called before the first piece and returns how many times as large it may be as beside others: 1 if another transaction was
// stored lately, or since the last piece of any bulk operation.
func (p *Pace) First() (times int) {
	lately := p.begun.UnixNano()-p.db.otherAt.Load() < aloneAfter.Nanoseconds()
	return timesBeside(lately || p.others != p.db.passed.Load())
}

// Next is called between two pieces. It waits if other transactions were stored since the last call, at most until ctx
// ends; if so, times is 1.
func (p *Pace) Next(ctx context.Context) (times int) {
	others := p.db.others.Load() - p.others
	if wait := pause(time.Since(p.begun), others); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	p.begun, p.others = time.Now(), p.db.others.Load()
	return timesBeside(others > 0)
}

// pause is how long a bulk operation waits behind a piece during which others have committed transactions: a millisecond for each, which is
// about what it takes of a processor, but not longer than the piece took, so that whatever others do, half of the time is the operation's.
func pause(piece time.Duration, others int64) time.Duration {
	return min(piece, time.Duration(others)*time.Millisecond)
}
