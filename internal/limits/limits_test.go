package limits_test

import (
	"fmt"
	"math/rand"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
	"entrepot/internal/limits"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// limiters runs a test on the limiter of one process and on the one that nodes share.
func limiters(t *testing.T, test func(t *testing.T, l limits.Limiter)) {
	t.Run("local", func(t *testing.T) { test(t, limits.NewLocal()) })
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		test(t, limits.NewShared(store, func(err error) { t.Error(err) }))
	})
}

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestMinute(t *testing.T) {
	limiters(t, func(t *testing.T, l limits.Limiter) {
		rate := limits.Rate{PerMinute: 3}
		for i := range 3 {
			v := l.Take("a", start.Add(time.Duration(i)*10*time.Second), rate)
			if !v.Allowed || v.Remaining != 2-i || v.Limit != 3 || !v.Reset.Equal(start.Add(time.Minute)) {
				t.Fatalf("request %d: %+v", i, v)
			}
		}
		v := l.Take("a", start.Add(59*time.Second), rate)
		if v.Allowed || v.RetryAfter != time.Second || v.Remaining != 0 {
			t.Fatalf("the fourth: %+v", v)
		}
		if v := l.Take("b", start.Add(59*time.Second), rate); !v.Allowed {
			t.Fatal("one caller's limit touched another")
		}
		if v := l.Take("a", start.Add(time.Minute), rate); !v.Allowed || v.Remaining != 2 {
			t.Fatalf("after the minute: %+v", v)
		}
	})
}

// The burst is a rolling second, and refused requests do not consume.
func TestBurst(t *testing.T) {
	limiters(t, func(t *testing.T, l limits.Limiter) {
		rate := limits.Rate{PerMinute: 100, Burst: 2}
		at := func(ms int) limits.Verdict { return l.Take("a", start.Add(time.Duration(ms)*time.Millisecond), rate) }
		if !at(0).Allowed || !at(600).Allowed {
			t.Fatal("two in a second are refused")
		}
		if v := at(900); v.Allowed || v.RetryAfter != 100*time.Millisecond {
			t.Fatalf("the third in a second: %+v", v)
		}
		if v := at(1000); !v.Allowed || v.Remaining != 97 {
			t.Fatalf("a second after the first: %+v", v)
		}
		if at(1500).Allowed {
			t.Fatal("600 and 1000 fill the second before 1500")
		}
		if !at(1600).Allowed {
			t.Fatal("a second after the second")
		}
	})
}

// A bulk rate applies in addition to the plan's: when one is used up, neither is consumed.
func TestTwoRates(t *testing.T) {
	limiters(t, func(t *testing.T, l limits.Limiter) {
		plan, bulk := limits.Rate{PerMinute: 10}, limits.Rate{Name: "bulk:products", PerMinute: 1}
		if !l.Take("a", start, plan, bulk).Allowed {
			t.Fatal("the first is refused")
		}
		if v := l.Take("a", start, plan, bulk); v.Allowed || v.Limit != 10 || v.Remaining != 9 {
			t.Fatalf("the second: %+v", v)
		}
		if v := l.Take("a", start, plan); !v.Allowed || v.Remaining != 8 {
			t.Fatalf("another route: %+v", v)
		}
		if v := l.Peek("a", start, plan); v.Remaining != 8 {
			t.Fatalf("peeking counted: %+v", v)
		}
	})
}

