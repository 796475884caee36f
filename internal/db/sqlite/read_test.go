package sqlite

import (
	"context"
	"errors"
	"testing"
	"time"

	"entrepot/internal/db/engine"
)

// endless gives one row and then looks for a second one for ever.
const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i IN (1, -1)"

// walk reads the rows of a statement.
func walk(s engine.Session, sql string) error {
	rows, err := s.Query(sql, nil)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}

// A statement ends when its caller has gone, wherever it is, and its connection serves the next caller.
func TestAReadEndsWithItsCaller(t *testing.T) {
	store := opened(t, Config{Unsafe: true, Pool: 1})
	reads := map[string]func(context.Context, engine.Work) error{
		"read": func(ctx context.Context, work engine.Work) error {
			return store.Read(ctx, 1, engine.Stored, func(s engine.Session) error {
				_, err := work(s)
				return err
			})
		},
	}
	for name, read := range reads {
		t.Run(name, func(t *testing.T) {
			for wait := range 5 { // from before a row is looked for to well within looking for it
				ctx, leave := context.WithCancel(t.Context())
				err := read(ctx, func(s engine.Session) ([]*engine.Step, error) {
					time.AfterFunc(time.Duration(wait)*5*time.Millisecond, leave)
					return nil, walk(s, endless)
				})
				if !errors.Is(err, context.Canceled) {
					t.Fatalf("the read ended with %v", err)
				}
				if _, err := marks(t, store); err != nil {
					t.Fatalf("the next read: %v", err)
				}
			}
		})
	}
}

// A caller who leaves when the read is over harms neither it nor the next one.
func TestALateLeaveBreaksNothingOff(t *testing.T) {
	store := opened(t, Config{Unsafe: true, Pool: 1})
	for range 200 {
		ctx, leave := context.WithCancel(t.Context())
		done := make(chan struct{})
		err := store.Read(ctx, 1, engine.Stored, func(s engine.Session) error {
			err := walk(s, "SELECT 1")
			go func() {
				leave()
				close(done)
			}()
			return err
		})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if _, err := marks(t, store); err != nil {
			t.Fatalf("the next read: %v", err)
		}
		<-done
	}
}

// A patient read rests between rows once it has run for long enough; other reads do not.
func TestPatientReadsRest(t *testing.T) {
	store := opened(t, Config{})
	for how, rests := range map[engine.ReadMode]bool{engine.Yielding: true, engine.Stored: false, engine.Peek: false} {
		err := store.Read(t.Context(), 1, how, func(s engine.Session) error {
			c := s.(*conn)
			if c.rested.IsZero() == rests {
				t.Errorf("%v: rested %s", how, c.rested)
			}
			long := time.Time{}
			if rests {
				long = time.Now().Add(-time.Hour)
			}
			c.rested, c.rows = long, 0
			rows, err := s.Query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1) SELECT i FROM n", []any{lookEvery})
			if err != nil {
				return err
			}
			defer rows.Close()
			for i := 1; i < lookEvery && rows.Next(); i++ {
				if !c.rested.Equal(long) {
					t.Errorf("%v: it rested before row %d", how, i)
				}
			}
			if rows.Next(); c.rested.Equal(long) == rests {
				t.Errorf("%v: after %d rows it had rested at %s", how, lookEvery, c.rested)
			}
			return rows.Err()
		})
		if err != nil {
			t.Fatal(err)
		}
		_ = store.Read(t.Context(), 1, engine.Stored, func(s engine.Session) error {
			if c := s.(*conn); !c.rested.IsZero() {
				t.Errorf("after %v another read rests, too", how)
			}
			return nil
		})
	}
}
