package sqlite

import (
	"context"
	"fmt"
	"strconv"

	"zombiezen.com/go/sqlite"

	"entrepot/internal/db/engine"
	"entrepot/internal/db/groups"
	"entrepot/internal/id"
)

// shared is a session whose reads share a snapshot, and statements, with other callers who read at the same moment. Two reads of one
// session may see different snapshots.
type shared struct {
	groups.Session[*reply]
	ctx    context.Context
	engine *Engine
	tenant id.Tenant
	seen   int64 // the newest group that it may have seen
}

func (e *Engine) shared(ctx context.Context, tenant id.Tenant) *shared {
	s := &shared{ctx: ctx, engine: e, tenant: tenant}
	s.Read = s.read
	return s
}

// lookup is what one caller reads from a shared snapshot; statement is one of those that read it.
type (
	lookup struct {
		groups.Lookup[reply]
		seen int64
	}
	statementOf = groups.Statement[reply]
)

// read answers pending reads from memory, as far as their rows cannot have changed, and runs the others.
func (s *shared) read(pending []*engine.Pending) ([]*reply, error) {
	known := s.engine.recall(pending)
	if len(known.missing) > 0 {
		read, err := s.fromStore(known.reads())
		if err != nil {
			return nil, err
		}
		known.learn(read)
	}
	s.seen = max(s.seen, s.engine.writer.durability.last())
	return known.replies, nil
}

// fromStore runs pending reads on a snapshot shared with others. If that fails for what another of them wanted, or if there is a long read
// among them, they have a snapshot of their own.
func (s *shared) fromStore(pending []*engine.Pending) ([]*reply, error) {
	own := &lookup{Lookup: groups.Lookup[reply]{Tenant: s.tenant, Pending: pending}}
	defer func() { s.seen = max(s.seen, own.seen) }()
	if !groups.Long(pending) {
		size, err := s.engine.lookups.Together(s.tenant, own, func(group []*lookup) error {
			ctx := s.ctx
			if len(group) > 1 { // others wait for it
				ctx = context.WithoutCancel(ctx)
			}
			return s.engine.lookUp(ctx, group)
		})
		if err == nil || size == 1 {
			return own.Replies, err
		}
	}
	err := s.engine.lookUp(s.ctx, []*lookup{own})
	return own.Replies, err
}

// lookUp reads from one snapshot what a group wants, and keeps the rows for its callers.
func (e *Engine) lookUp(ctx context.Context, group []*lookup) error {
	wanted := make([]*groups.Lookup[reply], len(group))
	for i, l := range group {
		wanted[i] = &l.Lookup
	}
	seen, err := e.snapshot(ctx, true, func(c *conn) error {
		for _, s := range groups.Statements(wanted, false) {
			if err := c.keep(s); err != nil {
				return fmt.Errorf("%w in %s", err, engine.Head(s.SQL))
			}
		}
		return nil
	})
	for _, l := range group {
		l.seen = seen
	}
	return err
}

// keep runs a statement and copies its rows for those who want them.
func (c *conn) keep(of *statementOf) error {
	sql, args := of.Text()
	opened, err := c.Query(sql, args)
	if err != nil {
		return err
	}
	defer opened.Close()
	found := opened.(*rows)
	if found.stmt.writes || found.stmt.locks {
		return engine.ErrOnlyReads
	}
	for found.Next() {
		row := make([]value, found.stmt.ColumnCount())
		for i := range row {
			row[i] = c.value(found.stmt, i)
		}
		wants := of.All()
		if of.Keyed != nil {
			wants = of.Of(row[of.Keyed.Column].text)
		}
		for _, r := range wants {
			r.rows = append(r.rows, row)
		}
	}
	return found.Err()
}

// value is one column of a row in memory.
type value struct {
	kind   sqlite.ColumnType
	number int64
	text   string // of texts and bytes
}

func (c *conn) value(s *statement, i int) (v value) {
	switch v.kind = s.ColumnType(i); v.kind {
	case sqlite.TypeNull:
	case sqlite.TypeInteger:
		v.number = s.ColumnInt64(i)
	default:
		v.text = c.textOf(s, i)
	}
	return v
}

// reply is the answer to one read, in memory. Rows may be shared with other replies.
type reply struct {
	rows [][]value
	at   int // the row is the one before
}

func (r *reply) Next() bool {
	r.at++
	return r.at <= len(r.rows)
}

func (r *reply) Scan(into ...any) error { return scan(r, len(r.rows[r.at-1]), into) }
func (r *reply) Err() error             { return nil }
func (r *reply) Close()                 {}

func (r *reply) column(i int) value                  { return r.rows[r.at-1][i] }
func (r *reply) Column(i int, place any) error       { return column(r, i, place) }
func (r *reply) Null(i int) bool                     { return r.column(i).kind == sqlite.TypeNull }
func (r *reply) AppendBytes(to []byte, i int) []byte { return append(to, r.column(i).text...) }

func (r *reply) text(i int) (string, error) {
	switch v := r.column(i); v.kind {
	case sqlite.TypeNull:
		return "", errNull
	case sqlite.TypeInteger:
		return strconv.FormatInt(v.number, 10), nil
	default:
		return v.text, nil
	}
}

func (r *reply) int64(i int) (int64, error) {
	v := r.column(i)
	if v.kind != sqlite.TypeInteger {
		return 0, errNoNumber
	}
	return v.number, nil
}
