package postgres

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// At most as many transactions of a tenant as the limit allows run at once, one that gives up waiting leaves nothing
// behind, and an unused limit is deleted.
func TestLimit(t *testing.T) {
	g := newLimits(writersPerAccount)
	var inside, most atomic.Int64
	var wg sync.WaitGroup
	for range 10 * writersPerAccount {
		wg.Go(func() {
			leave, err := g.enter(t.Context(), 7)
			if err != nil {
				t.Error(err)
				return
			}
			n := inside.Add(1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			inside.Add(-1)
			leave()
		})
	}
	wg.Wait()
	if most.Load() > writersPerAccount {
		t.Errorf("%d transactions at once", most.Load())
	}
	var leaves []func()
	for range writersPerAccount {
		leave, err := g.enter(t.Context(), 7)
		if err != nil {
			t.Fatal(err)
		}
		leaves = append(leaves, leave)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.enter(gone, 7); !errors.Is(err, context.Canceled) {
		t.Errorf("entered a full limit: %v", err)
	}
	if leave, err := g.enter(t.Context(), 8); err != nil {
		t.Error(err)
	} else {
		leave()
	}
	for _, leave := range leaves {
		leave()
	}
	if len(g.open) != 0 {
		t.Errorf("%d limits are kept", len(g.open))
	}
}
