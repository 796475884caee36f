package ebay

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

func TestCacheIsBounded(t *testing.T) {
	now := time.Unix(0, 0)
	c := newCache[int](func() time.Time { return now })
	fill := func(from, to int) {
		for i := from; i < to; i++ {
			if v, err := c.get(context.Background(), strconv.Itoa(i), always(i)); v != i || err != nil {
				t.Fatalf("get(%d) = %d, %v", i, v, err)
			}
		}
	}
	fill(0, maxCached+50)
	if len(c.entries) > maxCached {
		t.Errorf("%d entries", len(c.entries))
	}
	now = now.Add(2 * time.Hour) // all have expired
	fill(5000, 5001)
	if len(c.entries) != 1 {
		t.Errorf("%d entries after all but one have expired", len(c.entries))
	}
}

func always(v int) func(context.Context) (int, time.Duration, error) {
	return func(context.Context) (int, time.Duration, error) { return v, time.Hour, nil }
}

// A caller who gives up does not fail the fetch that others wait for, and one who waits can give up.
func TestCacheCallersComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache[int](time.Now)
		slow := func(ctx context.Context) (int, time.Duration, error) {
			select {
			case <-time.After(time.Second):
				return 7, time.Hour, nil
			case <-ctx.Done():
				return 0, 0, ctx.Err()
			}
		}
		first, cancelFirst := context.WithCancel(context.Background())
		hasty, cancelHasty := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancelHasty()
		results := make(chan error, 3)
		ask := func(ctx context.Context) {
			_, err := c.get(ctx, "k", slow)
			results <- err
		}
		go ask(first)
		synctest.Wait()
		go ask(hasty)
		go ask(context.Background())
		cancelFirst()
		if err := <-results; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the hasty caller got %v", err)
		}
		for range 2 {
			if err := <-results; err != nil {
				t.Error(err)
			}
		}
	})
}

// A fetch that never ends is ended.
func TestCacheTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache[int](time.Now)
		began := time.Now()
		_, err := c.get(context.Background(), "k", func(ctx context.Context) (int, time.Duration, error) {
			<-ctx.Done()
			return 0, 0, ctx.Err()
		})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != callTimeout {
			t.Errorf("get = %v after %v", err, time.Since(began))
		}
		if v, err := c.get(context.Background(), "k", always(1)); v != 1 || err != nil {
			t.Errorf("afterwards: %d, %v", v, err)
		}
	})
}

// A fetch that panics leaves nobody waiting.
func TestCachePanic(t *testing.T) {
	c := newCache[int](time.Now)
	func() {
		defer func() { _ = recover() }()
		_, _ = c.get(context.Background(), "k", func(context.Context) (int, time.Duration, error) { panic("boom") })
	}()
	if v, err := c.get(context.Background(), "k", always(1)); v != 1 || err != nil {
		t.Errorf("get = %d, %v", v, err)
	}
}
