// Package limits counts requests against the rate limits of interface §8: a fixed minute from a caller's first request,
// a rolling second for bursts, and the bulk operations' own minutes on top.
package limits

import (
	"sync"
	"time"
)

// Rate is one limit: at most PerMinute in a fixed minute and Burst in any second (0: no such bound).
type Rate struct {
	Name      string // keeps windows of one caller apart: "" for the plan, "bulk:products" …
	PerMinute int
	Burst     int
}

// Verdict says whether a request may go on, and what the headers say.
type Verdict struct {
	Allowed    bool
	Limit      int
	Remaining  int
	Reset      time.Time     // end of the first rate's minute
	RetryAfter time.Duration // when refused
}

// Limiter decides. Rates holds the plan's first; the verdict's numbers are the first one's.
type Limiter interface {
	// Take counts one request of a caller against all rates, or against none when one of them is spent.
	Take(caller string, now time.Time, rates ...Rate) Verdict
	// Peek gives the verdict that Take would, without counting.
	Peek(caller string, now time.Time, rates ...Rate) Verdict
	// Return takes back what Take counted, for what was counted before it was known whether it counts. Bursts stay as they are.
	Return(caller string, now time.Time, rates ...Rate)
}

// window is one caller's minute under one rate.
type window struct {
	start  time.Time
	used   int
	recent []int64 // ring of the newest accepted requests, in microseconds; it grows to Burst
	next   int     // where the next one goes once it has
}

// Local counts in this process: right when one process serves the store.
type Local struct {
	mu      sync.Mutex
	windows map[string]*window
	swept   time.Time
}

// maxWindows bounds the windows that are remembered. Who sends from ever new addresses makes a node forget some window at random, its
// own most likely.
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
	l.sweep(now)
	v := Verdict{Allowed: true}
	open := make([]*window, len(rates))
	for i, r := range rates {
		w := l.window(caller+"\x00"+r.Name, now, r)
		open[i] = w
		wait := w.wait(now, r)
		if wait > 0 {
			v.Allowed, v.RetryAfter = false, max(v.RetryAfter, wait)
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
	if len(w.recent) > r.Burst { // the plan has become a smaller one
		w.recent, w.next = nil, 0
	}
	return w
}

// wait is how long the request must wait, 0 when it may go on.
func (w *window) wait(now time.Time, r Rate) time.Duration {
	if w.used >= r.PerMinute {
		return w.start.Add(time.Minute).Sub(now)
	}
	if r.Burst > 0 && len(w.recent) == r.Burst {
		if oldest := time.UnixMicro(w.recent[w.next]); now.Sub(oldest) < time.Second {
			return oldest.Add(time.Second).Sub(now)
		}
	}
	return 0
}

func (w *window) take(now time.Time, r Rate) {
	w.used++
	switch {
	case r.Burst == 0:
	case len(w.recent) < r.Burst:
		w.recent = append(w.recent, now.UnixMicro())
	default:
		w.recent[w.next] = now.UnixMicro()
		w.next = (w.next + 1) % r.Burst
	}
}

// forget drops the window that was used least of a few.
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

// sweep forgets callers whose minute is over, once a minute.
func (l *Local) sweep(now time.Time) {
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

// Off lets everything pass: for benchmarks.
type Off struct{}

// Take implements Limiter.
func (Off) Take(_ string, now time.Time, rates ...Rate) Verdict { return Off{}.Peek("", now, rates...) }

// Return implements Limiter.
func (Off) Return(string, time.Time, ...Rate) {}

// Peek implements Limiter.
func (Off) Peek(_ string, now time.Time, rates ...Rate) Verdict {
	return Verdict{Allowed: true, Limit: rates[0].PerMinute, Remaining: rates[0].PerMinute, Reset: now.Add(time.Minute)}
}
