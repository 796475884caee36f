package sqlite

import (
	"log/slog"
	"testing"
	"time"

	"entrepot/internal/db/engine"
)

// opened is a store with a table of marks.
func opened(t *testing.T, c Config) *Engine {
	t.Helper()
	c.Dir, c.Now, c.Log = t.TempDir(), time.Now, slog.New(slog.DiscardHandler)
	e, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	if err := e.Script(t.Context(), "CREATE TABLE marks (n BIGINT, content TEXT)"); err != nil {
		t.Fatal(err)
	}
	return e
}

func mark(t *testing.T, e *Engine, n int, content string) error {
	return e.Write(t.Context(), 1, engine.Normal, func(engine.Session) ([]*engine.Step, error) {
		return []*engine.Step{{SQL: "INSERT INTO marks (n, content) VALUES ($1, $2)", Args: []any{n, content}, Want: -1}}, nil
	})
}

func marks(t *testing.T, e *Engine) (n int64, err error) {
	err = e.Read(t.Context(), 1, engine.Stored, func(s engine.Session) (err error) {
		n, err = count(s)
		return err
	})
	return n, err
}

// count reads how many marks there are.
func count(s engine.Session) (int64, error) { return numberOf(s, "SELECT count(*) FROM marks") }

// numberOf reads one number, 0 if there is none.
func numberOf(s engine.Session, sql string, args ...any) (n int64, err error) {
	rows, err := s.Query(sql, args)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	if rows.Next() {
		err = rows.Scan(&n)
	}
	return n, err
}
