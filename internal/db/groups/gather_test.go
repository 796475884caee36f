package groups

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"entrepot/internal/apperr"
	"entrepot/internal/id"
)

// The caller that did the work for others panics: their error says that the outcome is unknown, and later callers get their turn.
func TestAGroupThatPanics(t *testing.T) {
	m := NewMixtures[int](1, true, false)
	leads, errs := make(chan bool), make(chan error, 2)
	first := make(chan struct{})
	go m.Together(1, 0, func([]int) error {
		close(first)
		<-leads
		return nil
	})
	<-first
	for tenant := range id.Tenant(2) {
		go func() {
			defer func() {
				if recover() != nil {
					errs <- nil
				}
			}()
			_, err := m.Together(2+tenant, 1, func([]int) error { panic("x") })
			errs <- err
		}()
	}
	for m.Waiting() < 2 {
		runtime.Gosched()
	}
	close(leads)
	outcomes := []error{<-errs, <-errs}
	if !slices.Contains(outcomes, error(nil)) || !slices.ContainsFunc(outcomes, func(err error) bool {
		f, ok := apperr.As(err)
		return ok && f.Kind == apperr.Unavailable
	}) {
		t.Errorf("one has panicked; the other: %v", outcomes)
	}
	if size, err := m.Together(2, 1, func([]int) error { return nil }); size != 1 || err != nil {
		t.Error(size, err)
	}
}

// Groups under way at once have no tenant in common.
func TestGroupsAtOnce(t *testing.T) {
	m := NewMixtures[int](2, true, false)
	entered, end := make(chan []int), make(chan struct{})
	work := func(group []int) error {
		entered <- group
		<-end
		return nil
	}
	go m.Together(1, 1, work)
	<-entered
	go m.Together(1, 11, work)
	for m.Waiting() < 1 {
		runtime.Gosched()
	}
	go m.Together(2, 2, work)
	if group := <-entered; !slices.Equal(group, []int{2}) {
		t.Fatalf("beside a group of tenant 1: %v", group)
	}
	close(end)
	if group := <-entered; !slices.Equal(group, []int{11}) {
		t.Fatalf("after it: %v", group)
	}
}

// Of callers that are ready to run, those come first who can join a group that waits for nothing.
func TestAGroupOfThoseWhoAreReady(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // otherwise some would come while another is at work
	m := NewMixtures[int](1, false, true)
	var groups, members atomic.Int64
	var running sync.WaitGroup
	for i := range 8 {
		running.Go(func() {
			m.Together(id.Tenant(i), i, func(group []int) error {
				groups.Add(1)
				members.Add(int64(len(group)))
				return nil
			})
		})
	}
	running.Wait()
	if groups.Load() > 4 || members.Load() != 8 {
		t.Errorf("%d groups of %d callers", groups.Load(), members.Load())
	}
}
