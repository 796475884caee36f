package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// A source supplies the requests of one client. One goroutine uses it.
type source interface {
	// next answers the start of a request (see conn.exchange) and its body, nil
	// for a request without one. Both are good until the next call.
	next() (head, body []byte)
	// answered is called for each 2xx answer and returns its number of items: products written, feed entries read; 1
	// for single records. body is set only if keeps is true.
	answered(body []byte) (items int, err error)
	// keeps says whether answered needs the body.
	keeps() bool
}

// loop is one run: closed, where each client waits for its answer before its next request, or open, where requests
// start at a fixed rate whatever the answers.
type loop struct {
	target   *target
	clients  int
	duration time.Duration
	count    int // requests of all clients together; 0: time alone decides
	rate     int // requests a second of an open loop; 0: closed
	source   func(client int) (source, error)
}

// givenUpAfter is the number of refusals in a row after which a client gives up: with a wrong key or an exhausted rate
// limit every request fails, and more of them show nothing.
const givenUpAfter = 200

// graceForLast is how long the last answers may take after the end of the time.
const graceForLast = 30 * time.Second

// tally is what one client counted.
type tally struct {
	waits     Histogram
	items     int
	sent      int64
	received  int64
	statuses  [600]int
	broken    int               // requests without an answer: connection refused, reset, timed out
	unsent    int               // requests of an open loop that found every connection in use
	health    Histogram         // waits for /healthz beside an open loop
	refusals  map[string]string // first body seen per refusing status
	last      string            // message of the last failure
	abandoned error
}

// run lets all clients loop until the time is over, the count is reached or ctx ends, and returns their sums and how
// long it took.
func (l *loop) run(ctx context.Context) (*tally, time.Duration, error) {
	// A second processor for the client costs more than it saves: with one, the client's own cost falls by a tenth to
	// a half when enough connections keep it busy (docs/performance.md).
	if l.clients >= 4 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	}
	sources := make([]source, l.clients)
	conns := make([]*conn, l.clients)
	deadline := time.Now().Add(l.duration + graceForLast)
	for i := range sources {
		var err error
		if sources[i], err = l.source(i); err != nil {
			return nil, 0, err
		}
		conns[i] = newConn(l.target, deadline)
		defer conns[i].close()
		if err := conns[i].open(); err != nil {
			return nil, 0, fmt.Errorf("reach the service at %s: %w", conns[i].target.String(), err)
		}
	}
	tallies := make([]tally, l.clients)
	left := new(atomic.Int64)
	left.Store(int64(l.count))
	var group sync.WaitGroup
	whole := new(tally)
	start := time.Now()
	if l.rate > 0 {
		l.offer(ctx, conns, sources, tallies, whole)
	} else {
		for i := range l.clients {
			group.Go(func() {
				tallies[i].drive(ctx, conns[i], sources[i], start.Add(l.duration), left, l.count > 0)
			})
		}
		group.Wait()
	}
	took := time.Since(start)
	var abandoned []error
	for i := range tallies {
		whole.add(&tallies[i])
		abandoned = append(abandoned, tallies[i].abandoned)
	}
	if err := errors.Join(abandoned...); err != nil && whole.waits.Count() == 0 {
		return whole, took, firstOf(abandoned)
	}
	return whole, took, ctx.Err()
}

func firstOf(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// drive is the loop of one client. It sends one request at least: on a busy machine the time may be over when the client gets its turn.
func (t *tally) drive(ctx context.Context, c *conn, s source, end time.Time, left *atomic.Int64, counted bool) {
	failures := 0
	keep := s.keeps()
	for first, now := true, time.Now(); (first || now.Before(end)) && ctx.Err() == nil; first = false {
		if counted && left.Add(-1) < 0 {
			return
		}
		var good bool
		if good, now = t.send(c, s, keep, time.Now()); t.abandoned != nil {
			return
		}
		if good {
			failures = 0
			continue
		}
		failures++
		if failures >= givenUpAfter {
			t.abandoned = fmt.Errorf("gave up after %d failures in a row, the last: %s", failures, t.last)
			return
		}
	}
}

// send sends one request that was due at begun and counts its outcome. It reports whether that was a 2xx, and when it arrived.
func (t *tally) send(c *conn, s source, keep bool, begun time.Time) (good bool, now time.Time) {
	head, body := s.next()
	a, err := c.exchange(head, body, keep)
	now = time.Now()
	t.sent += int64(a.sent)
	t.received += int64(a.received)
	switch {
	case err == nil && a.status/100 == 2:
		t.waits.Add(now.Sub(begun))
		t.statuses[a.status]++
		items, err := s.answered(a.body)
		t.items += items
		if err != nil {
			t.abandoned = fmt.Errorf("understand an answer: %w", err)
		}
		return true, now
	case err != nil:
		t.broken++
		t.remember("no answer", err.Error())
		time.Sleep(10 * time.Millisecond) // do not spin when the service is gone
		now = time.Now()
	default:
		t.statuses[min(a.status, len(t.statuses)-1)]++
		t.remember(strconv.Itoa(a.status), string(a.body))
	}
	t.last = lastWord(a, err)
	return false, now
}

// remember keeps the first message of each kind of failure.
func (t *tally) remember(kind, said string) {
	if _, known := t.refusals[kind]; known {
		return
	}
	if t.refusals == nil {
		t.refusals = make(map[string]string)
	}
	t.refusals[kind] = said[:min(len(said), 400)]
}

func lastWord(a answer, err error) string {
	if err != nil {
		return err.Error()
	}
	hint := ""
	switch a.status {
	case 401, 403:
		hint = " (is the key right, and has it the scope?)"
	case 429:
		hint = " (start the service with ENTREPOT_RATE_LIMITS=off to measure it)"
	}
	return fmt.Sprintf("status %d%s %s", a.status, hint, a.body[:min(len(a.body), 400)])
}

func (t *tally) add(other *tally) {
	t.waits.Merge(&other.waits)
	t.items += other.items
	t.sent += other.sent
	t.received += other.received
	t.broken += other.broken
	t.unsent += other.unsent
	t.health.Merge(&other.health)
	for status, n := range other.statuses {
		t.statuses[status] += n
	}
	for kind, said := range other.refusals {
		t.remember(kind, said)
	}
	if t.abandoned == nil {
		t.abandoned = other.abandoned
	}
}
