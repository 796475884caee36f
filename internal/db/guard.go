package db

import (
	"strings"

	"entrepot/internal/db/engine"
)

// Guard makes a queued write safe without a lock on the rows read before it. Others may commit between the read and
// the write: the guard either detects that, or the write is correct either way. Only Touches, Unique and Difference
// create one.
type Guard struct {
	kind guardKind
	rows int64
}

type guardKind int

const (
	noGuard guardKind = iota
	touches
	unique
	difference
)

// Touches is the guard of a write whose conditions repeat what was read: it must touch n rows. If it touches another
// number, the data changed meanwhile and the transaction runs again.
func Touches(n int64) Guard { return Guard{kind: touches, rows: n} }

// Unique is the guard of an INSERT into a table whose unique key allows one such row. If there is one already, the
// transaction runs again.
func Unique() Guard { return Guard{kind: unique} }

// Difference is the guard of a write that adds to a value, whatever the value is.
func Difference() Guard { return Guard{kind: difference} }

// step is the write with its guard. Without a guard it panics, and the transaction fails.
func (g Guard) step(sql string, args []any) *Step {
	s := &Step{SQL: sql, Args: args, Want: -1}
	switch g.kind {
	case touches:
		return s.Rows(g.rows, nil)
	case unique:
		if text := strings.TrimSpace(sql); !strings.HasPrefix(text, "INSERT") && !strings.HasPrefix(text, "WITH") {
			panic("db: a unique key guards an INSERT only: " + engine.Head(sql))
		}
		return s
	case difference:
		return s
	}
	panic("db: a write without a guard: " + engine.Head(sql))
}

// Put queues a guarded write; it is sent with the writes of Queue.
func (tx *Tx) Put(g Guard, sql string, args ...any) { tx.before = append(tx.before, g.step(sql, args)) }

// PutStamped queues a guarded write that carries stamps or changes a row that all writers of a tenant share; it is
// sent with the writes of Change.
func (tx *Tx) PutStamped(g Guard, sql string, args ...any) {
	tx.after = append(tx.after, g.step(sql, args))
}

// Form is a write of any number of rows that may share a statement with rows of other transactions.
type Form = engine.Form

// PutRows is Put for rows of a form: args are its head and the rows, one after the other. A guard Touches counts the rows.
func (tx *Tx) PutRows(g Guard, f *Form, args ...any) {
	tx.before = append(tx.before, g.rowsOf(f, args))
}

// PutRowsStamped is PutStamped for rows of a form.
func (tx *Tx) PutRowsStamped(g Guard, f *Form, args ...any) {
	tx.after = append(tx.after, g.rowsOf(f, args))
}

func (g Guard) rowsOf(f *Form, args []any) *Step {
	s := g.step(f.Text(f.Rows(args)), args)
	s.Form = f
	return s
}

// Require queues a read that must find n rows when the transaction commits; miss is the error otherwise, with nil the
// transaction runs again. It is sent in its place among the writes of Queue and costs no round trip.
func (tx *Tx) Require(n int64, miss error, sql string, args ...any) {
	s := tx.Queue(sql, args...).Rows(n, miss)
	s.Reads = true
}

// LockRows queues a read that locks the rows it finds. It is sent in its place among the writes of Queue and costs no
// round trip.
func (tx *Tx) LockRows(sql string, args ...any) { tx.Queue(sql, args...).Reads = true }
