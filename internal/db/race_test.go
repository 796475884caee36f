package db_test

import (
	"fmt"
	"sync"
	"testing"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

func nextNumber(t *testing.T, store *db.DB) (n int64) {
	t.Helper()
	err := store.Read(t.Context(), 1, func(tx *db.Tx) error {
		return tx.Row("SELECT next FROM order_numbers WHERE tenant_id = $1", []any{tx.Tenant}, &n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// raise increments a number unless it has changed since it was read.
func raise(tx *db.Tx) error {
	var n int64
	if err := tx.Row("SELECT next FROM order_numbers WHERE tenant_id = $1", []any{tx.Tenant}, &n); err != nil {
		return err
	}
	tx.Queue("UPDATE order_numbers SET next = $2::BIGINT + 1 WHERE tenant_id = $1 AND next = $2::BIGINT", tx.Tenant, n).Rows(1, nil)
	return nil
}

// Transactions that read the same and race lose nothing: those that come late run again. In turn, they do not race.
func TestWritesThatRace(t *testing.T) {
	engines(t, func(t *testing.T, store *db.DB) {
		clock(t, store, 1)
		for name, write := range map[string]func(run func(*db.Tx) error) error{
			"write":   func(run func(*db.Tx) error) error { return store.Write(t.Context(), 1, run) },
			"in turn": func(run func(*db.Tx) error) error { return store.WriteSerially(t.Context(), 1, 1, run) },
		} {
			before := nextNumber(t, store)
			var wait sync.WaitGroup
			for range 8 {
				wait.Go(func() {
					for range 10 {
						if err := write(func(tx *db.Tx) error {
							if name == "in turn" && tx.Try() > 0 {
								t.Error("a transaction has lost a race to one of those before it")
							}
							return raise(tx)
						}); err != nil {
							t.Error(err)
						}
					}
				})
			}
			wait.Wait()
			if n := nextNumber(t, store); n != before+80 {
				t.Fatalf("%s: 80 transactions made %d into %d", name, before, n)
			}
		}
	})
}

// Callers who come while a group is at work are the next group, at most MostTogether of them; each is in one group.
func TestGather(t *testing.T) {
	var g db.Gather[int]
	begun, release := make(chan struct{}), make(chan struct{})
	var mu sync.Mutex
	seen := map[int]int{}
	var sizes []int
	work := func(group []int) {
		if group[0] == 0 {
			close(begun)
			<-release
		}
		mu.Lock()
		defer mu.Unlock()
		sizes = append(sizes, len(group))
		for _, n := range group {
			seen[n]++
		}
	}
	var all sync.WaitGroup
	all.Go(func() { _ = g.Do(1, 0, work) })
	<-begun
	const others = db.MostTogether + 8
	for n := 1; n <= others; n++ {
		all.Go(func() { _ = g.Do(1, n, work) })
	}
	dbtest.Until(t, "all wait", func() bool { return g.Waiting(1) == others })
	if err := g.Do(2, 1000, func([]int) {}); err != nil { // another account does not wait
		t.Error(err)
	}
	close(release)
	all.Wait()
	if want := []int{1, db.MostTogether, 8}; fmt.Sprint(sizes) != fmt.Sprint(want) || len(seen) != others+1 {
		t.Errorf("groups of %d, want %d; %d callers", sizes, want, len(seen))
	}
}

// The work for a group ends in a panic: the other members' outcome is unknown, and later callers have their turn.
func TestGatherThatPanics(t *testing.T) {
	var g db.Gather[int]
	begun, release := make(chan struct{}), make(chan struct{})
	go g.Do(1, 0, func([]int) { close(begun); <-release })
	<-begun
	panics, errs := make(chan any, 2), make(chan error, 2)
	for range 2 {
		go func() {
			defer func() {
				if p := recover(); p != nil {
					panics <- p
				}
			}()
			errs <- g.Do(1, 1, func([]int) { panic("x") })
		}()
	}
	dbtest.Until(t, "both wait", func() bool { return g.Waiting(1) == 2 })
	close(release)
	<-panics
	if err := <-errs; err == nil {
		t.Error("the other member has no error")
	}
	if err := g.Do(1, 2, func([]int) {}); err != nil {
		t.Error(err)
	}
}