// A request that turns out not to count is given back, once; a minute starts with the first request that counted.
func TestReturned(t *testing.T) {
	limiters(t, func(t *testing.T, l limits.Limiter) {
		rate := limits.Rate{PerMinute: 1}
		later := start.Add(10 * time.Second)
		l.Return("a", start, rate)
		l.Peek("a", start, rate)
		l.Take("a", start, rate)
		if v := l.Take("a", later, rate); v.Allowed {
			t.Fatalf("the second: %+v", v)
		}
		l.Return("a", later, rate)
		l.Return("a", later, rate)
		if v := l.Peek("a", later, rate); !v.Allowed || v.Remaining != 1 {
			t.Fatalf("after giving one back twice: %+v", v)
		}
		if v := l.Take("a", later, rate); !v.Allowed || v.Remaining != 0 || !v.Reset.Equal(later.Add(time.Minute)) {
			t.Fatalf("the next: %+v", v)
		}
		l.Return("a", later.Add(time.Minute), rate)
		if v := l.Take("a", later.Add(time.Minute), rate); !v.Allowed || v.Remaining != 0 {
			t.Fatalf("given back after its minute: %+v", v)
		}
	})
}

// A caller whose plan is raised need not wait for the end of the minute that the smaller one had used up.
func TestAnotherPlan(t *testing.T) {
	limiters(t, func(t *testing.T, l limits.Limiter) {
		small, large := limits.Rate{PerMinute: 1, Burst: 1}, limits.Rate{PerMinute: 3, Burst: 3}
		l.Take("a", start, small)
		if l.Take("a", start.Add(time.Second), small).Allowed {
			t.Fatal("the second is allowed")
		}
		if v := l.Take("a", start.Add(2*time.Second), large); !v.Allowed || v.Limit != 3 || v.Remaining != 1 {
			t.Errorf("under the larger plan: %+v", v)
		}
		if v := l.Take("a", start.Add(3*time.Second), small); v.Allowed {
			t.Errorf("under the smaller plan again: %+v", v)
		}
	})
}

// A request that two rates refuse waits for the one that ends last.
func TestTheLongestWait(t *testing.T) {
	limiters(t, func(t *testing.T, l limits.Limiter) {
		plan, bulk := limits.Rate{PerMinute: 2}, limits.Rate{Name: "bulk:products", PerMinute: 1}
		l.Take("a", start, plan)
		l.Take("a", start.Add(20*time.Second), plan, bulk)
		at := start.Add(30 * time.Second)
		if v := l.Peek("a", at, plan, bulk); v.Allowed || v.RetryAfter != 50*time.Second {
			t.Fatalf("the later rate ends last: %+v", v)
		}
		if v := l.Peek("a", at, bulk, plan); v.Allowed || v.RetryAfter != 50*time.Second {
			t.Fatalf("the earlier rate ends last: %+v", v)
		}
	})
}

// Requests of one moment are decided in any order: one that came a little before the one that began the window waits no longer than
// a window.
func TestNobodyWaitsLongerThanAWindow(t *testing.T) {
	limiters(t, func(t *testing.T, l limits.Limiter) {
		for who, rate := range map[string]limits.Rate{"minute": {PerMinute: 1}, "second": {PerMinute: 9, Burst: 1}} {
			window := map[string]time.Duration{"minute": time.Minute, "second": time.Second}[who]
			l.Take(who, start, rate)
			for range 2 { // the second refusal is remembered
				if v := l.Take(who, start.Add(-time.Millisecond), rate); v.Allowed || v.RetryAfter != window {
					t.Errorf("%s: %+v", who, v)
				}
			}
		}
	})
}

// A refusal says which of the limits it is about.
func TestWhichLimitIsExceeded(t *testing.T) {
	limiters(t, func(t *testing.T, l limits.Limiter) {
		plan, bulk := limits.Rate{PerMinute: 3, Burst: 2}, limits.Rate{Name: "bulk:products", PerMinute: 1}
		ask := func(after time.Duration, rates ...limits.Rate) string {
			return l.Take("a", start.Add(after), rates...).Exceeded
		}
		for i, step := range []struct{ got, want string }{
			{ask(0, plan, bulk), ""},
			{ask(0, plan, bulk), "more than 1 requests of this kind in a minute"},
			{ask(0, plan), ""},
			{ask(0, plan), "more than 2 requests in a second"},
			{ask(time.Second, plan), ""},
			{ask(2*time.Second, plan), "more than 3 requests in a minute"},
			{ask(time.Minute, plan, bulk), ""},
		} {
			if step.got != step.want {
				t.Errorf("request %d: %q, want %q", i, step.got, step.want)
			}
		}
	})
}

