package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entrepot/internal/db/engine"
)

// Moved is how many rows of a table were moved.
type Moved struct {
	Table string
	Rows  int64
}

// ErrNotEmpty means that the target of Move has rows already.
var ErrNotEmpty = errors.New("the target is not empty")

// unmoved are tables whose rows mean nothing in another store: the migrations that ran, the live nodes, rate limits,
// and pending scrubs of the old files.
var unmoved = []string{"schema_versions", "nodes", "rate_windows", "scrubs"}

// Move copies every row of one store, as of one moment, into another store that has this program's schema and no rows.
// It is one transaction, at the end of which it counts both sides and runs after: if it fails or is interrupted, the
// target stays empty. Nobody may write to the source meanwhile, because later changes are not copied. report is called
// after each table. Errors: ErrNotEmpty; the two stores have different schemas.
func Move(ctx context.Context, from, to *DB, after func(tx *Tx) error, report func(Moved)) (moved []Moved, err error) {
	tables, err := from.tables(ctx)
	if err != nil {
		return nil, err
	}
	there, err := to.tables(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.EqualFunc(tables, there, table.same) {
		return nil, errors.New("the stores do not have the same schema: bring both up to date with entrepot migrate")
	}
	err = to.Write(ctx, Across, func(into *Tx) error {
		moved = nil
		return from.read(ctx, Across, engine.Stored, func(source *Tx) error {
			for _, t := range tables {
				rows, err := t.move(source, into)
				if err != nil {
					return fmt.Errorf("%s: %w", t.name, err)
				}
				moved = append(moved, Moved{t.name, rows})
				report(moved[len(moved)-1])
			}
			return after(into)
		})
	})
	return moved, err
}

// table is a table with its columns, as an engine lists them.
type table struct {
	name    string
	columns []string
	types   []string
}

// tables lists the tables that are moved.
func (d *DB) tables(ctx context.Context) (list []table, err error) {
	err = d.Read(ctx, Across, func(tx *Tx) error {
		list = nil
		return tx.Each(func(r Rows) error {
			var name, column, of string
			err := r.Scan(&name, &column, &of)
			if slices.Contains(unmoved, name) {
				return err
			}
			if last := len(list) - 1; last < 0 || list[last].name != name {
				list = append(list, table{name: name})
			}
			t := &list[len(list)-1]
			t.columns, t.types = append(t.columns, column), append(t.types, of)
			return err
		}, d.engine.Catalog().Columns)
	})
	return list, err
}

func (t table) same(other table) bool {
	return t.name == other.name && slices.Equal(t.columns, other.columns)
}

// Bounds of what is sent in one message: values, and the bytes of their texts, since a row may be a hundred kilobytes.
const (
	movedAtOnce = 8192
	movedBytes  = 1 << 20
)

// move copies the rows of a table and compares the counts of both sides.
func (t table) move(source, into *Tx) (rows int64, err error) {
	if err := into.Row("SELECT count(*) FROM "+t.name, nil, &rows); err != nil {
		return 0, err
	}
	if rows > 0 {
		return 0, fmt.Errorf("%w: it has %d rows", ErrNotEmpty, rows)
	}
	names := strings.Join(t.columns, ", ")
	width := len(t.columns)
	var args []any // of rows that were read and are not sent yet
	bytes := 0     // of their texts
	send := func() error {
		bytes = 0
		for len(args) > 0 {
			n := 1 // a few fixed sizes, so that a few SQL texts serve all lengths
			for _, size := range engine.PieceSizes() {
				if size*width <= min(len(args), movedAtOnce) {
					n = size
					break
				}
			}
			into.Queue("INSERT INTO "+t.name+" ("+names+") VALUES "+Values(n, width, 1), args[:n*width]...)
			args = args[n*width:]
		}
		return into.Flush()
	}
	err = source.Each(func(r Rows) error {
		places := t.places()
		if err := r.Scan(places...); err != nil {
			return err
		}
		rows++
		for _, place := range places {
			value := valueAt(place)
			args = append(args, value)
			switch v := value.(type) {
			case string:
				bytes += len(v)
			case []byte:
				bytes += len(v)
			}
		}
		if len(args)+width > movedAtOnce || bytes >= movedBytes {
			return send()
		}
		return nil
	}, "SELECT "+names+" FROM "+t.name)
	if err == nil {
		err = send()
	}
	if err != nil {
		return 0, err
	}
	var there int64
	if err := into.Row("SELECT count(*) FROM "+t.name, nil, &there); err != nil {
		return 0, err
	}
	if there != rows {
		return 0, fmt.Errorf("%d rows were read and %d are there", rows, there)
	}
	return rows, nil
}

// places returns pointers that a row of the table is scanned into.
func (t table) places() []any {
	places := make([]any, len(t.columns))
	for i, of := range t.types {
		switch of {
		case "bigint":
			places[i] = new(*int64)
		case "boolean":
			places[i] = new(*bool)
		case "bytea":
			places[i] = new([]byte)
		default:
			places[i] = new(*string)
		}
	}
	return places
}

// valueAt returns what was scanned into a place, as an argument of a statement.
func valueAt(place any) any {
	switch p := place.(type) {
	case **int64:
		if *p != nil {
			return **p
		}
	case **bool:
		if *p != nil {
			return **p
		}
	case **string:
		if *p != nil {
			return **p
		}
	case *[]byte: // no such column may be NULL
		if *p == nil {
			return []byte{}
		}
		return *p
	}
	return nil
}
