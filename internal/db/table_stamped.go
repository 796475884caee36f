package db

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/base/id"
)

// The statements of this file write many rows at once after the account's clock (see Tx.Change), from a VALUES list
// named v.

// role says how these statements treat a column. Other statements treat columns of the roles key and now like any
// other.
type role int8

const (
	plainRole role = iota
	key
	now
	stamp
)

// Key marks a column that identifies the row within the tenant; it is fixed.
func (c Column[T]) Key() Column[T] { c.role, c.fixed = key, true; return c }

// Now marks a column that takes the time of the transaction, whatever the record holds: at every write, or at the
// INSERT if it is fixed.
func (c Column[T]) Now() Column[T] { c.role = now; return c }

// Stamp marks a column that takes a stamp of the account's clock at every write. The record holds the stamp that was
// read.
func (c Column[T]) Stamp() Column[T] { c.role = stamp; return c }

// Plus is a table of the same records with more columns.
func (t *Table[T]) Plus(columns ...Column[T]) *Table[T] {
	return NewTable(t.name, append(t.columns[:len(t.columns):len(t.columns)], columns...)...).Of(t.noun)
}

// InsertStamped queues the rows of new records. only, unless it is "", is a condition on v: if it does not hold for a
// row, the operation runs again.
func (t *Table[T]) InsertStamped(w Writer, list []T, only string) {
	t.InsertStampedFrom(w, -1, list, only)
}

// InsertStampedFrom is InsertStamped with stamps reserved before by Tx.Stamps; offset is the first of them.
func (t *Table[T]) InsertStampedFrom(w Writer, offset int64, list []T, only string) {
	put := func(_ int, sql string, args []any) { w.Change(sql, args...) }
	if only != "" {
		put = all(w)
	}
	t.stamped(w, put, offset, "insert "+only, list, (*Column[T]).written, func(m *many[T]) string {
		if only == "" {
			return m.insert()
		}
		return m.insert() + " WHERE " + only
	})
}

// InsertFrom queues the row of a new record under a condition: rest is the SQL after "INSERT … SELECT … FROM v". It
// comes after the account's clock if the table has stamps.
func (t *Table[T]) InsertFrom(w Writer, record T, rest string) (step *Step) {
	queue := w.Queue
	if slices.ContainsFunc(t.columns, func(c Column[T]) bool { return c.role == stamp }) {
		queue = w.Change
	}
	put := func(_ int, sql string, args []any) { step = queue(sql, args...) }
	t.stamped(w, put, -1, "insert from "+rest, []T{record}, (*Column[T]).written, func(m *many[T]) string { return m.insert() + " " + rest })
	return step
}

// UpsertStamped queues the rows of records: it updates rows whose key exists and inserts the others.
func (t *Table[T]) UpsertStamped(w Writer, list []T) {
	change := func(_ int, sql string, args []any) { w.Change(sql, args...) }
	t.stamped(w, change, -1, "upsert", list, (*Column[T]).written, func(m *many[T]) string {
		keys, sets := "tenant_id", m.sets("excluded.")
		for _, c := range m.values {
			if c.role == key {
				keys += ", " + c.name
			}
		}
		return m.insert() + " WHERE TRUE ON CONFLICT (" + keys + ") DO UPDATE SET " + sets
	})
}

// UpdateStamped queues the change of records' rows: all columns but the fixed ones. If a row was written since it was
// read, or the condition while on the table does not hold for it, the operation runs again.
func (t *Table[T]) UpdateStamped(w Writer, list []T, while string) {
	t.stamped(w, all(w), -1, "update "+while, list,
		func(c *Column[T]) bool { return c.role == key || c.role == stamp || c.changes() },
		func(m *many[T]) string {
			text := "UPDATE " + t.name + " SET " + m.sets("v.") + " FROM v WHERE " + t.name + ".tenant_id = $1"
			for _, c := range m.values {
				if c.role == key || c.role == stamp {
					text += " AND " + t.name + "." + c.name + " = v." + c.name
				}
			}
			return text + " AND " + while
		})
}

// many is one such statement: the columns that come from v, and the columns with one value for all rows.
type many[T any] struct {
	table         *Table[T]
	values        []*Column[T]
	nows          []*Column[T]
	clock         *Column[T] // the column of the stamp, nil for none
	nowAt, baseAt string     // placeholders of the time and of the first stamp
}

// putMany queues a statement of n rows.
type putMany func(n int, sql string, args []any)

