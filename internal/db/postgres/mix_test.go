package postgres_test

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/db/engine"
	"entrepot/internal/db/postgres"
	"entrepot/internal/dbtest"
	"entrepot/internal/id"
)

var sums = &engine.Form{Head: 1, Width: 3, Key: []int{0, 1}, Sum: []int{2},
	Build: func(n int) string { return addSums(n, "($1,$%d,$%d,$%d)", 2, 3) },
	Mixed: func(n int) string { return addSums(n, "($%d,$%d,$%d,$%d)", 1, 4) }}

func addSums(n int, row string, first, width int) string {
	rows := make([]string, n)
	for i := range rows {
		numbers := make([]any, width)
		for k := range numbers {
			numbers[k] = first + i*width + k
		}
		rows[i] = fmt.Sprintf(row, numbers...)
	}
	return "INSERT INTO tallies (tenant_id, name, key, n) VALUES " + strings.Join(rows, ",") +
		" ON CONFLICT (tenant_id, name, key) DO UPDATE SET n = tallies.n + excluded.n"
}

func sum(of id.Tenant, name string, n int64) *engine.Step {
	return &engine.Step{SQL: sums.Text(1), Args: []any{of, name, "", n}, Want: -1, Form: sums}
}

func clock(of id.Tenant, length int64) *engine.Step {
	return &engine.Step{Clock: &engine.Tick{Tenant: of, Length: length}, Want: -1}
}

