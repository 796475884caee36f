package db

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"entrepot/internal/db/engine"
)

// Table describes the columns of one table. Each column names the member of T that it holds. SELECT, scan, INSERT and
// UPDATE are built from it. The first column of every table, tenant_id, comes from the transaction and is not listed.
type Table[T any] struct {
	name    string
	noun    string // see Of
	columns []Column[T]
	texts   sync.Map // SQL already built, by its purpose
	inserts Text
	scans   sync.Pool // of *scanned[T]
}

// scanned is a record with the targets that a row is scanned into.
type scanned[T any] struct {
	record T
	places []any
}

// Column is one column, and which part of a record it holds.
type Column[T any] struct {
	name    string
	member  func(*T) any // returns a pointer to the member; for a derived column the value
	null    bool
	fixed   bool
	derived bool
	joined  bool
	only    bool                   // it is read and never written
	read    func(*T, string) error // see Coded
	role    role                   // see table_stamped.go
	set     string                 // see Set
}

// Col is a column for one member of the record: of returns a pointer to it. The member is a string, integer or
// boolean, one of their named types, or a pointer to one if it may be NULL.
func Col[T any](name string, of func(*T) any) Column[T] { return Column[T]{name: name, member: of} }

// Derived is a column that is only written, with a value computed from the record.
func Derived[T any](name string, value func(*T) any) Column[T] {
	return Column[T]{name: name, member: value, derived: true}
}

// Joined is a column of another table that is only read, named with that table's alias ("c.name"). It is empty if no
// row was joined.
func Joined[T any](name string, of func(*T) any) Column[T] {
	return Column[T]{name: name, member: of, joined: true, null: true}
}

// Coded is a column that holds a member as text: write makes the text and read parses it.
func Coded[T any](name string, write func(*T) string, read func(*T, string) error) Column[T] {
	return Column[T]{name: name, member: func(record *T) any { return write(record) }, read: read}
}

// ReadOnly marks a column that is read with the row and written by other statements.
func (c Column[T]) ReadOnly() Column[T] { c.only = true; return c }

// Null stores the member's zero value as NULL.
func (c Column[T]) Null() Column[T] { c.null = true; return c }

// Fixed marks a column that is written at the INSERT and never by Update.
func (c Column[T]) Fixed() Column[T] { c.fixed = true; return c }

// Set gives the expression by which Update changes the column; each ? in it is the record's value.
func (c Column[T]) Set(expression string) Column[T] { c.set = expression; return c }

// NewTable makes a table of its columns.
func NewTable[T any](name string, columns ...Column[T]) *Table[T] {
	return &Table[T]{name: name, columns: columns}
}

// Columns lists the columns that a query selects, in the order in which Scanner reads them; alias is the table's name
// in the query, "" for none.
func (t *Table[T]) Columns(alias string) string {
	return t.text("columns "+alias, func() string {
		var names []string
		for _, c := range t.columns {
			switch {
			case c.derived:
			case c.joined || alias == "":
				names = append(names, c.name)
			default:
				names = append(names, alias+"."+c.name)
			}
		}
		return strings.Join(names, ", ")
	})
}

// Scanner reads the rows of a query into records. more are targets for the columns that the query selects after the
// table's own.
func (t *Table[T]) Scanner(more ...any) func(Rows) (T, error) {
	return func(r Rows) (T, error) {
		s, ok := t.scans.Get().(*scanned[T])
		if !ok {
			s = new(scanned[T])
			s.places = slices.Grow(t.Places(&s.record), len(more))
		}
		err := r.Scan(append(s.places, more...)...)
		record := s.record
		s.record = *new(T) // otherwise it would stay in memory
		t.scans.Put(s)
		return record, err
	}
}

// Places returns pointers that the columns of a query are scanned into, for a query that selects more than this
// table's columns.
func (t *Table[T]) Places(row *T) []any {
	places := make([]any, 0, len(t.columns))
	for _, c := range t.columns {
		switch {
		case c.derived:
		case c.read != nil:
			read := c.read
			places = append(places, codedTarget(func(text string) error { return read(row, text) }))
		case c.null:
			places = append(places, optional{basic(c.member(row))})
		default:
			places = append(places, basic(c.member(row)))
		}
	}
	return places
}

// basic is a target for the basic type of a named string or integer, into which rows are scanned without reflection.
func basic(place any) any {
	v := reflect.ValueOf(place)
	switch v.Type().Elem().Kind() {
	case reflect.String:
		return v.Convert(reflect.TypeFor[*string]()).Interface()
	case reflect.Int64:
		return v.Convert(reflect.TypeFor[*int64]()).Interface()
	}
	return place
}

