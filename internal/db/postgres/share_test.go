package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/db/engine"
	"entrepot/internal/db/postgres"
	"entrepot/internal/dbtest"
	"entrepot/internal/id"
)

// Reads of one Keyed share a statement for their keys, each key once, as long as their heads are equal and they are not too many; other
// reads share one where text and arguments are equal.
func TestStatementsOfAGroup(t *testing.T) {
	keyed := &engine.Keyed{Head: 2, Build: func(n int) string { return fmt.Sprint("keys ", n) }}
	of := func(head string, keys ...any) *engine.Pending {
		return &engine.Pending{SQL: keyed.Text(len(keys)), Args: append([]any{tenant, head}, keys...), Keyed: keyed}
	}
	plain := func(sql string, args ...any) *engine.Pending { return &engine.Pending{SQL: sql, Args: args} }
	many := make([]any, 64)
	for i := range many {
		many[i] = fmt.Sprint("k", i)
	}
	got := postgres.Statements(
		[]*engine.Pending{of("a", "x", "y", "y"), plain("channel", int64(1)), plain("channel", int64(2))},
		[]*engine.Pending{plain("channel", int64(1)), of("a", "z", "x"), of("b", "x"), plain("bytes", []byte("b"))},
		[]*engine.Pending{of("a", many...), of("a", "w"), plain("bytes", []byte("b")), plain("other", int64(1))},
	)
	want := []string{"keys 4 1 a w x y z", "channel 1", "channel 2", "keys 1 1 b x", "bytes [98]", "keys 64 1 a k0…", "bytes [98]",
		"other 1"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwanted\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What is looked up while a message of the tenant is under way travels in one message: equal reads are sent once, and each caller
// gets the rows of its own keys, in the order of the statement.
func TestLookupsShareAMessage(t *testing.T) {
	e := open(t)
	words := &engine.Keyed{Head: 1, Build: func(n int) string {
		return "SELECT key, n FROM tallies WHERE tenant_id = $1 AND name = 'word' AND key IN (" + places(n) + ") ORDER BY n DESC"
	}}
	script(t, e, "INSERT INTO tallies (tenant_id, name, key, n) SELECT 1, 'word', chr(96 + i), i FROM generate_series(1, 26) i")
	wanted := [][]any{{"a", "b"}, {"z", "b", "m"}, {"é", "1"}, {"m"}, {"b", "a"}}
	type answer struct{ common, words string }
	answers := make([]answer, len(wanted))
	sharing(t, e, len(wanted), func(i int, s engine.Session) error {
		var a answer
		common := &engine.Pending{SQL: "SELECT now()::TEXT || random()::TEXT", Each: func(r engine.Rows) error { return r.Scan(&a.common) }}
		own := &engine.Pending{Keyed: words, SQL: words.Text(len(wanted[i])), Args: append([]any{tenant}, wanted[i]...),
			Each: func(r engine.Rows) error {
				var key string
				var n int64
				err := r.Scan(&key, &n)
				a.words += fmt.Sprint(key, n, " ")
				return err
			}}
		s.Answer([]*engine.Pending{common, own})
		answers[i] = a
		return errors.Join(common.Err, own.Err)
	})
	want := []string{"b2 a1 ", "z26 m13 b2 ", "", "m13 ", "b2 a1 "}
	for i, a := range answers {
		if a.words != want[i] || a.common != answers[0].common || a.common == "" {
			t.Errorf("%d: %q, wanted %q; in the message of the first: %v", i, a.words, want[i], a.common == answers[0].common)
		}
	}
}

// One caller's bad read takes the answer from nobody else, and its caller gets its own error.
func TestABadLookupOfAGroup(t *testing.T) {
	e := open(t)
	errs := make([]error, 4)
	sums := make([]int64, 4)
	sharing(t, e, len(errs), func(i int, s engine.Session) error {
		rows, err := s.Query("SELECT 12 / $1::BIGINT", []any{i})
		for err == nil && rows.Next() {
			err = rows.Scan(&sums[i])
		}
		errs[i] = err
		return nil
	})
	for i, err := range errs {
		bad := i == 0
		if bad != (err != nil && strings.Contains(err.Error(), "22012")) || !bad && sums[i] != 12/int64(i) {
			t.Errorf("12/%d: %d, %v", i, sums[i], err)
		}
	}
}

// A caller that hangs up ends the message that is its own, and not the one that others wait for.
func TestLookupsOfACallerThatHangsUp(t *testing.T) {
	e := open(t)
	ctx, hangUp := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- e.Read(ctx, tenant, engine.Lookup, func(s engine.Session) error {
			_, err := s.Query("SELECT pg_sleep(60)::TEXT", nil)
			return err
		})
	}()
	await(t, func() bool {
		return count(t, e, "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)%' AND $1 > 0") > 1
	})
	var others sync.WaitGroup
	gone, goNow := context.WithCancel(t.Context())
	for i := range 3 {
		of := gone // that of the first, who reads for all three
		if i > 0 {
			of = t.Context()
		}
		others.Go(func() {
			err := e.Read(of, tenant, engine.Lookup, func(s engine.Session) error {
				rows, err := s.Query("SELECT 'x'", nil)
				if err == nil && !rows.Next() {
					err = errors.New("no row")
				}
				return err
			})
			if err != nil && i > 0 {
				t.Errorf("%d: %v", i, err)
			}
		})
		await(t, func() bool { return e.LookingUp() == i+1 })
	}
	goNow()
	hangUp()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the caller that hung up: %v", err)
	}
	others.Wait()
}

