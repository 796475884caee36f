package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"entrepot/internal/db/engine"
	"entrepot/internal/id"
)

// lookup is what one caller reads in a shared message.
type lookup struct {
	tenant  id.Tenant
	pending []*engine.Pending
	replies []*reply
}

// statement is one statement of a shared message: a read that one or several callers want, or the keys of several of them.
type statement struct {
	tenant  id.Tenant
	sql     string
	args    []any
	keyed   *engine.Keyed
	lone    bool     // its tenant is the only one of the group
	mixed   bool     // the keys have heads of their own
	replies []*reply // each wants all rows
	keys    []keyOf
	wanted  map[keyOf][]*reply // each wants the rows of some keys
}

// keyOf is a key; of a mixed statement, with its head.
type keyOf struct {
	head [2]any
	key  any
}

// mostHead is how many arguments a head has at the most.
const mostHead = len(keyOf{}.head)

// lookUp sends a message with everything that a group reads, and keeps the rows for its callers.
func (e *Engine) lookUp(ctx context.Context, group []*lookup) error {
	begin := opening{timeout: e.timeout, lockTimeout: lockTimeout}
	for _, l := range group {
		if !slices.Contains(begin.tenants, l.tenant) {
			begin.tenants = append(begin.tenants, l.tenant)
		}
	}
	return e.in(ctx, ctx, begin, func(s *session) error {
		s.single = true
		return s.readAll(statements(group, len(begin.tenants) > 1))
	})
}

// statements are what a group looks up, each thing once, with new replies. In a mixed group, of several tenants, keys of all of them share
// statements, which come first; those of one tenant follow together.
func statements(group []*lookup, mixed bool) []*statement {
	var all []*statement
	type text struct {
		tenant id.Tenant
		sql    string
	}
	byText := map[text][]*statement{}
	for _, l := range group {
		l.replies = make([]*reply, len(l.pending))
		for i, p := range l.pending {
			l.replies[i] = &reply{}
			args := plainAll(p.Args)
			name := text{l.tenant, p.SQL}
			mix := mixed && l.tenant != 0 && p.Keyed != nil && p.Keyed.Mixed != "" && p.Keyed.Head <= mostHead
			switch {
			case mix:
				name = text{-1, p.Keyed.Mixed}
			case p.Keyed != nil:
				name.sql = p.Keyed.Text(1)
			}
			at := slices.IndexFunc(byText[name], func(s *statement) bool { return s.covers(p, args) })
			if at < 0 {
				at = len(byText[name])
				s := &statement{tenant: name.tenant, sql: p.SQL, args: args, keyed: p.Keyed, lone: !mixed, mixed: mix}
				byText[name] = append(byText[name], s)
				all = append(all, s)
			}
			byText[name][at].add(l.replies[i], args)
		}
	}
	slices.SortStableFunc(all, func(a, b *statement) int { return cmp.Compare(a.tenant, b.tenant) })
	return all
}

// mostKeys is how many keys a common statement has at the most: for longer lists the planner may choose to read a whole table. It does not
// know how long the arrays of a mixed one are.
const (
	mostKeys  = 64
	mostMixed = 512
)

// covers reports whether a statement can serve a read of the same text, or the same Keyed, too.
func (s *statement) covers(p *engine.Pending, args []any) bool {
	switch {
	case p.Keyed == nil:
		return slices.EqualFunc(s.args, args, equal)
	case s.mixed:
		return len(s.keys)+len(args)-s.keyed.Head <= mostMixed
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
		s.wanted = map[keyOf][]*reply{}
	}
	var of keyOf
	if s.mixed {
		copy(of.head[:], args[:s.keyed.Head])
	}
	for _, of.key = range args[s.keyed.Head:] {
		replies, known := s.wanted[of]
		if !known {
			s.keys = append(s.keys, of)
		}
		if !slices.Contains(replies, r) {
			s.wanted[of] = append(replies, r)
		}
	}
}

// text is the statement's text and arguments.
func (s *statement) text() (string, []any) {
	switch {
	case s.keyed == nil:
		return s.sql, s.args
	case s.mixed:
		args := make([]any, 0, s.keyed.Head+1)
		for i := range s.keyed.Head {
			args = append(args, column(s.keys, func(k keyOf) any { return k.head[i] }))
		}
		return s.keyed.Mixed, append(args, column(s.keys, func(k keyOf) any { return k.key }))
	}
	keys := engine.Padded(s.keys)
	args := slices.Clone(s.args[:s.keyed.Head])
	for _, k := range keys {
		args = append(args, k.key)
	}
	return s.keyed.Text(len(keys)), args
}

// column is an array of texts or numbers.
func column(keys []keyOf, of func(keyOf) any) any {
	if _, numbers := of(keys[0]).(int64); numbers {
		return each[int64](keys, of)
	}
	return each[string](keys, of)
}

func each[T, K any](keys []K, of func(K) any) []T {
	list := make([]T, len(keys))
	for i, k := range keys {
		list[i] = of(k).(T)
	}
	return list
}

// readAll sends statements in one message and reads every result. Row-level security shows mixed statements the rows of all tenants of
// the group, and others those of their own.
func (s *session) readAll(list []*statement) error {
	b, skip := s.batch(len(list))
	for i, st := range list {
		if st.named(list[:i]) {
			b.Queue(nameTenant, opening{tenants: []id.Tenant{st.tenant}}.names())
		}
		sql, args := st.text()
		b.Queue(sql, args...)
	}
	results := s.conn.SendBatch(s.ctx, b)
	defer results.Close()
	if err := skipResults(results, skip); err != nil {
		return err
	}
	for i, st := range list {
		if st.named(list[:i]) {
			if err := skipResults(results, 1); err != nil {
				return err
			}
		}
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

const nameTenant = "SELECT set_config('entrepot.tenant', $1, true)"

// named reports whether the statement's tenant must be named in front of it.
func (s *statement) named(before []*statement) bool {
	return !s.mixed && !s.lone && (len(before) == 0 || before[len(before)-1].tenant != s.tenant)
}

// read copies the rows of the answer for those who want them.
func (s *statement) read(rows pgx.Rows) error {
	defer rows.Close()
	var fields []pgconn.FieldDescription
	for rows.Next() {
		if fields == nil {
			if fields = slices.Clone(rows.FieldDescriptions()); s.mixed {
				fields = fields[:len(fields)-1]
			}
		}
		row := copied(rows.RawValues())
		wants := s.replies
		switch {
		case s.mixed:
			last := len(row) - 1
			n, err := strconv.Atoi(string(row[last]))
			if err != nil || n < 1 || n > len(s.keys) {
				return fmt.Errorf("db: a row of key %q of %d", row[last], len(s.keys))
			}
			row, wants = row[:last], s.wanted[s.keys[n-1]]
		case s.keyed != nil:
			wants = s.wanted[keyOf{key: string(row[s.keyed.Column])}]
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
