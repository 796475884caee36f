package engine

import "fmt"

// Rows walks the answer of a query; Close is harmless after the end.
type Rows interface {
	Next() bool
	Scan(into ...any) error
	Err() error
	Close()
}

// Column is the row at which an engine stands, for a place that reads its column itself.
type Column interface {
	Null(i int) bool
	Column(i int, into any) error
}

// ColumnPlace is a place that reads a column itself. Only SQLite's rows ask for it; PostgreSQL's driver takes database/sql's Scanner.
type ColumnPlace interface {
	FromColumn(row Column, i int) error
}

// Pending is a read that is answered when somebody waits for it.
type Pending struct {
	SQL  string
	Args []any
	Each func(Rows) error

	Done bool
	Err  error // after Done
}

// Answer walks the rows of the answer, or notes why there is none.
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

// End notes that there is no more to the answer.
func (p *Pending) End(err error) { p.Done, p.Err = true, err }
