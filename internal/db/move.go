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
var ErrNotEmpty = engine.ErrNotEmpty

// unmoved are tables whose rows mean nothing in another store: migrations that ran, live nodes, rate limits, and
// pending scrubs of the old files.
var unmoved = []string{"schema_versions", "nodes", "rate_windows", "scrubs"}

// Move copies every row of one store, as of one moment, into another store, on PostgreSQL, that has this program's
// schema and no rows. It is one transaction, which counts the rows of both sides and calls after at its end. If it
// fails or is interrupted, the target stays empty. Nobody may write to the source meanwhile, because later changes
// are not copied. report is called after each table. Errors: ErrNotEmpty; the two stores have different schemas.
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
		loader, ok := into.session.(engine.Loader)
		if !ok {
			return errors.New("a store can be moved into PostgreSQL only")
		}
		names := make([]string, len(there))
		for i, t := range there {
			names[i] = t.name
		}
		if err := loader.Hold(names); err != nil {
			return err
		}
		return from.read(ctx, Across, engine.Stored, func(source *Tx) error {
			for _, t := range there {
				rows, err := loader.Load(t.name, t.columns, t.types, func(row func(Rows) error) error {
					return source.Each(row, "SELECT "+strings.Join(t.columns, ", ")+" FROM "+t.name)
				})
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