// Three nodes on one store, many clients: what passes is exactly the limit.
func TestExactOverNodes(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		var nodes []limits.Limiter
		for range 3 {
			nodes = append(nodes, limits.NewShared(store, func(err error) { t.Error(err) }))
		}
		rate := limits.Rate{PerMinute: 50, Burst: 40}
		var passed atomic.Int64
		var wg sync.WaitGroup
		for c := range 24 {
			wg.Go(func() {
				for i := range 5 {
					if nodes[(c+i)%3].Take("a", start.Add(time.Duration(i)*time.Millisecond), rate).Allowed {
						passed.Add(1)
					}
				}
			})
		}
		wg.Wait()
		if passed.Load() != 40 {
			t.Fatalf("%d passed the burst of 40", passed.Load())
		}
		for i := range 20 {
			if nodes[i%3].Take("a", start.Add(2*time.Second), rate).Allowed {
				passed.Add(1)
			}
		}
		if fmt.Sprint(passed.Load()) != "50" {
			t.Fatalf("%d passed the minute of 50", passed.Load())
		}
	})
}

// However many addresses requests come from, the limiter remembers a bounded number of them, and those that are busy rather than
// those that are not.
func TestWindowsAreBounded(t *testing.T) {
	dbtest.Long(t, "a hundred thousand windows")
	l := limits.NewLocal()
	rate := limits.Rate{PerMinute: 3, Burst: 3}
	for range 3 {
		l.Take("busy", start, rate)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 400_000 {
		l.Take(fmt.Sprint("address:", i), start, rate)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 32<<20 {
		t.Errorf("400,000 addresses take %d MB", grown>>20)
	}
	if l.Take("busy", start, rate).Allowed {
		t.Error("a caller that spent its limit was forgotten")
	}
}

// What is over leaves the store, too.
func TestRowsAreSwept(t *testing.T) {
	dbtest.Engines(t, func(t *testing.T, store *db.DB) {
		l := limits.NewShared(store, func(err error) { t.Error(err) })
		rate := limits.Rate{PerMinute: 5}
		for i := range 20 {
			l.Take(fmt.Sprint("address:", i), start, rate)
		}
		l.Take("late", start.Add(90*time.Second), rate)
		l.Take("later", start.Add(3*time.Minute), rate)
		var rows int
		if err := store.Read(t.Context(), db.Across, func(tx *db.Tx) error {
			return tx.Row("SELECT count(*) FROM rate_windows", nil, &rows)
		}); err != nil || rows != 2 {
			t.Errorf("%d rows are left, want 2; %v", rows, err)
		}
	})
}

// Requests that wait for their turn are decided in another order than they came in. In whatever order: from the moment
// the first of any Burst+1 accepted ones came to the moment the last was decided, a second passes.
func TestBurstOfRequestsThatWaited(t *testing.T) {
	limiters(t, func(t *testing.T, l limits.Limiter) {
		rate := limits.Rate{PerMinute: 1000, Burst: 5}
		dice := rand.New(rand.NewSource(1))
		type accepted struct{ came, decided time.Duration }
		var list []accepted
		for decided := time.Duration(0); decided < 8*time.Second; decided += time.Duration(dice.Intn(30)) * time.Millisecond {
			came := max(0, decided-time.Duration(dice.Intn(300))*time.Millisecond)
			if l.Take("a", start.Add(came), rate).Allowed {
				list = append(list, accepted{came, decided})
			}
		}
		if len(list) < 30 {
			t.Fatalf("%d were allowed in 8 seconds", len(list))
		}
		for i, last := range list[rate.Burst:] {
			if first := list[i]; last.decided-first.came < time.Second {
				t.Errorf("%d requests within %s", rate.Burst+1, last.decided-first.came)
			}
		}
	})
}
