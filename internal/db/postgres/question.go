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

// asking is what one caller asks in a shared message, and what is answered.
type asking struct {
	pending []*engine.Pending
	replies []*reply
}

// question is one statement of a shared message: a read that one or several callers ask for, or the keys of several of them.
type question struct {
	sql     string
	args    []any
	keyed   *engine.Keyed
	replies []*reply         // each wants all rows
	wanted  map[any][]*reply // by key: each wants the rows of some keys
	keys    []any            // of wanted, in their order
}

// answer sends a message with everything that a group asks, and keeps the rows for those who asked.
func (e *Engine) answer(ctx context.Context, tenant id.Tenant, group []*asking) error {
	return e.in(ctx, ctx, opening{tenant: tenant, timeout: e.timeout}, func(s *session) error {
		s.single = true
		return s.ask(questions(group))
	})
}

// questions are what a group asks, each thing once, with new replies.
func questions(group []*asking) []*question {
	var all []*question
	bySQL := map[string][]*question{}
	for _, a := range group {
		a.replies = make([]*reply, len(a.pending))
		for i, p := range a.pending {
			a.replies[i] = &reply{}
			args := plainAll(p.Args)
			name := p.SQL
			if p.Keyed != nil {
				name = p.Keyed.Text(1)
			}
			at := slices.IndexFunc(bySQL[name], func(q *question) bool { return q.covers(p, args) })
			if at < 0 {
				at = len(bySQL[name])
				q := &question{sql: p.SQL, args: args, keyed: p.Keyed}
				bySQL[name] = append(bySQL[name], q)
				all = append(all, q)
			}
			bySQL[name][at].add(a.replies[i], args)
		}
	}
	return all
}

// mostKeys is how many keys a common statement has at the most: for longer lists the planner may choose to read a whole table.
const mostKeys = 64

// covers reports whether a question can answer a read of the same text, or the same Keyed, too.
func (q *question) covers(p *engine.Pending, args []any) bool {
	if p.Keyed == nil {
		return slices.EqualFunc(q.args, args, equal)
	}
	return slices.EqualFunc(q.args[:q.keyed.Head], args[:q.keyed.Head], equal) && len(q.keys)+len(args)-q.keyed.Head <= mostKeys
}

// equal reports whether two arguments are the same; those of other types than strings, numbers and truth values never are.
func equal(a, b any) bool {
	switch a.(type) {
	case nil, string, int64, bool:
		return a == b
	}
	return false
}

// add has the question answer one more read.
func (q *question) add(r *reply, args []any) {
	if q.keyed == nil {
		q.replies = append(q.replies, r)
		return
	}
	if q.wanted == nil {
		q.wanted = map[any][]*reply{}
	}
	for _, key := range args[q.keyed.Head:] {
		askers, known := q.wanted[key]
		if !known {
			q.keys = append(q.keys, key)
		}
		if !slices.Contains(askers, r) {
			q.wanted[key] = append(askers, r)
		}
	}
}

// statement is the question's text and arguments.
func (q *question) statement() (string, []any) {
	if q.keyed == nil {
		return q.sql, q.args
	}
	keys := engine.Padded(q.keys)
	return q.keyed.Text(len(keys)), slices.Concat(q.args[:q.keyed.Head], keys)
}

// ask sends questions in one message and reads every answer.
func (s *session) ask(list []*question) error {
	b, skip := s.batch(len(list))
	for _, q := range list {
		sql, args := q.statement()
		b.Queue(sql, args...)
	}
	results := s.conn.SendBatch(s.ctx, b)
	defer results.Close()
	if err := skipResults(results, skip); err != nil {
		return err
	}
	for _, q := range list {
		rows, err := results.Query()
		if err == nil {
			err = q.read(rows)
		}
		if err != nil {
			return fmt.Errorf("%w in %s", err, engine.Head(q.sql))
		}
	}
	return results.Close()
}

// read copies the rows of the answer for those who want them.
func (q *question) read(rows pgx.Rows) error {
	defer rows.Close()
	var fields []pgconn.FieldDescription
	for rows.Next() {
		if fields == nil {
			fields = slices.Clone(rows.FieldDescriptions())
		}
		row := copied(rows.RawValues())
		wants := q.replies
		if q.keyed != nil {
			wants = q.wanted[string(row[q.keyed.Column])]
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
