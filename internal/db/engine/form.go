package engine

import (
	"iter"
	"sync"
)

// Form is a write of any number of rows. Steps of one form, of several transactions, can be written by one statement: an engine that
// stores transactions together does so (decision 3).
type Form struct {
	Head  int // arguments in front of the rows, the tenant first; only rows with an equal head share a statement
	Width int // arguments of each row

	// Key are the columns of a row that name the record that it changes. Rows with equal keys never share a statement, unless Sum names
	// the columns to add up: then they become one row. Without a key, any rows may share a statement.
	Key, Sum []int

	// Stamps are the columns of a row that hold an offset over the tenant's clock.
	Stamps []int

	Build func(rows int) string // the statement for that many rows

	// Mixed is the statement for rows that each begin with a head of their own, such as those of several tenants. Without it, they never
	// share a statement.
	Mixed func(rows int) string

	// One, if not "", is the statement for one row. SQLite runs it for each row: there a statement costs little, and a list of rows to be
	// joined with a table may cost more.
	One string

	texts, mixed sync.Map // what Build and Mixed made, by rows
}

// Text is the statement for a number of rows.
func (f *Form) Text(rows int) string { return textOf(&f.texts, rows, f.Build) }

// MixedText is the statement for a number of rows with heads of their own.
func (f *Form) MixedText(rows int) string { return textOf(&f.mixed, rows, f.Mixed) }

// Rows is how many rows a statement of these arguments has.
func (f *Form) Rows(args []any) int { return (len(args) - f.Head) / f.Width }

// RowKey is what the head and the key columns of a row hold.
type RowKey [6]any

// KeyOf is the key of a row behind a head, which may be left out where all rows have the same.
func (f *Form) KeyOf(head, row []any) (key RowKey) {
	at := copy(key[:], head)
	for i, column := range f.Key {
		key[at+i] = row[column]
	}
	return key
}

// AddUp adds the columns that are summed of a row to those of another one.
func (f *Form) AddUp(total, row []any) {
	for _, column := range f.Sum {
		total[column] = total[column].(int64) + row[column].(int64)
	}
}

// pieceSizes are the only list lengths that statements are made for, so that few texts serve every list.
var pieceSizes = []int{256, 64, 16, 8, 4, 3, 2, 1}

// Pieces cuts a list into pieces of a few fixed sizes.
func Pieces[T any](list []T) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for _, size := range pieceSizes {
			for len(list) >= size {
				if !yield(list[:size]) {
					return
				}
				list = list[size:]
			}
		}
	}
}
