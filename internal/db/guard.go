package db

import (
	"strings"

	"entrepot/internal/db/engine"
)

// Guard is what makes a queued write safe without a lock on what was read before it: between the read and the write others may have
// committed, and the guard finds out, or makes no difference. Only Touches, Unique and Difference make one.
type Guard struct {
	kind guardKind
	rows int64
	err  error
}

type guardKind int

const (
	noGuard guardKind = iota
	touches
	unique
	difference
)

// Touches is the guard of a write whose conditions hold what was read: it must touch n rows. Miss is what another number means; nil:
// the data changed meanwhile, the transaction runs again.
func Touches(n int64, miss error) Guard { return Guard{kind: touches, rows: n, err: miss} }

// Unique is the guard of an INSERT into a table whose unique key lets only one such row be. Dup is what a second one means; nil: the
// transaction runs again.
func Unique(dup error) Guard { return Guard{kind: unique, err: dup} }

// Difference is the guard of a write that adds to what is there, whatever that is.
func Difference() Guard { return Guard{kind: difference} }

// step is the write under its guard. It panics where there is none, and the transaction fails.
func (g Guard) step(sql string, args []any) *Step {
	s := &Step{SQL: sql, Args: args, Want: -1}
	switch g.kind {
	case touches:
		return s.Rows(g.rows, g.err)
	case unique:
		if text := strings.TrimSpace(sql); !strings.HasPrefix(text, "INSERT") && !strings.HasPrefix(text, "WITH") {
			panic("db: a unique key guards an INSERT only: " + engine.Head(sql))
		}
		return s.Unique(g.err)
	case difference:
		return s
	}
	panic("db: a write without a guard: " + engine.Head(sql))
}

// Put queues a guarded write; it goes out where those of Queue do.
func (tx *Tx) Put(g Guard, sql string, args ...any) { tx.before = append(tx.before, g.step(sql, args)) }

// PutStamped queues a guarded write that carries stamps or belongs to a row that all of a tenant's writers share; it goes out where those
// of Change do.
func (tx *Tx) PutStamped(g Guard, sql string, args ...any) {
	tx.after = append(tx.after, g.step(sql, args))
}

// Require takes a read that must find n rows when the transaction commits; miss is as of Touches. It goes out in its place among the
// writes of Queue and costs no round trip.
func (tx *Tx) Require(n int64, miss error, sql string, args ...any) {
	s := tx.Queue(sql, args...).Rows(n, miss)
	s.Reads = true
}

// LockRows queues a read that locks the rows that it finds. It goes out in its place among the writes of Queue and costs no round trip.
func (tx *Tx) LockRows(sql string, args ...any) { tx.Queue(sql, args...).Reads = true }
