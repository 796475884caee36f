package postgres

import (
	"errors"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5"

	"entrepot/internal/db/engine"
)

// Send sends queued writes in one message.
func (s *session) Send(steps []*engine.Step) error { return s.message(steps, false) }

// commit sends the last writes and COMMIT in one message. A transaction that wrote and read nothing sends none.
func (s *session) commit(steps []*engine.Step) error {
	if !s.open && len(steps) == 0 {
		return nil
	}
	return s.message(steps, true)
}

func (s *session) message(steps []*engine.Step, commit bool) error {
	b, skip := s.batch(len(steps))
	for _, step := range steps {
		s.queue(b, step)
	}
	if commit {
		b.Queue("COMMIT")
		s.committing = true
		delete(s.conn.PgConn().CustomData(), warned)
	}
	results := s.conn.SendBatch(s.ctx, b)
	defer results.Close()
	if err := readReplies(results, skip, steps); err != nil {
		s.committing = s.committing && !cameEarly(err)
		return err
	}
	if commit {
		if _, err := results.Exec(); err != nil {
			return err
		}
		s.open = false
		if s.conn.PgConn().CustomData()[warned] != nil {
			return engine.UnknownOutcome(errors.New("the commit was to be on a standby, and the wait for it was cancelled"))
		}
	}
	return nil
}

// readReplies reads the server's answers to a message up to COMMIT.
func readReplies(results pgx.BatchResults, skip int, steps []*engine.Step) error {
	if err := skipResults(results, skip); err != nil {
		return err
	}
	for _, step := range steps {
		if step.Clock != nil {
			if err := skipResults(results, 1); err != nil {
				return err
			}
		}
		if _, err := results.Exec(); err != nil {
			return step.Failed(violation(err), err)
		}
	}
	return nil
}

// queue puts a write into a message: one statement, or two to move the clock.
func (s *session) queue(b *pgx.Batch, step *engine.Step) {
	switch {
	case step.Clock != nil:
		s.tick(b, step.Clock)
	case step.Share != nil:
		b.Queue(shareName, int64(step.Share.Tenant), step.Share.Number)
	case step.Want >= 0:
		b.Queue(expecting(step.SQL, step.Want, step.Reads), plain(step.Args)...)
	default:
		b.Queue(step.SQL, plain(step.Args)...)
	}
}

// expecting makes a write fail inside the server unless it touches n rows, or a read unless it finds n, so that
// COMMIT can travel in the same message.
func expecting(sql string, n int64, reads bool) string {
	key := expectKey{sql, n}
	if text, ok := expectTexts.Load(key); ok {
		return text.(string)
	}
	text := touching(sql, strconv.FormatInt(n, 10), reads)
	expectTexts.Store(key, text)
	return text
}

// touching is a statement that fails unless it touches, or finds, n rows.
func touching(sql, n string, reads bool) string {
	returning := " RETURNING 1"
	if reads {
		returning = ""
	}
	return "WITH touched AS (" + sql + returning + ") SELECT 1 / (CASE WHEN count(*) = " + n + " THEN 1 ELSE 0 END) FROM touched"
}

type expectKey struct {
	sql string
	n   int64
}

var expectTexts sync.Map