// Insert queues the rows of new records. If a unique key is taken, the transaction runs again.
func (t *Table[T]) Insert(w Writer, list ...T) {
	for piece := range Pieces(list) {
		w.Queue(t.insertText(len(piece)), t.insertArgs(w, piece)...)
	}
}

// InsertOne queues the row of a new record.
func (t *Table[T]) InsertOne(w Writer, record T) *Step {
	return w.Queue(t.insertText(1), t.insertArgs(w, []T{record})...)
}

// InsertBehind is InsertOne after the account's clock (see Tx.Change).
func (t *Table[T]) InsertBehind(w Writer, record T) *Step {
	return w.Change(t.insertText(1), t.insertArgs(w, []T{record})...)
}

func (t *Table[T]) insertArgs(w Writer, list []T) []any {
	args := append(make([]any, 0, 1+len(t.columns)*len(list)), w.TenantID())
	for i := range list {
		for _, c := range t.columns {
			if c.written() {
				args = append(args, c.argument(&list[i]))
			}
		}
	}
	return args
}

func (t *Table[T]) insertText(rows int) string {
	return t.inserts.For(rows, func(n int) string {
		var names []string
		for _, c := range t.columns {
			if c.written() {
				names = append(names, c.name)
			}
		}
		return "INSERT INTO " + t.name + " (tenant_id, " + strings.Join(names, ", ") + ") VALUES " +
			Repeat(n, 2, "($1"+strings.Repeat(",$", len(names))+")")
	})
}

// Update queues the change of a record's row: all columns but the fixed ones. where identifies the row within the
// tenant; its first argument is $2: "id = $2::UUID". Expressions of Set may use the arguments too.
func (t *Table[T]) Update(w Writer, record *T, where string, args ...any) *Step {
	return w.Queue(t.updateText(where, len(args)), t.updateArgs(w, record, args)...)
}

// UpdateBehind is Update after the account's clock (see Tx.Change).
func (t *Table[T]) UpdateBehind(w Writer, record *T, where string, args ...any) *Step {
	return w.Change(t.updateText(where, len(args)), t.updateArgs(w, record, args)...)
}

func (t *Table[T]) updateArgs(w Writer, record *T, where []any) []any {
	args := append(append(make([]any, 0, 1+len(where)+len(t.columns)), w.TenantID()), where...)
	for _, c := range t.columns {
		if c.changes() {
			args = append(args, c.argument(record))
		}
	}
	return args
}

func (t *Table[T]) updateText(where string, args int) string {
	return t.text("update "+where, func() string {
		var sets []string
		for _, c := range t.columns {
			if c.changes() {
				value := "$" + strconv.Itoa(args+2+len(sets))
				if c.set != "" {
					value = strings.ReplaceAll(c.set, "?", value)
				}
				sets = append(sets, c.name+" = "+value)
			}
		}
		return "UPDATE " + t.name + " SET " + strings.Join(sets, ", ") + " WHERE tenant_id = $1 AND " + where
	})
}

func (t *Table[T]) text(of string, build func() string) string {
	if text, ok := t.texts.Load(of); ok {
		return text.(string)
	}
	text := build()
	t.texts.Store(of, text)
	return text
}

// written reports whether Insert writes the column.
func (c *Column[T]) written() bool { return !c.joined && !c.only && c.role != stamp }

// changes reports whether Update writes the column.
func (c *Column[T]) changes() bool { return c.written() && !c.fixed }

// argument is the column's value in a statement.
func (c *Column[T]) argument(record *T) any {
	switch p := c.member(record).(type) {
	case *string:
		return orNull(*p, c.null)
	case *int64:
		return orNull(*p, c.null)
	case *bool:
		return *p
	default:
		v := reflect.ValueOf(p)
		if !c.derived && c.read == nil {
			v = v.Elem()
		}
		if v.IsValid() && v.Kind() == reflect.Pointer { // for a nil pointer there is nothing to convert
			v = v.Elem()
		}
		if !v.IsValid() || c.null && v.IsZero() {
			return nil
		}
		switch v.Kind() {
		case reflect.String:
			return v.String()
		case reflect.Int64:
			return v.Int()
		}
		return v.Interface()
	}
}

func orNull[V comparable](value V, null bool) any {
	if null {
		return Null(value)
	}
	return value
}

// codedTarget scans the text of a Coded column.
type codedTarget func(text string) error

// Scan takes a value of PostgreSQL's driver.
func (c codedTarget) Scan(src any) error {
	text, ok := src.(string)
	if !ok && src != nil {
		return fmt.Errorf("db: %T is no text", src)
	}
	return c(text)
}

// FromColumn takes a column of SQLite.
func (c codedTarget) FromColumn(r engine.Column, i int) error {
	var text string
	if err := r.Column(i, Opt(&text)); err != nil {
		return err
	}
	return c(text)
}
