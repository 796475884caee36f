// Package limits counts requests against the rate limits of interface §8: a fixed minute from a caller's first
// request, a rolling second for bursts, and separate minutes for bulk operations.
//
//	Rate     one limit; Verdict says whether a request is within all of its limits
//	Limiter  decides: Local in memory for one process, Shared in the store for several nodes, Off for benchmarks
//
// bounds.go has the bounds of the interface on sizes and numbers.
package limits

import (
	"fmt"
	"sync"
	"time"
)

// Rate is one limit: at most PerMinute in a fixed minute and Burst in any second (0: no such bound).
type Rate struct {
	Name      string // identifies the window of a caller: "" for the plan, "bulk:products" …
	PerMinute int
	Burst     int
}

// Verdict says whether a request is allowed, and the values of the headers.
type Verdict struct {
	Allowed    bool
	Limit      int
	Remaining  int
	Reset      time.Time     // end of the first rate's minute
	RetryAfter time.Duration // when the request is refused
	Exceeded   string        // then: the limit in words, such as "more than 20 requests in a second"
}

// Limiter decides whether a request is allowed. The plan's rate is the first of rates; the verdict's numbers are its.
type Limiter interface {
	// Take counts one request of a caller against all rates, or against none if one of them is exhausted.
	Take(caller string, now time.Time, rates ...Rate) Verdict
	// Peek returns the verdict that Take would, without counting.
	Peek(caller string, now time.Time, rates ...Rate) Verdict
	// Return takes back what Take counted, for a request that turns out not to count. Bursts are not changed.
	Return(caller string, now time.Time, rates ...Rate)
}

// window is one caller's minute under one rate.
type window struct {
	start  time.Time
	used   int
	recent []int64 // ring of the newest accepted requests, in microseconds; it grows to Burst
	next   int     // index for the next one in a full ring
}

// Local counts in this process, which is exact if only one process serves the store.
type Local struct {
	mu      sync.Mutex
	windows map[string]*window
	swept   time.Time
}

// maxWindows limits the windows kept in memory. A client that sends from ever new addresses makes a node drop random
// windows, most likely its own.
const maxWindows = 50_000

// NewLocal makes an empty one.
func NewLocal() *Local { return &Local{windows: map[string]*window{}} }

// Take implements Limiter.
func (l *Local) Take(caller string, now time.Time, rates ...Rate) Verdict {
	return l.decide(caller, now, rates, true)
}

// Peek implements Limiter.
func (l *Local) Peek(caller string, now time.Time, rates ...Rate) Verdict {
	return l.decide(caller, now, rates, false)
}

// Return implements Limiter.
func (l *Local) Return(caller string, now time.Time, rates ...Rate) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range rates {
		if w := l.windows[caller+"\x00"+r.Name]; w != nil && w.used > 0 && now.Sub(w.start) < time.Minute {
			w.used--
		}
	}
}

func (l *Local) decide(caller string, now time.Time, rates []Rate, count bool) Verdict {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dropExpired(now)
	v := Verdict{Allowed: true}
	open := make([]*window, len(rates))
	for i, r := range rates {
		w := l.window(caller+"\x00"+r.Name, now, r)
		open[i] = w
		if wait, exceeded := w.wait(now, r); wait > v.RetryAfter {
			v.Allowed, v.RetryAfter, v.Exceeded = false, wait, exceeded
		}
		if i == 0 {
			v.Limit, v.Remaining, v.Reset = r.PerMinute, r.PerMinute-w.used, w.start.Add(time.Minute)
		}
	}
	if v.Allowed && count {
		for i, r := range rates {
			open[i].take(now, r)
		}
		v.Remaining--
	}
	v.Remaining = max(v.Remaining, 0)
	return v
}

func (l *Local) window(key string, now time.Time, r Rate) *window {
	w := l.windows[key]
	if w == nil {
		if len(l.windows) >= maxWindows {
			l.forget()
		}
		w = &window{start: now}
		l.windows[key] = w
	}
	if now.Sub(w.start) >= time.Minute || w.used == 0 {
		w.start, w.used = now, 0
	}
	if len(w.recent) > r.Burst { // the plan was reduced
		w.recent, w.next = nil, 0
	}
	return w
}

// wait is how long the request must wait and which limit it exceeds; 0 if it is allowed. A request that came before
// the one that began the window, and is decided after it, waits no longer than a window.
func (w *window) wait(now time.Time, r Rate) (time.Duration, string) {
	if w.used >= r.PerMinute {
		kind := ""
		if r.Name != "" {
			kind = " of this kind"
		}
		return min(w.start.Add(time.Minute).Sub(now), time.Minute), fmt.Sprintf("more than %d requests%s in a minute", r.PerMinute, kind)
	}
	if r.Burst > 0 && len(w.recent) == r.Burst {
		if free := w.recent[w.next] + time.Second.Microseconds(); w.at(now) < free {
			return min(time.UnixMicro(free).Sub(now), time.Second), fmt.Sprintf("more than %d requests in a second", r.Burst)
		}
	}
	return 0, ""
}

// at is when a request counts as made, in microseconds: when it came, but not before the newest one that was accepted.
// Requests that wait for each other are decided in another order than they came in: if the times in the ring went back,
// a client could have more than the burst accepted within a second.
func (w *window) at(now time.Time) int64 {
	at := now.UnixMicro()
	if n := len(w.recent); n > 0 {
		at = max(at, w.recent[(w.next+n-1)%n])
	}
	return at
}

func (w *window) take(now time.Time, r Rate) {
	w.used++
	switch at := w.at(now); {
	case r.Burst == 0:
	case len(w.recent) < r.Burst:
		w.recent = append(w.recent, at)
	default:
		w.recent[w.next] = at
		w.next = (w.next + 1) % r.Burst
	}
}

// forget drops the least used of a few windows.
func (l *Local) forget() {
	const few = 8
	var least string
	n, used := 0, 0
	for key, w := range l.windows {
		if n == 0 || w.used < used {
			least, used = key, w.used
		}
		if n++; n == few {
			break
		}
	}
	delete(l.windows, least)
}

// dropExpired drops windows whose minute is over, once a minute.
func (l *Local) dropExpired(now time.Time) {
	if now.Sub(l.swept) < time.Minute {
		return
	}
	l.swept = now
	for key, w := range l.windows {
		if now.Sub(w.start) > 2*time.Minute {
			delete(l.windows, key)
		}
	}
}

// Off allows everything, for benchmarks.
type Off struct{}

// Take implements Limiter.
func (Off) Take(_ string, now time.Time, rates ...Rate) Verdict { return Off{}.Peek("", now, rates...) }

// Return implements Limiter.
func (Off) Return(string, time.Time, ...Rate) {}

// Peek implements Limiter.
func (Off) Peek(_ string, now time.Time, rates ...Rate) Verdict {
	return Verdict{Allowed: true, Limit: rates[0].PerMinute, Remaining: rates[0].PerMinute, Reset: now.Add(time.Minute)}
}
