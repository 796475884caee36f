package db

import (
	"context"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/db/engine"
)

// WriteBulk is Write for a piece of a bulk operation. Pieces and other transactions alternate while both wait: a
// transaction of Write waits for at most one piece of its tenant on this node, on SQLite for at most one of all
// tenants.
func (d *DB) WriteBulk(ctx context.Context, tenant id.Tenant, run func(*Tx) error) error {
	return d.write(ctx, tenant, engine.Bulk, 1, run)
}

type background struct{}

// Background marks work that no caller waits for. A bulk operation does not pause for its transactions (Pace).
func Background(ctx context.Context) context.Context {
	return context.WithValue(ctx, background{}, true)
}

// Pace keeps a bulk operation from slowing down others that write meanwhile. It measures real time, not the store's
// clock. It is not safe for concurrent use.
type Pace struct {
	db     *DB
	begun  time.Time // length of the piece
	others int64     // transactions until then
}

// NewPace begins the first piece.
func (d *DB) NewPace() *Pace { return &Pace{d, time.Now(), d.others.Load()} }

// alone is how many times larger a piece may be while no other transactions are stored. A still larger piece would be
// faster, but a transaction that comes meanwhile waits for all of it.
const alone = 4

func factor(others bool) int {
	if others {
		return 1
	}
	return alone
}

// aloneAfter is how long nobody else must have written before a bulk operation begins with large pieces.
const aloneAfter = time.Second

// First is called before the first piece and returns the factor for its size: 1 if another transaction was stored
// recently, or since the last piece of any bulk operation, else alone.
func (p *Pace) First() (times int) {
	lately := p.begun.UnixNano()-p.db.otherAt.Load() < aloneAfter.Nanoseconds()
	return factor(lately || p.others != p.db.passed.Load())
}

// Next is called between two pieces. If other transactions were stored since the last call, it waits, at most until
// ctx ends, and the factor is 1.
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
	return factor(others > 0)
}

// pause is how long a bulk operation waits after a piece during which others have committed transactions: a
// millisecond for each, about what one takes of a processor, but at most as long as the piece took. So the operation
// always has half of the time.
func pause(piece time.Duration, others int64) time.Duration {
	return min(piece, time.Duration(others)*time.Millisecond)
}
