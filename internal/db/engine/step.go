package engine

import (
	"errors"
	"fmt"
	"strings"

	"entrepot/internal/base/id"
)

// Step is one queued write.
type Step struct {
	SQL  string
	Args []any
	Want int64 // rows it must touch; -1 for any number
	Miss error // the error if the count differs; nil: the transaction runs again
	Dup  error // the error of a unique violation; nil: the transaction runs again

	Reads bool // a read that must find as many rows as Want says

	Clock *Tick // not nil: the step moves the tenant's change clock and has no SQL of its own
	Share *Lock // not nil: the step takes a lock that transactions may share and has no SQL of its own
}

// Lock names a lock of a tenant.
type Lock struct {
	Tenant id.Tenant
	Number int64
}

// Clock is the SQL expression for the time of a tenant's change clock, $1 = tenant. The stamps of a transaction are
// offsets to it.
const Clock = "(SELECT base FROM change_clocks WHERE tenant_id = $1)"

// Tick moves a tenant's change clock past every stamp of a transaction.
type Tick struct {
	Tenant id.Tenant
	Now    int64 // microseconds since 1970
	Length int64 // of the range of its stamps, in microseconds
}

// Rows sets how many rows the write must touch and the error if it touches another number (nil: the data changed
// meanwhile, the transaction runs again).
func (s *Step) Rows(n int64, miss error) *Step {
	if miss == nil {
		miss = ErrRetry
	}
	s.Want, s.Miss = n, miss
	return s
}

// Unique sets the error of a violated unique key; without it, the transaction runs again.
func (s *Step) Unique(dup error) *Step {
	s.Dup = dup
	return s
}

// Violation is the reason for which the store refused a write.
type Violation int

// The violations.
const (
	Other  Violation = iota
	Unique           // a unique key
	Count            // it touched another number of rows than required
	Check            // another constraint
)

// Failed is the error of a step that the store refused.
func (s *Step) Failed(what Violation, err error) error {
	switch {
	case what == Unique && s.Dup != nil:
		return s.Dup
	case what == Unique:
		return fmt.Errorf("%w: %w", ErrRetry, err)
	case s.Miss != nil && what == Check && errors.Is(s.Miss, ErrRetry):
		return fmt.Errorf("%w: %w", s.Miss, err)
	case s.Miss != nil && (what == Count || what == Check):
		return s.Miss
	}
	return fmt.Errorf("%w in %s", err, Head(s.SQL))
}

// Head is the first words of a statement, for error texts.
func Head(sql string) string {
	sql = strings.Join(strings.Fields(sql), " ")
	return sql[:min(len(sql), 120)]
}

// OrNothing makes an INSERT skip rows whose unique key is taken.
func (s *Step) OrNothing() *Step {
	s.SQL += " ON CONFLICT DO NOTHING"
	return s
}
