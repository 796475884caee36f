package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"entrepot/internal/db/engine"
)

// sold and bought are kept sums.
var sold, bought = sumsIn("sold"), sumsIn("bought")

func sumsIn(table string) *engine.Form {
	return &engine.Form{Head: 1, Width: 2, Key: []int{0}, Sum: []int{1}, Mixed: func(n int) string {
		rows := make([]string, n)
		for i := range rows {
			rows[i] = fmt.Sprintf("($%d,$%d,$%d)", 3*i+1, 3*i+2, 3*i+3)
		}
		return "INSERT INTO " + table + " (tenant_id, name, n) VALUES " + strings.Join(rows, ",") +
			" ON CONFLICT (tenant_id, name) DO UPDATE SET n = " + table + ".n + excluded.n"
	}}
}

func sell(name string, n int64) *engine.Step { return added(sold, name, n) }

func added(to *engine.Form, name string, n int64) *engine.Step {
	return &engine.Step{Form: to, SQL: to.MixedText(1), Args: []any{1, name, n}, Want: -1}
}

// sums is a store with kept sums. Each row of them that is written leaves a mark.
func sums(t *testing.T) *Engine {
	t.Helper()
	return patient(t, "CREATE TABLE sold (tenant_id BIGINT, name TEXT, n BIGINT, PRIMARY KEY (tenant_id, name))",
		"CREATE TABLE bought (tenant_id BIGINT, name TEXT, n BIGINT CHECK (n < 100), PRIMARY KEY (tenant_id, name))",
		"CREATE TRIGGER sold_first AFTER INSERT ON sold BEGIN INSERT INTO marks VALUES (1, 'made'); END",
		"CREATE TRIGGER sold_again AFTER UPDATE ON sold BEGIN INSERT INTO marks VALUES (1, 'changed'); END")
}

