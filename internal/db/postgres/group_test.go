package postgres_test

import (
	"context"
	"errors"
	"fmt"
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

func TestMain(m *testing.M) { dbtest.Main(m) }

const tenant id.Tenant = 1

// A group takes the locks that transactions share first, by number and once; then what each writes before the clock, text by text and in
// it by the record that $2 names, in the order of every member; then each member's clock and what is behind it.
func TestOrderOfAGroup(t *testing.T) {
	step := func(sql, record string) *engine.Step { return &engine.Step{SQL: sql, Args: []any{tenant, record}} }
	share := func(n int64) *engine.Step { return &engine.Step{Share: &engine.Lock{Tenant: tenant, Number: n}} }
	clock := func() *engine.Step { return &engine.Step{Clock: &engine.Tick{Tenant: tenant}} }
	got := []string{}
	for _, s := range postgres.InOrder(
		[]*engine.Step{share(7), step("customer", "c"), step("order", "1"), step("lines of 3", "1"), clock(), step("level", "z"),
			step("event", "1")},
		[]*engine.Step{share(3), step("new customer", "b"), step("order", "2"), step("lines of 2", "2"), clock(), step("level", "a")},
		[]*engine.Step{share(7), step("customer", "a"), step("tags", "a"), step("order", "0")},
		[]*engine.Step{step("order", "9"), step("customer", "0")}, // the other way round: its own order is kept
	) {
		switch {
		case s.Share != nil:
			got = append(got, fmt.Sprint("share ", s.Share.Number))
		case s.Clock != nil:
			got = append(got, "clock")
		default:
			got = append(got, s.SQL+" "+s.Args[1].(string))
		}
	}
	want := []string{"share 3", "share 7", "new customer b", "customer a", "customer c", "tags a", "order 0", "order 1", "order 2", "order 9",
		"customer 0", "lines of 2 2", "lines of 3 1", "clock", "level z", "event 1", "clock", "level a"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwanted\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Rows of one form share statements: in a few fixed lengths, those that change one record one after the other or added up, under one turn
// of the clock. A member that gives stamps by other statements has its own, last. What the members hold stays as it was.
func TestRowsOfAGroup(t *testing.T) {
	form := func(name string, f *engine.Form) *engine.Form {
		f.Build = func(rows int) string { return fmt.Sprint(name, " ", rows) }
		return f
	}
	lines := form("lines", &engine.Form{Head: 1, Width: 1})
	levels := form("levels", &engine.Form{Head: 2, Width: 2, Key: []int{0}, Stamps: []int{1}})
	sums := form("sums", &engine.Form{Head: 1, Width: 2, Key: []int{0}, Sum: []int{1}})
	step := func(f *engine.Form, want int64, args ...any) *engine.Step {
		args = append([]any{tenant}, args...)
		return &engine.Step{SQL: f.Text(f.Rows(args)), Args: args, Want: want, Form: f}
	}
	read := func(args ...any) *engine.Step { return &engine.Step{SQL: "read", Args: args, Want: 1, Reads: true} }
	clock := func(length int64) *engine.Step {
		return &engine.Step{Want: -1, Clock: &engine.Tick{Tenant: tenant, Now: 5, Length: length}}
	}
	members := [][]*engine.Step{
		{read(tenant, "channel"), step(lines, -1, "b", "c"), clock(20), step(levels, 2, false, "red", int64(10), "blue", int64(20)),
			step(sums, -1, "day", int64(1))},
		{step(lines, -1, "a"), clock(10), {SQL: "no form", Want: -1}},
		{read(tenant, "channel"), step(lines, -1, "d"), clock(30), step(levels, 1, false, "red", int64(10)),
			step(levels, 1, true, "red", int64(30)), step(sums, -1, "day", int64(-3), "hour", int64(7))},
	}
	show := func(steps []*engine.Step) (got []string) {
		for _, s := range steps {
			if s.Clock != nil {
				got = append(got, fmt.Sprint("clock ", s.Clock.Length))
			} else {
				got = append(got, fmt.Sprintf("%s %v %d", s.SQL, s.Args, s.Want))
			}
		}
		return got
	}
	before := fmt.Sprint(show(members[0]), show(members[1]), show(members[2]))
	got := show(postgres.InOrder(members...))
	want := []string{"read [1 channel] 1", "lines 4 [1 a b c d] -1", "clock 50", "levels 2 [1 false red 10 blue 20] 2",
		"levels 1 [1 false red 30] 1", "levels 1 [1 true red 50] 1", "sums 2 [1 day -2 hour 7] -1", "clock 10", "no form [] -1"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwanted\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if after := fmt.Sprint(show(members[0]), show(members[1]), show(members[2])); after != before {
		t.Errorf("the members were changed:\n%s\n%s", before, after)
	}
}

// Transactions that are planned while another holds the clock are stored in one commit when they get it.
func TestTransactionsShareACommit(t *testing.T) {
	e, answers := gather(t, []error{nil, nil, nil, nil, nil})
	for i, err := range answers {
		if err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	if n := count(t, e, "SELECT count(*) FROM tallies WHERE tenant_id = $1"); n != 6 {
		t.Errorf("%d of 6 are stored", n)
	}
	if n := count(t, e, "SELECT count(DISTINCT xmin::TEXT) FROM tallies WHERE tenant_id = $1"); n != 2 {
		t.Errorf("they took %d commits, not 2: the first, and one for those that waited", n)
	}
}

// One that is refused takes nothing from the others of its group.
func TestARefusedMemberOfAGroup(t *testing.T) {
	refused := errors.New("refused")
	wanted := []error{nil, refused, nil, refused, nil}
	e, answers := gather(t, wanted)
	for i, err := range answers {
		if !errors.Is(err, wanted[i]) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if n := count(t, e, "SELECT count(*) FROM tallies WHERE tenant_id = $1"); n != 4 {
		t.Errorf("%d of 4 are stored", n)
	}
}

// gather has one transaction wait for the clock and others for it, one after the other and each with the refusal it is to meet, then lets
// all go on.
func gather(t *testing.T, refusals []error) (e *postgres.Engine, answers []error) {
	e = open(t)
	script(t, e, "INSERT INTO change_clocks (tenant_id, base, last) VALUES (1, 0, 0)")
	write := func(name string, refusal error) error {
		want := int64(1)
		if refusal != nil {
			want = 2 // which no statement here touches
		}
		return e.Write(context.Background(), tenant, engine.Optimistic, func(engine.Session) ([]*engine.Step, error) {
			return []*engine.Step{
				{SQL: "INSERT INTO tallies (tenant_id, name, key, n) VALUES ($1, $2, '', 1)", Args: []any{tenant, name}, Want: want, Miss: refusal},
				{Clock: &engine.Tick{Tenant: tenant, Length: 10}, Want: -1},
			}, nil
		})
	}
	var running sync.WaitGroup
	err := e.Write(t.Context(), tenant, engine.Normal, func(s engine.Session) ([]*engine.Step, error) {
		if err := s.LockClock(tenant); err != nil {
			return nil, err
		}
		running.Go(func() {
			if err := write("first", nil); err != nil {
				t.Error(err)
			}
		})
		await(t, func() bool {
			return count(t, e, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = $1::BIGINT::OID") == 1
		})
		answers = make([]error, len(refusals))
		for i, refusal := range refusals {
			running.Go(func() { answers[i] = write(fmt.Sprint(i), refusal) })
			await(t, func() bool { return e.Gathered(tenant) == i+1 })
		}
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	running.Wait()
	return e, answers
}

func await(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain")
		}
	}
}

func count(t *testing.T, e *postgres.Engine, sql string) (n int64) {
	t.Helper()
	err := e.Read(t.Context(), tenant, engine.Stored, func(s engine.Session) error {
		rows, err := s.Query(sql, []any{tenant})
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := rows.Scan(&n); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