// Rows of several tenants share statements, each with its head. All clocks are taken together, in the order of their numbers, and a
// member's stamps are behind those of its own tenant's members only.
func TestRowsOfSeveralTenants(t *testing.T) {
	rows := &engine.Form{Head: 2, Width: 2, Key: []int{0}, Stamps: []int{1},
		Build: func(n int) string { return fmt.Sprint("rows ", n) }, Mixed: func(n int) string { return fmt.Sprint("mixed ", n) }}
	row := func(of id.Tenant, flag bool, name string, at int64) *engine.Step {
		return &engine.Step{SQL: "rows 1", Args: []any{of, flag, name, at}, Want: 1, Form: rows}
	}
	own := func(of id.Tenant, record string) *engine.Step {
		return &engine.Step{SQL: "own", Args: []any{of, record}, Want: 1}
	}
	got := []string{}
	for _, s := range postgres.InOrder(
		[]*engine.Step{own(7, "a"), clock(7, 10), row(7, true, "red", 10)},
		[]*engine.Step{own(2, "b"), clock(2, 20), row(2, true, "red", 10), row(2, false, "blue", 20)},
		[]*engine.Step{own(7, "0"), clock(7, 10), row(7, true, "red", 10)},
	) {
		if s.Clock == nil {
			got = append(got, fmt.Sprintf("%s %v %d", s.SQL, s.Args, s.Want))
			continue
		}
		text := fmt.Sprintf("clocks %d+%d", s.Clock.Tenant, s.Clock.Length)
		for _, other := range s.Clock.Others {
			text += fmt.Sprintf(" %d+%d", other.Tenant, other.Length)
		}
		got = append(got, text)
	}
	want := []string{"own [2 b] 1", "own [7 0] 1", "own [7 a] 1", "clocks 2+20 7+20",
		"mixed 3 [7 true red 10 2 true red 10 2 false blue 20] 3", "mixed 1 [7 true red 20] 1"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwanted\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Transactions of several tenants that wait for a group share its commit, with row-level security. Each tenant's clock moves by what its
// own took. A refused one takes nothing from the others.
func TestTenantsShareACommit(t *testing.T) {
	for _, refuse := range []bool{false, true} {
		e := openPlain(t, dbtest.PlainStoreURL(t))
		refused := errors.New("refused")
		release := e.HoldMixed()
		var running sync.WaitGroup
		for i, of := range []id.Tenant{3, 1, 2, 1} {
			running.Go(func() {
				err := e.Write(t.Context(), of, engine.Optimistic, func(engine.Session) ([]*engine.Step, error) {
					steps := []*engine.Step{clock(of, int64(10*(i+1))), sum(of, "all", 1), sum(of, fmt.Sprint(i), 1)}
					if refuse && i == 2 {
						steps = slices.Insert(steps, 0, &engine.Step{SQL: "SELECT 1 FROM change_clocks WHERE tenant_id = $1 AND base < 0",
							Args: []any{of}, Want: 1, Miss: refused, Reads: true})
					}
					return steps, nil
				})
				if bad := refuse && i == 2; bad != errors.Is(err, refused) || !bad && err != nil {
					t.Errorf("%d: %v", i, err)
				}
			})
			await(t, func() bool { return e.MixedWaiting() == i+1 })
		}
		release()
		running.Wait()
		got := across(t, e, `SELECT string_agg(tenant_id || ' ' || name || ' ' || n, ', ' ORDER BY tenant_id, name) || '; ' ||
			count(DISTINCT xmin::TEXT) FROM tallies`)
		want := "1 1 1, 1 3 1, 1 all 2, 2 2 1, 2 all 1, 3 0 1, 3 all 1; 1"
		if refuse {
			want = "1 1 1, 1 3 1, 1 all 2, 3 0 1, 3 all 1" // in a commit of each tenant, or two: not all come back in the same moment
			got, _, _ = strings.Cut(got, ";")
		}
		if got != want {
			t.Errorf("refused %v: got %s, wanted %s", refuse, got, want)
		}
		if !refuse {
			if got := across(t, e, "SELECT string_agg(tenant_id || '+' || last - base, ' ' ORDER BY tenant_id) FROM change_clocks"); got !=
				"1+60 2+30 3+10" {
				t.Errorf("the clocks moved by %s", got)
			}
		}
	}
}

// A tenant whose clock another node holds keeps nobody else waiting.
func TestATenantWhoseClockIsHeld(t *testing.T) {
	address := dbtest.PlainStoreURL(t)
	e, elsewhere := openPlain(t, address), openAt(t, address)
	write := func(of id.Tenant, name string) error {
		return e.Write(t.Context(), of, engine.Optimistic, func(engine.Session) ([]*engine.Step, error) {
			return []*engine.Step{clock(of, 10), sum(of, name, 1)}, nil
		})
	}
	var running sync.WaitGroup
	err := elsewhere.Write(t.Context(), 1, engine.Normal, func(s engine.Session) ([]*engine.Step, error) {
		if err := s.LockClock(1); err != nil {
			return nil, err
		}
		release := e.HoldMixed()
		for i := range id.Tenant(3) {
			running.Go(func() {
				if err := write(i+1, "beside"); err != nil {
					t.Errorf("tenant %d: %v", i+1, err)
				}
			})
			await(t, func() bool { return e.MixedWaiting() == int(i+1) })
		}
		release()
		await(t, func() bool {
			return across(t, e, "SELECT string_agg(tenant_id::TEXT, ' ' ORDER BY tenant_id) FROM tallies WHERE name = 'beside'") == "2 3"
		})
		return nil, nil
	})
	running.Wait()
	if got := across(t, e, "SELECT count(*)::TEXT FROM tallies WHERE name = 'beside'"); got != "3" || err != nil {
		t.Errorf("%s of 3 are stored, %v", got, err)
	}
}

// openPlain opens a store with three tenants, as a role for which row-level security holds.
func openPlain(t *testing.T, address string) *postgres.Engine {
	t.Helper()
	e := openAt(t, address)
	script(t, e, "INSERT INTO change_clocks (tenant_id, base, last) VALUES (1, 0, 0), (2, 0, 0), (3, 0, 0)")
	return e
}

func openAt(t *testing.T, address string) *postgres.Engine {
	t.Helper()
	e, err := postgres.Open(t.Context(),
		postgres.Config{URL: address, Patience: dbtest.Patience, Now: time.Now, Log: slog.New(slog.DiscardHandler), Groups: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// across is a text that a statement reads of all tenants' rows, "" for none.
func across(t *testing.T, e *postgres.Engine, sql string) (text string) {
	t.Helper()
	err := e.Read(t.Context(), 0, engine.Stored, func(s engine.Session) error {
		rows, err := s.Query("SELECT coalesce(("+sql+"), '')", nil)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			err = rows.Scan(&text)
		}
		return errors.Join(err, rows.Err())
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Look-ups of several tenants share a message, and those by key a statement; each caller gets the rows of its own tenant and keys. Another
// read sees its own tenant's rows only, whatever it forgets to say.
func TestLookupsOfSeveralTenants(t *testing.T) {
	e := openPlain(t, dbtest.PlainStoreURL(t))
	script(t, e, "INSERT INTO tallies (tenant_id, name, key, n) SELECT t, 'word', chr(96 + i), 100 * t + i "+
		"FROM generate_series(1, 3) t, generate_series(1, 26) i")
	words := &engine.Keyed{Head: 2, Build: func(n int) string {
		return "SELECT key, n, now()::TEXT FROM tallies WHERE tenant_id = $1 AND name = $2 AND key IN (" +
			places(n + 1)[3:] + ")"
	}, Mixed: `SELECT t.key, t.n, now()::TEXT, k.n::TEXT FROM unnest($1::BIGINT[], $2::TEXT[], $3::TEXT[])
		WITH ORDINALITY AS k(tenant, name, key, n) JOIN tallies t ON t.tenant_id = k.tenant AND t.name = k.name AND t.key = k.key ORDER BY t.n`}
	tenants := []id.Tenant{2, 1, 0, 2}
	wanted := [][]any{{"b", "a"}, {"z", "b"}, {"c"}, {"b", "é"}}
	got, at := make([]string, len(tenants)), make([]string, len(tenants))
	sharingOf(t, e, tenants, func(i int, s engine.Session) error {
		var all int64
		forgotten := &engine.Pending{SQL: "SELECT count(*) FROM tallies", Each: func(r engine.Rows) error { return r.Scan(&all) }}
		own := &engine.Pending{Keyed: words, SQL: words.Text(len(wanted[i])), Args: append([]any{max(1, tenants[i]), "word"}, wanted[i]...),
			Each: func(r engine.Rows) error {
				var key string
				var n int64
				err := r.Scan(&key, &n, &at[i])
				got[i] += fmt.Sprint(key, n, " ")
				return err
			}}
		s.Answer([]*engine.Pending{forgotten, own})
		got[i] += fmt.Sprint("of ", all)
		return errors.Join(forgotten.Err, own.Err)
	})
	want := []string{"a201 b202 of 26", "b102 z126 of 26", "c103 of 78", "b202 of 26"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, wanted %q", got, want)
	}
	for i := range at {
		if at[i] != at[0] || at[i] == "" {
			t.Errorf("%d was read in another message: %q, %q", i, at[i], at[0])
		}
	}
}

// A group that finds one of another node under way is stored all the same. From then on, a tenant's group waits for its turn before it is
// formed, so that whoever comes meanwhile is in it.
func TestGroupsOfTwoNodesTakeTurns(t *testing.T) {
	address := dbtest.PlainStoreURL(t)
	e, elsewhere := openPlain(t, address), openAt(t, address)
	write := func(name string) error {
		return e.Write(t.Context(), 1, engine.Optimistic, func(engine.Session) ([]*engine.Step, error) {
			return []*engine.Step{clock(1, 10), sum(1, name, 1)}, nil
		})
	}
	var running sync.WaitGroup
	err := elsewhere.Write(t.Context(), 2, engine.Normal, func(s engine.Session) ([]*engine.Step, error) {
		if _, err := s.Exec("SELECT pg_advisory_xact_lock(7306, 1)", nil); err != nil {
			return nil, err
		}
		if err := write("first"); err != nil || !e.Apart(1) {
			t.Errorf("beside a group of another node: %v, the tenant is apart: %v", err, e.Apart(1))
		}
		e.SetApart(1)
		for i := range 4 {
			running.Go(func() {
				if err := write(fmt.Sprint(i)); err != nil {
					t.Error(err)
				}
			})
			await(t, func() bool {
				return e.Gathered(1) == i && across(t, e, "SELECT count(*)::TEXT FROM pg_locks WHERE classid = 7306 AND NOT granted") == "1"
			})
		}
		return nil, nil
	})
	running.Wait()
	got := across(t, e, "SELECT count(*) || ' in ' || count(DISTINCT xmin::TEXT) FROM tallies WHERE name <> 'first'")
	if got != "4 in 1" || err != nil {
		t.Errorf("%s commits, %v", got, err)
	}
}
