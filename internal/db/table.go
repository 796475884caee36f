package db

import (
	"reflect"
	"strconv"
	"strings"
	"sync"

	"entrepot/internal/db/engine"
)

// Table is the columns of one table, each named once, with the member of T that it holds. SELECT, scan, INSERT and UPDATE are made from
// it. Its first column, tenant_id, is that of the transaction and stands in no list.
type Table[T any] struct {
	name    string
	columns []Column[T]
	texts   sync.Map // SQL that was made before, by what it was made for
}

// Column is one column and what it holds of a record.
type Column[T any] struct {
	name    string
	member  func(*T) any // a pointer to the member; of a derived column the value
	null    bool
	fixed   bool
	derived bool
	joined  bool
}

// Col is a column that holds a member, to which of gives a pointer: a string, integer or boolean, one of their named types, or a
// pointer to one for a member that may be NULL.
func Col[T any](name string, of func(*T) any) Column[T] { return Column[T]{name: name, member: of} }

// Derived is a column that is only written: its value is worked out from the record.
func Derived[T any](name string, value func(*T) any) Column[T] {
	return Column[T]{name: name, member: value, derived: true}
}

// Joined is a column of another table that is only read, named with that table's alias ("c.name"). It is empty where nothing was joined.
func Joined[T any](name string, of func(*T) any) Column[T] {
	return Column[T]{name: name, member: of, joined: true, null: true}
}

// Null says that NULL stands for the member's zero value.
func (c Column[T]) Null() Column[T] { c.null = true; return c }

// Fixed says that the column is written with the row; Update leaves it as it is.
func (c Column[T]) Fixed() Column[T] { c.fixed = true; return c }

// NewTable makes a table of its columns.
func NewTable[T any](name string, columns ...Column[T]) *Table[T] {
	return &Table[T]{name: name, columns: columns}
}

// Columns lists what a query selects, in the order in which Scanner reads it; alias is the table's name in the query, "" for none.
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

// Scanner reads the rows of one query into records. The function it gives is good for one query at a time.
func (t *Table[T]) Scanner() func(Rows) (T, error) {
	var row T
	places := make([]any, 0, len(t.columns))
	for _, c := range t.columns {
		switch {
		case c.derived:
		case c.null:
			places = append(places, optionalPlace{c.member(&row)})
		default:
			places = append(places, c.member(&row))
		}
	}
	return func(r Rows) (T, error) {
		err := r.Scan(places...)
		return row, err
	}
}

// Insert queues the rows of new records.
func (t *Table[T]) Insert(tx *Tx, list ...T) {
	width := 0
	for _, c := range t.columns {
		if !c.joined {
			width++
		}
	}
	Chunks(list, func(piece []T) error {
		args := append(make([]any, 0, 1+width*len(piece)), tx.Tenant)
		for i := range piece {
			for _, c := range t.columns {
				if !c.joined {
					args = append(args, c.argument(&piece[i]))
				}
			}
		}
		tx.Queue(t.text("insert "+strconv.Itoa(len(piece)), func() string {
			var names []string
			for _, c := range t.columns {
				if !c.joined {
					names = append(names, c.name)
				}
			}
			row := "($1" + strings.Repeat(",$", len(names)) + ")"
			return "INSERT INTO " + t.name + " (tenant_id, " + strings.Join(names, ", ") + ") VALUES " + Repeat(len(piece), 2, row)
		}), args...)
		return nil
	})
}

// Update queues the change of a record's row: all columns but the fixed ones. Where names the row beside the tenant, its first argument
// being $2: "id = $2::UUID".
func (t *Table[T]) Update(tx *Tx, record *T, where string, args ...any) *Step {
	all := append([]any{tx.Tenant}, args...)
	for _, c := range t.columns {
		if !c.fixed && !c.joined {
			all = append(all, c.argument(record))
		}
	}
	return tx.Queue(t.text("update "+where, func() string {
		var sets []string
		for _, c := range t.columns {
			if !c.fixed && !c.joined {
				sets = append(sets, c.name+" = $"+strconv.Itoa(len(args)+2+len(sets)))
			}
		}
		return "UPDATE " + t.name + " SET " + strings.Join(sets, ", ") + " WHERE tenant_id = $1 AND " + where
	}), all...)
}

func (t *Table[T]) text(of string, build func() string) string {
	if text, ok := t.texts.Load(of); ok {
		return text.(string)
	}
	text := build()
	t.texts.Store(of, text)
	return text
}

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
		if !c.derived {
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

// optionalPlace is where a column that may be NULL is read into: NULL is the zero value.
type optionalPlace struct{ place any }

// Scan takes a value of PostgreSQL's driver.
func (o optionalPlace) Scan(src any) error {
	if src == nil {
		reflect.ValueOf(o.place).Elem().SetZero()
		return nil
	}
	return assign(o.place, src)
}

// FromColumn takes a column of SQLite.
func (o optionalPlace) FromColumn(r engine.Column, i int) error {
	if r.Null(i) {
		reflect.ValueOf(o.place).Elem().SetZero()
		return nil
	}
	return r.Column(i, o.place)
}