// A brief read sees one snapshot. One that asks for more than its message has runs again, on a snapshot of its own.
func TestBriefReads(t *testing.T) {
	e := open(t)
	ask := func(s engine.Session) (seen []string, err error) {
		pending := make([]*engine.Pending, 2)
		for i := range pending {
			pending[i] = &engine.Pending{SQL: "SELECT current_setting('transaction_isolation') || pg_current_snapshot()::TEXT || $1::TEXT",
				Args: []any{fmt.Sprint(i)}, Each: func(r engine.Rows) error {
					var text string
					err := r.Scan(&text)
					seen = append(seen, text[:len(text)-1])
					return err
				}}
		}
		s.Answer(pending)
		return seen, errors.Join(pending[0].Err, pending[1].Err)
	}
	for _, messages := range []int{1, 3} {
		var seen []string
		runs := 0
		err := e.Read(t.Context(), tenant, engine.Brief, func(s engine.Session) error {
			seen = nil
			runs++
			for range messages {
				more, err := ask(s)
				if err != nil {
					return err
				}
				seen = append(seen, more...)
				// from now on a snapshot is another one
				script(t, e, "INSERT INTO tallies (tenant_id, name, key, n) VALUES (1, 'word', gen_random_uuid()::TEXT, 1)")
			}
			return nil
		})
		if err != nil || len(seen) != 2*messages || len(slices.Compact(seen)) != 1 || !strings.HasPrefix(seen[0], "repeatable read") {
			t.Errorf("%d messages see %v, %v", messages, seen, err)
		}
		if runs != min(messages, 2) {
			t.Errorf("%d messages took %d runs", messages, runs)
		}
	}
}

// A brief read is answered while a message with look-ups of its tenant is under way: it shares no message with these, whose reads need not
// fit each other.
func TestBriefReadsTravelAlone(t *testing.T) {
	e := open(t)
	var all sync.WaitGroup
	read := func(how engine.ReadMode, sql string, done *atomic.Bool) {
		all.Go(func() {
			if err := e.Read(t.Context(), tenant, how, func(s engine.Session) error {
				_, err := s.Query(sql, []any{tenant})
				return err
			}); err != nil {
				t.Error(err)
			}
			done.Store(true)
		})
	}
	var looked, brief atomic.Bool
	err := e.Write(t.Context(), 2, engine.Normal, func(s engine.Session) ([]*engine.Step, error) {
		if _, err := s.Exec("LOCK TABLE order_numbers IN ACCESS EXCLUSIVE MODE", nil); err != nil {
			return nil, err
		}
		read(engine.Lookup, "SELECT count(*) FROM order_numbers WHERE tenant_id = $1", &looked)
		await(t, func() bool { return count(t, e, "SELECT count(*) FROM pg_locks WHERE NOT granted AND $1 > 0") == 1 })
		read(engine.Brief, "SELECT $1::BIGINT", &brief)
		await(t, brief.Load)
		if looked.Load() {
			t.Error("the look-up did not wait")
		}
		return nil, nil
	})
	if err != nil {
		t.Error(err)
	}
	all.Wait()
}

func open(t *testing.T) *postgres.Engine {
	t.Helper()
	e, err := postgres.Open(t.Context(),
		postgres.Config{URL: dbtest.StoreURL(t), Patience: dbtest.Patience, Now: time.Now, Log: slog.New(slog.DiscardHandler), Groups: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func script(t *testing.T, e *postgres.Engine, sql string) {
	t.Helper()
	if err := e.Script(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func places(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ",$%d", i+2)
	}
	return b.String()[1:]
}

// sharing has n callers look something up while a message of the tenant waits for a table, then lets all go on.
func sharing(t *testing.T, e *postgres.Engine, n int, read func(i int, s engine.Session) error) {
	t.Helper()
	sharingOf(t, e, slices.Repeat([]id.Tenant{tenant}, n), read)
}

// sharingOf is sharing for callers of several tenants.
func sharingOf(t *testing.T, e *postgres.Engine, tenants []id.Tenant, read func(i int, s engine.Session) error) {
	t.Helper()
	var running sync.WaitGroup
	look := func(of id.Tenant, read func(engine.Session) error) {
		running.Go(func() {
			if err := e.Read(t.Context(), of, engine.Lookup, read); err != nil {
				t.Error(err)
			}
		})
	}
	err := e.Write(t.Context(), 2, engine.Normal, func(s engine.Session) ([]*engine.Step, error) {
		if _, err := s.Exec("LOCK TABLE order_numbers IN ACCESS EXCLUSIVE MODE", nil); err != nil {
			return nil, err
		}
		look(tenant, func(s engine.Session) error {
			_, err := s.Query("SELECT count(*) FROM order_numbers WHERE tenant_id = $1", []any{tenant})
			return err
		})
		await(t, func() bool { return count(t, e, "SELECT count(*) FROM pg_locks WHERE NOT granted AND $1 > 0") == 1 })
		for i, of := range tenants {
			look(of, func(s engine.Session) error { return read(i, s) })
			await(t, func() bool { return e.LookingUp() == i+1 })
		}
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	running.Wait()
}
