package engine

import "fmt"

// Rows iterates over the result of a query; calling Close after the end does no harm.
type Rows interface {
	Next() bool
	Scan(into ...any) error
	Err() error
	Close()
}

// Column is the current row of an engine, for a scan target that reads its column itself.
type Column interface {
	Null(i int) bool
	Column(i int, into any) error
	AppendBytes(to []byte, i int) []byte // of a text or of bytes, none for NULL
}

// ColumnTarget is a scan target that reads a column itself. Only SQLite's rows use it; PostgreSQL's driver uses
// database/sql's Scanner.
type ColumnTarget interface {
	FromColumn(row Column, i int) error
}

// Pending is a read that runs when its caller waits for it, or earlier with others.
type Pending struct {
	SQL  string
	Args []any
	Each func(Rows) error

	Done bool
	Err  error // after Done
}

// Answer iterates over the rows of the result, or stores why there are none.
func (p *Pending) Answer(rows Rows, err error) {
	if err != nil {
		p.End(fmt.Errorf("%w in %s", err, Head(p.SQL)))
		return
	}
	defer rows.Close()
	for rows.Next() {
		if err := p.Each(rows); err != nil {
			p.End(err)
			return
		}
	}
	p.End(rows.Err())
}

// End marks the read as done.
func (p *Pending) End(err error) { p.Done, p.Err = true, err }
