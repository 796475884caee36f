package ebay

import (
	"context"
	"errors"
	"strconv"
	"strings"
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
	if c.kept.Len() > maxCached {
		t.Errorf("%d entries", c.kept.Len())
	}
}

// A value is fetched again when its time is over, and when it was dropped; until then it is not.
func TestCacheKeepsValuesUntilTheyExpire(t *testing.T) {
	now := time.Unix(0, 0)
	c := newCache[int](func() time.Time { return now })
	fetches := 0
	value := func() int {
		v, err := c.get(t.Context(), "k", func(context.Context) (int, time.Duration, error) {
			fetches++
			return fetches, time.Hour, nil
		})
		if err != nil {
			t.Error(err)
		}
		return v
	}
	steps := []struct {
		change func()
		want   int
	}{
		{func() {}, 1},
		{func() { now = now.Add(time.Hour - 1) }, 1},
		{func() { now = now.Add(1) }, 2},
		{func() { c.forget("other") }, 2},
		{func() { c.forget("k") }, 3},
	}
	for i, s := range steps {
		if s.change(); value() != s.want {
			t.Errorf("step %d: fetched %d times, want %d", i, fetches, s.want)
		}
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
		if err := <-results; !errors.Is(err, context.Canceled) {
			t.Errorf("the first caller, who hung up, got %v", err)
		}
		if err := <-results; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the hasty caller got %v", err)
		}
		if err := <-results; err != nil {
			t.Errorf("the patient caller got %v", err)
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

// A fetch that panics is one that failed, and leaves no caller waiting.
func TestCachePanic(t *testing.T) {
	c := newCache[int](time.Now)
	_, err := c.get(context.Background(), "k", func(context.Context) (int, time.Duration, error) { panic("boom") })
	if err == nil || !strings.Contains(err.Error(), "boom") {
		t.Errorf("get = %v", err)
	}
	if v, err := c.get(context.Background(), "k", always(1)); v != 1 || err != nil {
		t.Errorf("get = %d, %v", v, err)
	}
}