// patient is a store with these tables and triggers, whose groups take all that waits, however long that takes.
func patient(t *testing.T, statements ...string) *Engine {
	t.Helper()
	usual := groupTime
	groupTime = time.Hour
	t.Cleanup(func() { groupTime = usual }) // when the store is closed
	store := opened(t, Config{Unsafe: true})
	for _, sql := range statements {
		// A trigger is one statement with statements inside, so it is not run as a script.
		err := store.Write(t.Context(), 1, engine.Normal, func(s engine.Session) ([]*engine.Step, error) {
			_, err := s.Exec(sql, nil)
			return nil, err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return store
}

func soldOf(s engine.Session, name string) (int64, error) { return sumOf(s, "sold", name) }

func sumOf(s engine.Session, table, name string) (int64, error) {
	return numberOf(s, "SELECT n FROM "+table+" WHERE name = $1", name)
}

// inGroup runs transactions in one group, in their order, and returns their errors.
func inGroup(t *testing.T, store *Engine, transactions ...func(engine.Session) ([]*engine.Step, error)) []error {
	t.Helper()
	errs := make([]error, len(transactions))
	var running sync.WaitGroup
	queued := make(chan struct{})
	store.writer.tasks <- func(*conn) { // it takes none of them before all wait
		defer close(queued)
		for i, work := range transactions {
			running.Go(func() { errs[i] = store.serial(t.Context(), store.writer.waiting, work) })
			waits(t, store.writer.waiting, i+1)
		}
	}
	<-queued
	running.Wait()
	return errs
}

// writes is a transaction of these statements alone.
func writes(steps ...*engine.Step) func(engine.Session) ([]*engine.Step, error) {
	return func(engine.Session) ([]*engine.Step, error) { return steps, nil }
}

func heldSums(t *testing.T, store *Engine) (a, b int64) {
	t.Helper()
	err := store.Read(t.Context(), 1, engine.Stored, func(s engine.Session) (err error) {
		if a, err = soldOf(s, "a"); err == nil {
			b, err = soldOf(s, "b")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return a, b
}

// What the transactions of a group add to one sum is written once, whatever else they write to other tables.
func TestSumsOfAGroupAreWrittenOnce(t *testing.T) {
	store := sums(t)
	other := &engine.Step{SQL: "DELETE FROM marks WHERE n = 99", Want: -1}
	for _, err := range inGroup(t, store, writes(sell("a", 1), sell("b", 5)), writes(other, sell("a", 2)), writes(other, sell("a", 4))) {
		if err != nil {
			t.Error(err)
		}
	}
	n, err := marks(t, store)
	if a, b := heldSums(t, store); a != 7 || b != 5 || n != 2 || err != nil {
		t.Errorf("sums %d and %d, written %d times (%v)", a, b, n, err)
	}
}

// A transaction finds the sums of those before it in its group, and of a refused one nothing.
func TestSumsInsideAGroup(t *testing.T) {
	store := sums(t)
	refused := errors.New("refused")
	var seen []int64
	look := func(s engine.Session) ([]*engine.Step, error) {
		n, err := soldOf(s, "a")
		seen = append(seen, n)
		return []*engine.Step{sell("a", 100)}, err
	}
	missed := (&engine.Step{SQL: "UPDATE marks SET n = 2 WHERE n = 77"}).Rows(1, refused)
	set := &engine.Step{SQL: "UPDATE sold SET n = n * 2 WHERE name = 'a'", Want: -1}
	errs := inGroup(t, store, writes(sell("a", 1)), writes(sell("a", 1000), missed), look, writes(sell("a", 3)), writes(set, sell("a", 5)))
	for i, err := range errs {
		if i == 1 && !errors.Is(err, refused) || i != 1 && err != nil {
			t.Errorf("transaction %d: %v", i, err)
		}
	}
	if a, _ := heldSums(t, store); a != (1+100+3)*2+5 || len(seen) != 1 || seen[0] != 1 {
		t.Errorf("sum %d; seen inside %d", a, seen)
	}
}

// When a transaction fails after it has written, those of its group run again, and their sums are added once.
func TestSumsOfARepeatedGroup(t *testing.T) {
	store := sums(t)
	refused := errors.New("refused")
	wrote := &engine.Step{SQL: "INSERT INTO marks VALUES (9, 'lost')", Want: -1}
	missed := (&engine.Step{SQL: "UPDATE marks SET n = 2 WHERE n = 77"}).Rows(1, refused)
	errs := inGroup(t, store, writes(sell("a", 1)), writes(sell("a", 1000), wrote, missed), writes(sell("a", 2)))
	if errs[0] != nil || !errors.Is(errs[1], refused) || errs[2] != nil {
		t.Error(errs)
	}
	n, err := marks(t, store)
	if a, _ := heldSums(t, store); a != 3 || n != 1 || err != nil {
		t.Errorf("sum %d, %d marks (%v)", a, n, err)
	}
}

// A statement that was run while nothing was added to its table finds what is added later.
func TestSumsOfATableThatComesLater(t *testing.T) {
	store := sums(t)
	var seen []int64
	look := func(steps ...*engine.Step) func(engine.Session) ([]*engine.Step, error) {
		return func(s engine.Session) ([]*engine.Step, error) {
			n, err := sumOf(s, "bought", "a")
			seen = append(seen, n)
			return steps, err
		}
	}
	for _, err := range inGroup(t, store, writes(sell("a", 1)), look(added(bought, "a", 5)), look()) {
		if err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(seen, []int64{0, 5}) {
		t.Errorf("seen inside %d", seen)
	}
}

// Sums that the store refuses are nobody's success: the whole group fails.
func TestSumsThatAreRefused(t *testing.T) {
	store := sums(t)
	for i, err := range inGroup(t, store, writes(sell("a", 1)), writes(added(bought, "a", 60)), writes(added(bought, "a", 60))) {
		if err == nil {
			t.Errorf("transaction %d succeeds", i)
		}
	}
	if a, _ := heldSums(t, store); a != 0 {
		t.Errorf("a sum of %d is stored", a)
	}
}
