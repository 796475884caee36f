package groups

import (
	"entrepot/internal/db/engine"
	"entrepot/internal/id"
)

// Session is a session without a connection of its own: it only reads, and what it reads may be read together with what others read in the
// same moment. R is an engine's reply.
type Session[R engine.Rows] struct {
	Read func(pending []*engine.Pending) ([]R, error) // runs pending reads, with a reply to each
}

// Answer runs all pending reads.
func (s *Session[R]) Answer(pending []*engine.Pending) int {
	replies, err := s.Read(pending)
	for i, p := range pending {
		if err != nil {
			p.End(err)
		} else {
			p.Answer(replies[i], nil)
		}
	}
	return len(pending)
}

// Query reads rows.
func (s *Session[R]) Query(sql string, args []any) (engine.Rows, error) {
	replies, err := s.Read([]*engine.Pending{{SQL: sql, Args: args}})
	if err != nil {
		return nil, err
	}
	return replies[0], nil
}

// Last does nothing: the session has no transaction that could end.
func (s *Session[R]) Last() {}

// Exec fails, as everything that writes or locks: ErrOnlyReads.
func (s *Session[R]) Exec(string, []any) (int64, error) { return 0, engine.ErrOnlyReads }

// Send fails: ErrOnlyReads.
func (s *Session[R]) Send([]*engine.Step) error { return engine.ErrOnlyReads }

// LockName fails: ErrOnlyReads.
func (s *Session[R]) LockName(id.Tenant, int64) error { return engine.ErrOnlyReads }

// LockClock fails: ErrOnlyReads.
func (s *Session[R]) LockClock(id.Tenant) error { return engine.ErrOnlyReads }
