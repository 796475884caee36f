package sqlite

import (
	"fmt"
	"reflect"

	"entrepot/internal/db/engine"
	"entrepot/internal/id"
)

// Every transaction that writes stamped rows moves its tenant's change clock, and every such row asks for its time. While a group is open
// nobody else can move a clock, so it is read once, moved in memory, and written before the commit, or before a statement that names its
// table.

// clock is a tenant's change clock.
type clock struct {
	base, last int64
	moved      bool // and not yet written
}

const (
	readClock  = "SELECT base, last FROM change_clocks WHERE tenant_id = $1"
	writeClock = "UPDATE change_clocks SET base = $2, last = $3 WHERE tenant_id = $1"
)

// tick moves a tenant's clock past every stamp of a transaction.
func (c *conn) tick(t *engine.Tick) error {
	k, err := c.clock(t.Tenant)
	if err != nil || k == nil {
		return err
	}
	k.base = max(k.last, t.Now)
	k.last = k.base + t.Length
	k.moved = true
	return nil
}

// clock is a tenant's clock, nil if the tenant has none.
func (c *conn) clock(tenant id.Tenant) (*clock, error) {
	if k := c.clocks[tenant]; k != nil {
		return k, nil
	}
	s, err := c.prepare(readClock)
	if err != nil {
		return nil, err
	}
	defer c.end(s)
	s.BindInt64(1, int64(tenant))
	found, err := s.Step()
	if err != nil || !found {
		return nil, meaning(err)
	}
	k := &clock{base: s.ColumnInt64(0), last: s.ColumnInt64(1)}
	if c.clocks != nil {
		c.clocks[tenant] = k
	}
	return k, nil
}

// bindClock sets a placeholder to the time of the clock of the tenant in the first argument.
func (c *conn) bindClock(s *statement, place int, args []any) error {
	if len(args) == 0 {
		return fmt.Errorf("db: a clock without a tenant")
	}
	tenant := reflect.ValueOf(args[0])
	if !tenant.CanInt() {
		return fmt.Errorf("db: a clock of %T, which is no tenant", args[0])
	}
	var k *clock
	err := c.whileBusy(s, func() (err error) {
		k, err = c.clock(id.Tenant(tenant.Int()))
		return err
	})
	if err != nil {
		return err
	}
	if k == nil {
		s.BindNull(place)
		return nil
	}
	s.BindInt64(place, k.base)
	return nil
}

// writeClocks writes the clocks that were moved, and forgets all: others may move them from now on.
func (c *conn) writeClocks() error {
	if len(c.clocks) == 0 {
		return nil
	}
	read := c.clocks
	c.clocks = map[id.Tenant]*clock{}
	for tenant, k := range read {
		if !k.moved {
			continue
		}
		if _, err := c.Exec(writeClock, []any{tenant, k.base, k.last}); err != nil {
			return err
		}
	}
	return nil
}
