package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/base/id"
	"entrepot/internal/db/engine"
)

// session is one transaction on one connection.
type session struct {
	ctx   context.Context
	conn  *pgx.Conn
	begin opening // sent with the first statement
	open  bool    // BEGIN was sent, COMMIT or ROLLBACK was not
	ends  bool    // the next message is the last
	rows  *answer // open rows of a query

	injected   bool // see Engine
	committing bool // COMMIT was sent
	lost       bool // the connection was cut
}

// batch starts a message with BEGIN, if it was not sent yet. A single statement that is the whole transaction needs
// none.
func (s *session) batch(statements int) (b *pgx.Batch, skip int) {
	s.endRows()
	b = &pgx.Batch{}
	if !s.open {
		whole := s.ends && statements == 1
		skip, s.open = s.begin.queue(b, whole), !whole
	}
	return b, skip
}

// Last puts the end of the transaction into the next message.
func (s *session) Last() { s.ends = true }

// LockName takes a named lock of the tenant exclusively.
func (s *session) LockName(tenant id.Tenant, number int64) error {
	_, err := s.Exec(takeName, []any{tenant, number})
	return err
}

// LockClock takes the tenant's change clock.
func (s *session) LockClock(tenant id.Tenant) error {
	_, err := s.Exec(takeClock, []any{tenant})
	return err
}

// end adds the transaction's end to its last message.
func (s *session) end(b *pgx.Batch) {
	if s.ends && s.open {
		b.Queue("COMMIT")
		s.open = false
	}
	s.ends = false
}

// Answer sends every pending read in one message.
func (s *session) Answer(pending []*engine.Pending) int {
	b, skip := s.batch(len(pending))
	for _, q := range pending {
		b.Queue(q.SQL, plain(q.Args)...)
	}
	s.end(b)
	results := s.conn.SendBatch(s.ctx, b)
	defer results.Close()
	err := skipResults(results, skip)
	for _, q := range pending {
		if err != nil { // the statements after it were not run
			q.End(err)
			continue
		}
		rows, failed := results.Query()
		q.Answer(&answer{Rows: rows}, failed)
		if rows != nil {
			err = rows.Err()
		}
	}
	return len(pending)
}

func (s *session) endRows() {
	if s.rows != nil {
		s.rows.Close()
	}
}

func skipResults(r pgx.BatchResults, n int) error {
	for range n {
		if _, err := r.Exec(); err != nil {
			return err
		}
	}
	return nil
}

// Query starts reading rows.
func (s *session) Query(sql string, args []any) (engine.Rows, error) {
	b, skip := s.batch(1)
	b.Queue(sql, plain(args)...)
	s.end(b)
	results := s.conn.SendBatch(s.ctx, b)
	if err := skipResults(results, skip); err != nil {
		results.Close()
		return nil, err
	}
	rows, err := results.Query()
	if err != nil {
		results.Close()
		return nil, err
	}
	s.rows = &answer{Rows: rows, results: results, session: s}
	return s.rows, nil
}

// Exec runs a statement and reports how many rows it touched.
func (s *session) Exec(sql string, args []any) (int64, error) {
	b, skip := s.batch(1)
	b.Queue(sql, plain(args)...)
	results := s.conn.SendBatch(s.ctx, b)
	defer results.Close()
	if err := skipResults(results, skip); err != nil {
		return 0, err
	}
	tag, err := results.Exec()
	return tag.RowsAffected(), err
}
