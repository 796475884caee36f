package sqlite

import (
	"slices"
	"strings"

	"entrepot/internal/db/engine"
)

// Orders of one group add to the same few rows of kept counts and figures. Their sums are written once for all of them: before the commit,
// or before a statement that names their table, so that every statement finds what it would if each transaction had written its own.

// sendLast runs the last writes of a transaction, but puts off what adds to sums. If it fails, it has put off nothing.
func (c *conn) sendLast(steps []*engine.Step) error {
	adds := func(s *engine.Step) bool { return s.Form != nil && s.Form.Sums() }
	if err := c.Send(slices.DeleteFunc(slices.Clone(steps), adds)); err != nil {
		return err
	}
	for _, s := range steps {
		if adds(s) {
			c.sums.Add(s)
			c.know(s.Form)
		}
	}
	return nil
}

// know notes the tables of a form.
func (c *conn) know(f *engine.Form) {
	if !slices.Contains(c.adding, f) {
		c.adding = append(c.adding, f)
		c.summed = append(c.summed, changedBy(f.MixedText(1))...)
	}
}

// sumsBefore writes the sums that were put off before a statement that names one of their tables.
func (c *conn) sumsBefore(s *statement, sql string) error {
	if c.sums.Empty() {
		return nil
	}
	if s.asked < len(c.summed) {
		s.asked = len(c.summed)
		s.sums = slices.ContainsFunc(c.summed, func(table string) bool { return strings.Contains(sql, table) })
	}
	if !s.sums {
		return nil
	}
	busy := s.busy
	s.busy = true // it stays prepared
	defer func() { s.busy = busy }()
	return c.writeSums()
}

// writeSums writes the sums that were put off.
func (c *conn) writeSums() error {
	if c.sums.Empty() {
		return nil
	}
	return c.Send(c.sums.Steps())
}
