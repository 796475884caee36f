package db

import (
	"context"
	"time"
)

// Others is how many transactions others have committed since the piece began.
func (p *Pace) Others() int64 { return p.db.others.Load() - p.others }

// OthersWrote says how long ago others have written last.
func (d *DB) OthersWrote(ago time.Duration) { d.otherAt.Store(time.Now().Add(-ago).UnixNano()) }

// Script runs statements as they are.
func (d *DB) Script(ctx context.Context, sql string) error { return d.engine.Script(ctx, sql) }

// Wrapped reports whether transactions run on anything but the engine itself.
func (d *DB) Wrapped() bool { return d.runs != d.engine }

// Summary names a statement in spans.
func Summary(sql string) string { return summary(sql) }
