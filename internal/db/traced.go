package db

import (
	"context"
	"errors"
	"strings"
	"time"

	"entrepot/internal/base/id"
	"entrepot/internal/base/trace"
	"entrepot/internal/db/engine"
)

// traced is an engine whose messages have spans, within the span of the context that they run in. What runs without a
// span, such as a loop that looks for work, has none here either.
type traced struct {
	engine.Engine
	tracer *trace.Tracer
}

// Write runs a transaction with a span for the wait for its turn, for each message, and for the commit.
func (e traced) Write(ctx context.Context, tenant id.Tenant, how engine.Mode, work engine.Work) error {
	if !trace.Recording(ctx) {
		return e.Engine.Write(ctx, tenant, how, work)
	}
	began, turn := time.Now(), false
	var commit time.Time
	var last []string
	in := &tracedSession{ctx: ctx, tracer: e.tracer}
	err := e.Engine.Write(ctx, tenant, how, func(s engine.Session) (steps []*engine.Step, err error) {
		if !turn {
			turn = true
			e.tracer.Done(ctx, "BEGIN", began, nil)
		}
		in.Session, commit = s, time.Time{}
		if steps, err = work(in); err == nil {
			commit, last = time.Now(), textsOf(steps)
		}
		return steps, err
	})
	if !commit.IsZero() {
		in.done("COMMIT", commit, err, last)
	}
	return err
}

// Read runs reads with a span for each message.
func (e traced) Read(ctx context.Context, tenant id.Tenant, how engine.ReadMode, read func(engine.Session) error) error {
	if !trace.Recording(ctx) {
		return e.Engine.Read(ctx, tenant, how, read)
	}
	return e.Engine.Read(ctx, tenant, how, func(s engine.Session) error {
		return read(&tracedSession{Session: s, ctx: ctx, tracer: e.tracer})
	})
}

// tracedSession is a session whose messages have spans.
type tracedSession struct {
	engine.Session
	ctx    context.Context // of the transaction
	tracer *trace.Tracer
}

// mostText is how many bytes of a message's statements a span holds.
const mostText = 2000

// done records a message with statements, which are texts with $1 in place of their first argument. A lost race is an
// outcome and no failure: the transaction runs again.
func (s *tracedSession) done(name string, began time.Time, err error, statements []string) {
	outcome := "done"
	if errors.Is(err, ErrRetry) {
		outcome, err = "runs again", nil
	}
	text := strings.Join(strings.Fields(strings.Join(statements, "; ")), " ")
	s.tracer.Done(s.ctx, name, began, err, trace.Attr("db.query.text", text[:min(len(text), mostText)]),
		trace.Number("db.operation.batch.size", len(statements)),
		trace.Attr("entrepot.outcome", outcome))
}

// Query has a span until its rows are closed.
func (s *tracedSession) Query(sql string, args []any) (Rows, error) {
	began := time.Now()
	rows, err := s.Session.Query(sql, args)
	if err != nil {
		s.done(summary(sql), began, err, []string{sql})
		return nil, err
	}
	return &tracedRows{Rows: rows, done: func(err error) { s.done(summary(sql), began, err, []string{sql}) }}, nil
}

// tracedRows records the query of its rows once.
type tracedRows struct {
	Rows
	done func(error)
}

// Close closes the rows and records their query.
func (r *tracedRows) Close() {
	r.Rows.Close()
	if r.done != nil {
		r.done(r.Rows.Err())
		r.done = nil
	}
}

// Exec has a span.
func (s *tracedSession) Exec(sql string, args []any) (int64, error) {
	began := time.Now()
	n, err := s.Session.Exec(sql, args)
	s.done(summary(sql), began, err, []string{sql})
	return n, err
}

// Send has a span for the message with all steps.
func (s *tracedSession) Send(steps []*engine.Step) error {
	began, texts := time.Now(), textsOf(steps)
	err := s.Session.Send(steps)
	s.done(message(texts), began, err, texts)
	return err
}

// Answer has a span for the message with the reads that the engine has put into it.
func (s *tracedSession) Answer(pending []*engine.Pending) int {
	began := time.Now()
	n := s.Session.Answer(pending)
	texts := make([]string, n)
	for i, p := range pending[:n] {
		texts[i] = p.SQL
	}
	s.done(message(texts), began, pending[0].Err, texts)
	return n
}

// LockName has a span, because it may wait.
func (s *tracedSession) LockName(tenant id.Tenant, number int64) error {
	began := time.Now()
	err := s.Session.LockName(tenant, number)
	s.done("LOCK", began, err, nil)
	return err
}

// LockClock has a span, because it may wait.
func (s *tracedSession) LockClock(tenant id.Tenant) error {
	began := time.Now()
	err := s.Session.LockClock(tenant)
	s.done("LOCK change_clocks", began, err, nil)
	return err
}

func textsOf(steps []*engine.Step) []string {
	texts := make([]string, 0, len(steps))
	for _, s := range steps {
		if s.SQL != "" {
			texts = append(texts, s.SQL)
		}
	}
	return texts
}

// message names a message after its first statement.
func message(statements []string) string {
	switch len(statements) {
	case 0:
		return "message"
	case 1:
		return summary(statements[0])
	}
	return summary(statements[0]) + ", …"
}

// summary names a statement: what it does to which table.
func summary(sql string) string {
	words := strings.Fields(sql)
	for i, word := range words {
		if i+1 == len(words) {
			break
		}
		switch table := strings.Trim(words[i+1], "(),"); {
		case word == "INTO":
			return "INSERT " + table
		case word == "UPDATE" && table != "SKIP" && table != "SET":
			return "UPDATE " + table
		case word == "FROM" && i > 0 && words[i-1] == "DELETE":
			return "DELETE " + table
		case word == "FROM" && words[0] == "SELECT" && !strings.HasPrefix(words[i+1], "("):
			return "SELECT " + table
		}
	}
	if len(words) == 0 {
		return "message"
	}
	return words[0]
}
