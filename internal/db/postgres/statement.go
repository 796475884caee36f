package postgres

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"entrepot/internal/db/engine"
	"entrepot/internal/id"
)

// lookup is what one caller reads in a shared message.
type lookup struct {
	pending []*engine.Pending
	replies []*reply
}

// statement is one statement of a shared message: a read that one or several callers want, or the keys of several of them.
type statement struct {
	sql     string
	args    []any
	keyed   *engine.Keyed
	replies []*reply         // each wants all rows
	wanted  map[any][]*reply // by key: each wants the rows of some keys
	keys    []any            // of wanted, in their order
}

// lookUp sends a message with everything that a group reads, and keeps the rows for its callers.
func (e *Engine) lookUp(ctx context.Context, tenant id.Tenant, group []*lookup) error {
	return e.in(ctx, ctx, opening{tenant: tenant, timeout: e.timeout}, func(s *session) error {
		s.single = true
		return s.readAll(statements(group))
	})
}

// statements are what a group looks up, each thing once, with new replies.
func statements(group []*lookup) []*statement {
	var all []*statement
	bySQL := map[string][]*statement{}
	for _, l := range group {
		l.replies = make([]*reply, len(l.pending))
		for i, p := range l.pending {
			l.replies[i] = &reply{}
			args := plainAll(p.Args)
			name := p.SQL
			if p.Keyed != nil {
				name = p.Keyed.Text(1)
			}
			at := slices.IndexFunc(bySQL[name], func(s *statement) bool { return s.covers(p, args) })
			if at < 0 {
				at = len(bySQL[name])
				s := &statement{sql: p.SQL, args: args, keyed: p.Keyed}
				bySQL[name] = append(bySQL[name], s)
				all = append(all, s)
			}
			bySQL[name][at].add(l.replies[i], args)
		}
	}
	return all
}

// mostKeys is how many keys a common statement has at the most: for longer lists the planner may choose to read a whole table.
const mostKeys = 64

// covers reports whether a statement can serve a read of the same text, or the same Keyed, too.
func (s *statement) covers(p *engine.Pending, args []any) bool {
	if p.Keyed == nil {
		return slices.EqualFunc(s.args, args, equal)
	}
	return slices.EqualFunc(s.args[:s.keyed.Head], args[:s.keyed.Head], equal) && len(s.keys)+len(args)-s.keyed.Head <= mostKeys
}

// equal reports whether two arguments are the same; those of other types than strings, numbers and truth values never are.
func equal(a, b any) bool {
	switch a.(type) {
	case nil, string, int64, bool:
		return a == b
	}
	return false
}

// add has the statement serve one more read.
func (s *statement) add(r *reply, args []any) {
	if s.keyed == nil {
		s.replies = append(s.replies, r)
		return
	}
	if s.wanted == nil {
		s.wanted = map[any][]*reply{}
	}
	for _, key := range args[s.keyed.Head:] {
		replies, known := s.wanted[key]
		if !known {
			s.keys = append(s.keys, key)
		}
		if !slices.Contains(replies, r) {
			s.wanted[key] = append(replies, r)
		}
	}
}

// text is the statement's text and arguments.
func (s *statement) text() (string, []any) {
	if s.keyed == nil {
		return s.sql, s.args
	}
	keys := engine.Padded(s.keys)
	return s.keyed.Text(len(keys)), slices.Concat(s.args[:s.keyed.Head], keys)
}

// readAll sends statements in one message and reads every result.
func (s *session) readAll(list []*statement) error {
	b, skip := s.batch(len(list))
	for _, st := range list {
		sql, args := st.text()
		b.Queue(sql, args...)
	}
	results := s.conn.SendBatch(s.ctx, b)
	defer results.Close()
	if err := skipResults(results, skip); err != nil {
		return err
	}
	for _, st := range list {
		rows, err := results.Query()
		if err == nil {
			err = st.read(rows)
		}
		if err != nil {
			return fmt.Errorf("%w in %s", err, engine.Head(st.sql))
		}
	}
	return results.Close()
}

// read copies the rows of the answer for those who want them.
func (s *statement) read(rows pgx.Rows) error {
	defer rows.Close()
	var fields []pgconn.FieldDescription
	for rows.Next() {
		if fields == nil {
			fields = slices.Clone(rows.FieldDescriptions())
		}
		row := copied(rows.RawValues())
		wants := s.replies
		if s.keyed != nil {
			wants = s.wanted[string(row[s.keyed.Column])]
		}
		for _, r := range wants {
			r.fields = fields
			r.rows = append(r.rows, row)
		}
	}
	return rows.Err()
}

// copied is a row that stays when the connection reads the next one.
func copied(row [][]byte) [][]byte {
	size := 0
	for _, value := range row {
		size += len(value)
	}
	buffer, own := make([]byte, 0, size), make([][]byte, len(row))
	for i, value := range row {
		if value != nil {
			from := len(buffer)
			buffer = append(buffer, value...)
			own[i] = buffer[from:len(buffer):len(buffer)]
		}
	}
	return own
}

// reply is the answer to one read, in memory. Rows may be shared with other replies.
type reply struct {
	fields []pgconn.FieldDescription
	rows   [][][]byte
	at     int
}

func (r *reply) Next() bool {
	r.at++
	return r.at <= len(r.rows)
}

func (r *reply) Scan(into ...any) error {
	types := typeMaps.Get().(*pgtype.Map)
	defer typeMaps.Put(types)
	return pgx.ScanRow(types, r.fields, r.rows[r.at-1], into...)
}

func (r *reply) Err() error { return nil }
func (r *reply) Close()     {}

// typeMaps are PostgreSQL's own types, for one reader at a time.
var typeMaps = sync.Pool{New: func() any { return pgtype.NewMap() }}
