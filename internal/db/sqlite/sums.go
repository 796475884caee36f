package sqlite

import (
	"slices"

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

// writeSums writes the sums that were put off.
func (c *conn) writeSums() error {
	if c.sums.Empty() {
		return nil
	}
	return c.Send(c.sums.Steps())
}
