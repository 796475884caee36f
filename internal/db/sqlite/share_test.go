package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/db/engine"
)

// together has n callers look something up while another look-up is under way, then lets all go on.
func together(t *testing.T, e *Engine, n int, read func(i int, s engine.Session) error) {
	t.Helper()
	var running sync.WaitGroup
	entered, end := make(chan struct{}), make(chan struct{})
	running.Go(func() {
		e.lookups.Together(1, &lookup{}, func([]*lookup) error {
			close(entered)
			<-end
			return nil
		})
	})
	<-entered
	for i := range n {
		running.Go(func() {
			if err := e.Read(t.Context(), 1, engine.Lookup, func(s engine.Session) error { return read(i, s) }); err != nil {
				t.Error(err)
			}
		})
		for e.lookups.Waiting() < i+1 {
			runtime.Gosched()
		}
	}
	close(end)
	running.Wait()
}

// What is looked up in the same moment is read by common statements: equal reads run once, and each caller gets the rows of its own keys.
func TestLookupsShareStatements(t *testing.T) {
	store := opened(t, Config{Unsafe: true})
	for i, word := range []string{"a", "b", "m", "z"} {
		if err := mark(t, store, i+1, word); err != nil {
			t.Fatal(err)
		}
	}
	words := &engine.Keyed{Head: 1, Build: func(n int) string {
		var places []string
		for i := range n {
			places = append(places, fmt.Sprintf("$%d", i+2))
		}
		return "SELECT content, n, NULL FROM marks WHERE n >= $1 AND content IN (" + strings.Join(places, ", ") + ") ORDER BY n DESC"
	}}
	wanted := [][]any{{"a", "b"}, {"z", "b", "m"}, {"é", "1"}, {"m"}, {"b", "a"}}
	type answer struct {
		common int64
		words  string
	}
	answers := make([]answer, len(wanted))
	together(t, store, len(wanted), func(i int, s engine.Session) error {
		a := &answers[i]
		common := &engine.Pending{SQL: "SELECT random()", Each: func(r engine.Rows) error { return r.Scan(&a.common) }}
		own := &engine.Pending{Keyed: words, SQL: words.Text(len(wanted[i])), Args: append([]any{0}, wanted[i]...),
			Each: func(r engine.Rows) error {
				var word string
				var n int
				none := new(int64)
				err := r.Scan(&word, &n, &none)
				a.words += fmt.Sprint(word, n, none == nil, " ")
				return err
			}}
		s.Answer([]*engine.Pending{common, own})
		return errors.Join(common.Err, own.Err)
	})
	want := []string{"b2 true a1 true ", "z4 true m3 true b2 true ", "", "m3 true ", "b2 true a1 true "}
	for i, a := range answers {
		if a.words != want[i] || a.common != answers[0].common || a.common == 0 {
			t.Errorf("%d: %q, wanted %q; read with the others: %v", i, a.words, want[i], a.common == answers[0].common)
		}
	}
}

// One caller's bad read takes the answer from nobody else, and its caller gets its own error. Nobody can write.
func TestABadLookupAmongOthers(t *testing.T) {
	store := opened(t, Config{Unsafe: true})
	reads := []string{"SELECT 10", "SELECT abs(-9223372036854775808)", "SELECT 12", "INSERT INTO marks (n) VALUES (1) RETURNING n"}
	errs, found := make([]error, len(reads)), make([]int64, len(reads))
	together(t, store, len(reads), func(i int, s engine.Session) error {
		rows, err := s.Query(reads[i], nil)
		for err == nil && rows.Next() {
			err = rows.Scan(&found[i])
		}
		errs[i] = err
		return nil
	})
	if errs[0] != nil || found[0] != 10 || errs[2] != nil || found[2] != 12 {
		t.Errorf("the others: %v, %v", found, errs)
	}
	if errs[1] == nil || !strings.Contains(errs[1].Error(), "overflow") || !errors.Is(errs[3], engine.ErrOnlyReads) {
		t.Errorf("the bad ones: %v", errs)
	}
	if n, err := marks(t, store); n != 0 || err != nil {
		t.Errorf("%d marks, %v", n, err)
	}
}

// A caller that hangs up while it reads for others, too, takes nothing from them.
func TestALookupForOthersOutlivesItsCaller(t *testing.T) {
	store := opened(t, Config{Unsafe: true})
	ctx, hangUp := context.WithCancel(t.Context())
	together(t, store, 3, func(i int, s engine.Session) error {
		of := s.(*shared)
		if i == 0 { // the first reads for all
			of.ctx = ctx
		}
		if i == 2 {
			hangUp()
		}
		_, err := of.Query("SELECT n FROM marks", nil)
		if i == 0 {
			return nil
		}
		return err
	})
}

// The outcome of a plan that writes nothing rests on what it has read: it is answered when that is on the disk.
func TestAReadWaitsUntilTheDiskHoldsWhatItRead(t *testing.T) {
	store := hold(t)
	first := store.mark(t, 1)
	soon(t, store.pending)
	planned := make(chan error, 1)
	var seen int64
	go func() {
		planned <- store.Write(t.Context(), 1, engine.Optimistic, func(s engine.Session) ([]*engine.Step, error) {
			rows, err := s.Query("SELECT n FROM marks", nil)
			if err == nil && rows.Next() {
				err = rows.Scan(&seen)
			}
			return nil, err
		})
	}()
	select {
	case err := <-planned:
		t.Fatalf("answered %v before the disk", err)
	case <-time.After(50 * time.Millisecond):
	}
	store.answer <- nil
	if err := errors.Join(soon(t, first), soon(t, planned)); err != nil || seen != 1 {
		t.Fatal(seen, err)
	}
}
