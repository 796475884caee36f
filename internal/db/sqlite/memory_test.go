package sqlite

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"entrepot/internal/db/engine"
)

// marked reads marks by their content; the last column is another number whenever the statement runs.
func marked(head int, tables ...string) *engine.Keyed {
	return &engine.Keyed{Head: head, Tables: tables, Build: func(n int) string {
		condition := ""
		if head > 0 {
			condition = "n >= $1 AND "
		}
		places := make([]string, n)
		for i := range places {
			places[i] = fmt.Sprintf("$%d", head+i+1)
		}
		return "SELECT content, n, random() FROM marks WHERE " + condition + "content IN (" + strings.Join(places, ", ") + ") ORDER BY n"
	}}
}

// wanted is the pending read of keys.
func wanted(of *engine.Keyed, each func(engine.Rows) error, keys ...any) *engine.Pending {
	var args []any
	if of.Head > 0 {
		args = append(args, int64(0))
	}
	keys = engine.Padded(keys)
	return &engine.Pending{Keyed: of, SQL: of.Text(len(keys)), Args: append(args, keys...), Each: each}
}

// found is what a look-up of keys found: the numbers of each, and what shows in which run it was read.
func (e *Engine) found(t testing.TB, of *engine.Keyed, keys ...any) (numbers, runs map[string][]int64) {
	t.Helper()
	numbers, runs = map[string][]int64{}, map[string][]int64{}
	p := wanted(of, func(r engine.Rows) error {
		var key string
		var n, run int64
		err := r.Scan(&key, &n, &run)
		numbers[key], runs[key] = append(numbers[key], n), append(runs[key], run)
		return err
	}, keys...)
	err := e.Read(t.Context(), 1, engine.Lookup, func(s engine.Session) error {
		s.Answer([]*engine.Pending{p})
		return p.Err
	})
	if err != nil {
		t.Fatal(err)
	}
	return numbers, runs
}

// Rows of a key are read once until one of their tables changes; those of other keys are read beside them.
func TestRowsAreRemembered(t *testing.T) {
	store := opened(t, Config{Unsafe: true})
	do(t, store, "CREATE TABLE others (n BIGINT)", "INSERT INTO marks (n, content) VALUES (1, 'a'), (2, 'b'), (3, 'a'), (4, 'c')")
	by := marked(1, "marks")
	_, first := store.found(t, by, "a", "b")
	do(t, store, "INSERT INTO others (n) VALUES (1)")
	numbers, second := store.found(t, by, "c", "a", "b", "a")
	if fmt.Sprint(numbers) != "map[a:[1 3] b:[2] c:[4]]" {
		t.Errorf("%v", numbers)
	}
	if fmt.Sprint(first["a"], first["b"]) != fmt.Sprint(second["a"], second["b"]) || len(second["c"]) != 1 {
		t.Errorf("read again: %v after %v", second, first)
	}
	if _, again := store.found(t, by, "a", "c"); fmt.Sprint(again["c"]) != fmt.Sprint(second["c"]) {
		t.Error("what was read beside the others was not remembered")
	}
	do(t, store, "UPDATE marks SET n = 5 WHERE content = 'b'")
	numbers, third := store.found(t, by, "a", "b")
	if fmt.Sprint(numbers) != "map[a:[1 3] b:[5]]" || fmt.Sprint(third["a"]) == fmt.Sprint(first["a"]) {
		t.Errorf("after a change: %v", numbers)
	}
	if err := anotherProcess(t, store).script("DELETE FROM marks WHERE n = 5"); err != nil {
		t.Fatal(err)
	}
	if numbers, _ := store.found(t, by, "a", "b"); fmt.Sprint(numbers) != "map[a:[1 3]]" {
		t.Errorf("after a change by another process: %v", numbers)
	}
}

// What is not to be remembered is read each time: of a Keyed without tables, rows with much text, and that there is nothing for a key
// that belongs to no tenant.
func TestWhatIsNotRemembered(t *testing.T) {
	store := opened(t, Config{Unsafe: true})
	long := strings.Repeat("x", rememberedBytes+1)
	do(t, store, "INSERT INTO marks (n, content) VALUES (1, 'a'), (2, '"+long+"')")
	forgotten := func(by *engine.Keyed, key string) {
		t.Helper()
		_, first := store.found(t, by, key)
		if _, second := store.found(t, by, key); fmt.Sprint(first[key]) == fmt.Sprint(second[key]) {
			t.Error("remembered")
		}
	}
	forgotten(marked(1), "a")
	forgotten(marked(1, "marks"), long)
	before := store.memory.Len()
	for i := range 100 {
		store.found(t, marked(0, "marks"), fmt.Sprint("nothing ", i))
	}
	if after := store.memory.Len(); after != before {
		t.Errorf("%d keys that have no rows are remembered", after-before)
	}
	store.found(t, marked(1, "marks"), "nothing")
	if store.memory.Len() != before+1 {
		t.Error("that a tenant has no row for a key is not remembered")
	}
}

