package sqlite

import (
	"slices"
	"strings"
)

// putOffBefore writes what was put off before a statement that names a table of it.
func (c *conn) putOffBefore(s *statement, sql string) error {
	if s.clocks && len(c.clocks) > 0 {
		if err := c.whileBusy(s, c.writeClocks); err != nil {
			return err
		}
	}
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
	return c.whileBusy(s, c.writeSums)
}

// whileBusy keeps a statement prepared while others run.
func (c *conn) whileBusy(s *statement, run func() error) error {
	busy := s.busy
	s.busy = true
	defer func() { s.busy = busy }()
	return run()
}

// writePutOff writes all that was put off.
func (c *conn) writePutOff() error {
	if err := c.writeSums(); err != nil {
		return err
	}
	return c.writeClocks()
}

// forgetPutOff forgets what was put off.
func (c *conn) forgetPutOff() {
	c.sums.Clear()
	clear(c.clocks)
}
