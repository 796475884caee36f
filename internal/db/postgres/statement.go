package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"entrepot/internal/db/engine"
	"entrepot/internal/db/groups"
	"entrepot/internal/id"
)

// lookup is what one caller reads in a shared message; statement is one of the message.
type (
	lookup    = groups.Lookup[reply]
	statement = groups.Statement[reply]
)

// lookUp sends a message with everything that a group reads, if wanted in one snapshot, and keeps the rows for its callers.
func (e *Engine) lookUp(ctx context.Context, group []*lookup, snapshot bool) error {
	begin := opening{begin: beginRead, timeout: e.timeout, lockTimeout: e.bounds.lock}
	for _, l := range group {
		if !slices.Contains(begin.tenants, l.Tenant) {
			begin.tenants = append(begin.tenants, l.Tenant)
		}
	}
	return e.in(ctx, ctx, begin, func(s *session) error {
		s.single, s.ends = !snapshot, snapshot
		return s.readAll(groups.Statements(group, len(begin.tenants) > 1))
	})
}

// readAll sends statements in one message and reads every result. Row-level security shows mixed statements the rows of all tenants of
// the group, and others those of their own.
func (s *session) readAll(list []*statement) error {
	b, skip := s.batch(len(list))
	for i, st := range list {
		if namesTenant(st, list[:i]) {
			b.Queue(nameTenant, opening{tenants: []id.Tenant{st.Tenant}}.names())
		}
		sql, args := st.Text()
		b.Queue(sql, args...)
	}
	s.end(b)
	results := s.conn.SendBatch(s.ctx, b)
	defer results.Close()
	if err := skipResults(results, skip); err != nil {
		return err
	}
	for i, st := range list {
		if namesTenant(st, list[:i]) {
			if err := skipResults(results, 1); err != nil {
				return err
			}
		}
		rows, err := results.Query()
		if err == nil {
			err = read(st, rows)
		}
		if err != nil {
			return fmt.Errorf("%w in %s", err, engine.Head(st.SQL))
		}
	}
	return results.Close()
}

const nameTenant = "SELECT set_config('entrepot.tenant', $1, true)"

// namesTenant reports whether the statement's tenant must be named in front of it.
func namesTenant(s *statement, before []*statement) bool {
	return !s.Mixed && !s.Lone && (len(before) == 0 || before[len(before)-1].Tenant != s.Tenant)
}

// read copies the rows of the answer for those who want them.
func read(s *statement, rows pgx.Rows) error {
	defer rows.Close()
	var fields []pgconn.FieldDescription
	for rows.Next() {
		if fields == nil {
			if fields = slices.Clone(rows.FieldDescriptions()); s.Mixed {
				fields = fields[:len(fields)-1]
			}
		}
		row := copied(rows.RawValues())
		wants := s.All()
		switch {
		case s.Mixed:
			last := len(row) - 1
			n, err := strconv.Atoi(string(row[last]))
			of, ok := s.Nth(n)
			if err != nil || !ok {
				return fmt.Errorf("db: a row of key %q, which nobody wants", row[last])
			}
			row, wants = row[:last], of
		case s.Keyed != nil:
			wants = s.Of(keyText(row[s.Keyed.Column], fields[s.Keyed.Column]))
		}
		for _, r := range wants {
			r.fields = fields
			r.rows = append(r.rows, row)
		}
	}
	return rows.Err()
}

// keyText is a key as it was given: a text, or an id.
func keyText(value []byte, field pgconn.FieldDescription) string {
	if field.DataTypeOID == pgtype.UUIDOID && field.Format == pgx.BinaryFormatCode {
		return pgtype.UUID{Bytes: [16]byte(value), Valid: true}.String()
	}
	return string(value)
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