// all queues statements that must touch each of their rows; otherwise the operation runs again.
func all(w Writer) putMany {
	return func(n int, sql string, args []any) { w.Change(sql, args...).Rows(int64(n), nil) }
}

// stamped queues statements for the whole list, in pieces. chosen selects the columns of v; an offset below 0
// reserves stamps.
func (t *Table[T]) stamped(w Writer, put putMany, offset int64, name string, list []T, chosen func(*Column[T]) bool,
	build func(*many[T]) string) {
	if len(list) == 0 {
		return
	}
	m, first := t.many(chosen)
	if m.clock != nil && offset < 0 {
		offset = w.Stamps(len(list))
	}
	for piece := range Pieces(list) {
		args := append(make([]any, 0, first-1+len(m.values)*len(piece)), w.TenantID())
		if len(m.nows) > 0 {
			args = append(args, w.Micros())
		}
		if m.clock != nil {
			args = append(args, offset)
		}
		for i := range piece {
			for _, c := range m.values {
				args = append(args, c.argument(&piece[i]))
			}
		}
		offset += int64(len(piece)) * StampStep
		put(len(piece), t.text("stamped "+name+strconv.Itoa(len(piece)), func() string {
			return m.with(len(piece), first, &piece[0]) + build(m)
		}), args)
	}
}

// many sorts the columns by role; first is the number of the first placeholder of v.
func (t *Table[T]) many(chosen func(*Column[T]) bool) (m *many[T], first int) {
	m = &many[T]{table: t, values: make([]*Column[T], 0, len(t.columns))}
	first = 2
	for i := range t.columns {
		c := &t.columns[i]
		switch {
		case c.role == stamp:
			m.clock = c
		case c.role == now && chosen(c):
			m.nows = append(m.nows, c)
		}
		if c.role != now && chosen(c) {
			m.values = append(m.values, c)
		}
	}
	if len(m.nows) > 0 {
		m.nowAt = "$" + strconv.Itoa(first)
		first++
	}
	if m.clock != nil {
		m.baseAt = "$" + strconv.Itoa(first)
		first++
	}
	return m, first
}

// with is the VALUES list. Its first row has the types, because PostgreSQL could not infer them.
func (m *many[T]) with(rows, first int, sample *T) string {
	var names, casts, plain []string
	for _, c := range m.values {
		names, casts, plain = append(names, c.name), append(casts, "$::"+sqlType(c.member(sample))), append(plain, "$")
	}
	var b strings.Builder
	for r := range rows {
		row := plain
		if r == 0 {
			row = casts
		} else {
			b.WriteByte(',')
		}
		b.WriteString("(" + strings.Join(row, ","))
		if m.clock != nil {
			b.WriteString("," + strconv.Itoa(r*StampStep))
		}
		b.WriteByte(')')
	}
	if m.clock != nil {
		names = append(names, "at")
	}
	return "WITH v(" + strings.Join(names, ", ") + ") AS (VALUES " + Repeat(1, first, b.String()) + ") "
}

func (m *many[T]) insert() string {
	names, values := "tenant_id", "$1::BIGINT"
	for _, c := range m.values {
		names, values = names+", "+c.name, values+", v."+c.name
	}
	for _, c := range m.nows {
		names, values = names+", "+c.name, values+", "+m.nowAt+"::BIGINT"
	}
	if m.clock != nil {
		names, values = names+", "+m.clock.name, values+", "+m.stamp()
	}
	return "INSERT INTO " + m.table.name + " (" + names + ") SELECT " + values + " FROM v"
}

// sets are the assignments of an update, taken from "v." or "excluded.".
func (m *many[T]) sets(from string) string {
	var sets []string
	for _, c := range m.values {
		if c.changes() {
			sets = append(sets, c.name+" = "+from+c.name)
		}
	}
	for _, c := range m.nows {
		if !c.fixed {
			sets = append(sets, c.name+" = "+m.nowAt)
		}
	}
	if m.clock != nil {
		sets = append(sets, m.clock.name+" = "+m.stamp())
	}
	return strings.Join(sets, ", ")
}

func (m *many[T]) stamp() string { return Clock + " + " + m.baseAt + "::BIGINT + v.at" }

// sqlType is the SQL type for a member, or for a pointer to one.
func sqlType(member any) string {
	of := reflect.TypeOf(member)
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch {
	case of.PkgPath() == reflect.TypeFor[id.Order]().PkgPath() && of.Kind() == reflect.String:
		return "UUID"
	case of.Kind() == reflect.String:
		return "TEXT"
	case of.Kind() == reflect.Bool:
		return "BOOLEAN"
	}
	return "BIGINT"
}