// Whatever this process and another write in turn, a look-up finds what the store holds.
func TestRememberedRowsAreTheStores(t *testing.T) {
	store := opened(t, Config{Unsafe: true})
	do(t, store, "CREATE TABLE others (n BIGINT)")
	other := anotherProcess(t, store)
	by := marked(1, "marks")
	all := t
	rapid.Check(t, func(t *rapid.T) {
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			key := rapid.SampledFrom([]string{"a", "b", "c"})
			write := rapid.SampledFrom([]string{
				"INSERT INTO marks (n, content) VALUES (1, '" + key.Draw(t, "key") + "')",
				"UPDATE marks SET n = n + 1 WHERE content = '" + key.Draw(t, "key") + "'",
				"DELETE FROM marks WHERE content = '" + key.Draw(t, "key") + "'",
				"INSERT INTO others (n) VALUES (1)",
			}).Draw(t, "write")
			var err error
			if rapid.Bool().Draw(t, "by another process") {
				err = other.script(write)
			} else {
				do(all, store, write)
			}
			if err != nil {
				t.Fatal(err)
			}
			want, err := other.text("SELECT coalesce(group_concat(content || n, ' ' ORDER BY content, n), '') FROM marks")
			if err != nil {
				t.Fatal(err)
			}
			numbers, _ := store.found(all, by, "a", "b", "c")
			var got []string
			for _, key := range []string{"a", "b", "c"} {
				for _, n := range numbers[key] {
					got = append(got, fmt.Sprint(key, n))
				}
			}
			if strings.Join(got, " ") != want {
				t.Fatalf("found %q, the store holds %q", got, want)
			}
		}
	})
}

// A look-up that begins after a commit was answered finds what it changed, while this process and another change other rows and tables.
func TestNothingRememberedIsOld(t *testing.T) {
	store := opened(t, Config{Unsafe: true})
	do(t, store, "CREATE TABLE others (n BIGINT)", "INSERT INTO marks (n, content) VALUES (0, 'ours'), (0, 'theirs')")
	other := anotherProcess(t, store)
	var ours, theirs atomic.Int64
	var writers, readers sync.WaitGroup
	writers.Go(func() {
		for i := range 300 {
			do(t, store, "INSERT INTO others (n) VALUES (1)")
			do(t, store, "UPDATE marks SET n = n + 1 WHERE content = 'ours'")
			ours.Store(int64(i + 1))
		}
	})
	writers.Go(func() {
		for i := range 300 {
			if err := other.script("UPDATE marks SET n = n + 1 WHERE content = 'theirs'"); err != nil {
				t.Error(err)
				return
			}
			theirs.Store(int64(i + 1))
		}
	})
	ended := make(chan struct{})
	by := marked(1, "marks")
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
				}
				atLeast := map[string]int64{"ours": ours.Load(), "theirs": theirs.Load()}
				numbers, _ := store.found(t, by, "ours", "theirs")
				for key, n := range atLeast {
					if numbers[key][0] < n {
						t.Errorf("%s: %d, after %d was stored", key, numbers[key][0], n)
						return
					}
				}
			}
		})
	}
	writers.Wait()
	close(ended)
	readers.Wait()
}

// The outcome of a plan that writes nothing, and has read nothing but remembered rows, is answered when these are on the disk.
func TestAPlanWaitsUntilTheDiskHoldsWhatItRemembers(t *testing.T) {
	store := hold(t)
	first := store.mark(t, 1)
	soon(t, store.pending)
	by := marked(1, "marks")
	store.found(t, by, "") // it may be undone
	var seen, read int64
	planned, has := make(chan error, 1), make(chan error, 1)
	go func() {
		planned <- store.Write(t.Context(), 1, engine.Optimistic, func(s engine.Session) ([]*engine.Step, error) {
			p := wanted(by, func(r engine.Rows) error { return r.Scan(new(string), &seen, &read) }, "")
			s.Answer([]*engine.Pending{p})
			has <- p.Err
			return nil, p.Err
		})
	}()
	if err := soon(t, has); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-planned:
		t.Fatalf("answered %v before the disk", err)
	case <-time.After(50 * time.Millisecond):
	}
	if _, runs := store.found(t, by, ""); runs[""][0] != read {
		t.Error("the plan did not read from memory")
	}
	store.answer <- nil
	if err := errors.Join(soon(t, first), soon(t, planned)); err != nil || seen != 1 {
		t.Fatal(seen, err)
	}
}
