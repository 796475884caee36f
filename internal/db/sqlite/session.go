package sqlite

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db/engine"
)

// Exec runs a statement and reports how many rows it changed.
func (c *conn) Exec(sql string, args []any) (int64, error) {
	s, err := c.ready(sql, args)
	if err != nil {
		return 0, err
	}
	defer c.end(s)
	for more := true; more; {
		if more, err = s.Step(); err != nil {
			return 0, meaning(err)
		}
	}
	n := int64(c.Changes())
	c.written = c.written || n > 0
	return n, nil
}

// Query starts reading rows.
func (c *conn) Query(sql string, args []any) (engine.Rows, error) {
	s, err := c.ready(sql, args)
	if err != nil {
		return nil, err
	}
	c.written = c.written || s.writes
	s.busy = true
	return &rows{conn: c, stmt: s}, nil
}

// Send runs queued writes. It skips shared locks, because only one transaction writes at a time.
func (c *conn) Send(steps []*engine.Step) error {
	for _, s := range steps {
		if s.Share != nil {
			continue
		}
		n, err := c.run(s)
		if err != nil {
			return s.Failed(violation(err), err)
		}
		if s.Want >= 0 && n != s.Want {
			return s.Miss
		}
	}
	return nil
}

// run runs one step and returns how many rows it touched, or found.
func (c *conn) run(s *engine.Step) (n int64, err error) {
	switch {
	case s.Clock != nil:
		return c.Exec(tick, []any{s.Clock.Tenant, s.Clock.Now, s.Clock.Length})
	case !s.Reads:
		return c.Exec(s.SQL, s.Args)
	}
	rows, err := c.Query(s.SQL, s.Args)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		n++
	}
	return n, rows.Err()
}

// tick moves a tenant's change clock past every stamp of a transaction.
const tick = "UPDATE change_clocks SET base = max(last, $2), last = max(last, $2) + $3 WHERE tenant_id = $1"

// Answer runs one pending read: SQLite gains nothing by several at once.
func (c *conn) Answer(pending []*engine.Pending) int {
	pending[0].Answer(c.Query(pending[0].SQL, pending[0].Args))
	return 1
}

// Last does nothing: there is no message to save.
func (c *conn) Last() {}

// LockName does nothing: only one transaction writes at a time.
func (c *conn) LockName(id.Tenant, int64) error { return nil }

// LockClock does nothing: only one transaction writes at a time.
func (c *conn) LockClock(id.Tenant) error { return nil }
