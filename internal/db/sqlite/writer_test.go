package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"entrepot/internal/db/engine"
)

// waits returns when so many transactions are in a queue of the writer.
func waits(t *testing.T, queue chan *transaction, n int) {
	for end := time.Now().Add(5 * time.Minute); len(queue) < n; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Errorf("%d wait, not %d", len(queue), n)
			return
		}
	}
}

// Transactions that wait when a piece of a bulk operation has ended go before the next one.
func TestPiecesTakeTurnsWithOthers(t *testing.T) {
	store := opened(t, Config{Unsafe: true})
	var order []string // written by the writer alone
	var running sync.WaitGroup
	write := func(name string, how engine.Mode, meanwhile func()) {
		running.Go(func() {
			err := store.Write(t.Context(), 1, how, func(engine.Session) ([]*engine.Step, error) {
				order = append(order, name)
				if meanwhile != nil {
					meanwhile()
				}
				return nil, nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	write("order 1", engine.Normal, func() {
		for i := range 3 {
			write(fmt.Sprint("piece ", i+1), engine.Bulk, func() {
				if i == 0 {
					here := len(store.writer.waiting) // order 2, unless it has run
					write("order 3", engine.Normal, nil)
					waits(t, store.writer.waiting, here+1)
				}
			})
			waits(t, store.writer.pieces, i+1)
		}
		write("order 2", engine.Normal, nil)
		waits(t, store.writer.waiting, 1)
	})
	running.Wait()
	second := slices.Index(order, "piece 2")
	if len(order) != 6 || slices.Index(order, "order 2") > second || slices.Index(order, "order 3") > second {
		t.Errorf("%v: both orders waited before piece 2", order)
	}
}

// A store that is closed while pieces wait ends them all.
func TestCloseWaitsForPieces(t *testing.T) {
	store := opened(t, Config{Unsafe: true})
	begun, goOn := make(chan struct{}), make(chan struct{})
	var running sync.WaitGroup
	for i := range 3 {
		running.Go(func() {
			err := store.Write(t.Context(), 1, engine.Bulk, func(engine.Session) ([]*engine.Step, error) {
				if i == 0 {
					close(begun)
					<-goOn
				}
				return nil, nil
			})
			if err != nil {
				t.Error(err)
			}
		})
		if i == 0 {
			<-begun
		}
	}
	for len(store.writer.pieces) < 2 {
		time.Sleep(time.Millisecond)
	}
	closed := make(chan error)
	go func() { closed <- store.Close() }()
	close(goOn)
	if err := soon(t, closed); err != nil {
		t.Fatal(err)
	}
	running.Wait()
}

// A transaction that is refused before it has written anything undoes nothing: those of its group run once.
func TestARefusalBeforeAnyWriteSpoilsNoGroup(t *testing.T) {
	usual := groupTime
	groupTime = time.Hour // a group takes all that wait, however long that takes
	store := opened(t, Config{Unsafe: true})
	t.Cleanup(func() { store.Close(); groupTime = usual })
	refused, runs := errors.New("refused"), 0
	first := func(engine.Session) ([]*engine.Step, error) {
		runs++
		return []*engine.Step{{SQL: "INSERT INTO marks (n) VALUES (5)", Want: -1}}, nil
	}
	errs := inGroup(t, store, first, func(engine.Session) ([]*engine.Step, error) { return nil, refused })
	if errs[0] != nil || !errors.Is(errs[1], refused) || runs != 1 {
		t.Errorf("%v; the first ran %d times", errs, runs)
	}
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
