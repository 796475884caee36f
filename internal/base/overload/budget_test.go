package overload_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/overload"
)

func TestWhatDoesNotFitWaitsAndIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := overload.NewBudget(100)
		one, two, three := b.Share(0), b.Share(0), b.Share(0)
		one.Account, two.Account, three.Account = 1, 2, 3
		for _, s := range []*overload.Share{&one, &two} {
			if err := s.Grow(t.Context(), 50); err != nil {
				t.Fatal(err)
			}
		}
		if err := three.Grow(t.Context(), 1); !apperr.Is(err, apperr.Unavailable) {
			t.Fatalf("with nothing left: %v", err)
		}
		done := make(chan error)
		go func() { done <- three.Grow(t.Context(), 20) }()
		synctest.Wait()
		one.Release()
		if err := <-done; err != nil {
			t.Errorf("with room made while it waits: %v", err)
		}
		three.Release()
		two.Release()
		if b.Used() != 0 {
			t.Errorf("%d bytes are held by nobody", b.Used())
		}
	})
}

func TestOneAccountGetsHalf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := overload.NewBudget(100)
		one, again, other := b.Share(0), b.Share(0), b.Share(10)
		one.Account, again.Account, other.Account = 1, 1, 2
		if err := one.Grow(t.Context(), 1000); err != nil || b.Used() != 50 {
			t.Fatalf("more than an account may have: %v, %d held", err, b.Used())
		}
		if err := again.Grow(t.Context(), 1); !apperr.Is(err, apperr.Unavailable) {
			t.Errorf("the same account: %v", err)
		}
		if err := other.Grow(t.Context(), 60); err != nil || b.Used() != 100 {
			t.Errorf("another account, the first ten bytes free: %v, %d held", err, b.Used())
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := again.Grow(gone, 1); err == nil || apperr.Is(err, apperr.Unavailable) {
			t.Errorf("a caller that hung up: %v", err)
		}
	})
}

func TestShrink(t *testing.T) {
	b := overload.NewBudget(100)
	s := b.Share(5)
	if err := s.Grow(t.Context(), 45); err != nil || b.Used() != 40 {
		t.Fatalf("%v, %d held", err, b.Used())
	}
	for _, step := range []struct{ back, left int64 }{{15, 25}, {-3, 25}, {0, 25}, {50, 0}, {1, 0}} {
		if s.Shrink(step.back); b.Used() != step.left {
			t.Errorf("%d bytes given back: %d are held, want %d", step.back, b.Used(), step.left)
		}
	}
}

// Whatever many shares do at once, no more is held than there is, and all of it comes back.
func TestNeverMoreThanThereIs(t *testing.T) {
	b := overload.NewBudget(1000)
	var wait sync.WaitGroup
	var most atomic.Int64
	for n := range 16 {
		wait.Go(func() {
			for i := range 300 {
				s := b.Share(0)
				s.Account = int64(n % 3)
				for range 3 {
					if s.Grow(t.Context(), rand.Int64N(50)) == nil && b.Used() > most.Load() {
						most.Store(b.Used())
					}
				}
				if i%2 == 0 {
					s.Release()
				}
				s.Release()
			}
		})
	}
	wait.Wait()
	if most.Load() > 1000 || most.Load() == 0 || b.Used() != 0 {
		t.Errorf("at most %d held, %d still", most.Load(), b.Used())
	}
}
