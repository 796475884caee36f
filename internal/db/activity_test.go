package db

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"entrepot/internal/base/id"
)

// While another account is active, the wide reads of one account leave a processor free; alone, and a second later, it has all its places.
func TestWideReadsLeaveAProcessor(t *testing.T) {
	const busy, quiet id.Tenant = 1, 2
	begun := time.Unix(1_800_000_000, 0)
	for _, of := range []struct{ connections, processors, alone, beside int }{
		{8, 1, 2, 1}, {8, 2, 2, 1}, {16, 4, 3, 3}, {16, 3, 3, 2}, {32, 8, 6, 6}, {32, 2, 6, 1},
	} {
		t.Run(fmt.Sprintf("%d of %d", of.processors, of.connections), func(t *testing.T) {
			a := newAdmission(of.connections, of.processors)
			atOnce := func(now time.Time) (n int) { // how many places one account gets
				full, cancel := context.WithCancel(t.Context())
				cancel()
				for {
					at, _, err := a.enterWide(full, busy, now)
					if err != nil {
						return n
					}
					defer at.leave()
					n++
				}
			}
			if n := atOnce(begun); n != of.alone {
				t.Errorf("%d wide reads of an account alone, not %d", n, of.alone)
			}
			a.active.mark(quiet, begun)
			for range 3 { // its own activity changes nothing
				a.active.mark(busy, begun)
				a.active.mark(Across, begun)
			}
			if n := atOnce(begun.Add(activeFor - 1)); n != of.beside {
				t.Errorf("%d wide reads beside another account, not %d", n, of.beside)
			}
			if n := atOnce(begun.Add(activeFor)); n != of.alone {
				t.Errorf("%d wide reads a second after the other account's last request, not %d", n, of.alone)
			}
			if n := len(a.wide.of) + len(a.narrow.of); n != 0 {
				t.Errorf("%d accounts are kept in mind after all reads have ended", n)
			}
		})
	}
}

// Who gets a place runs before the one who gave it back goes on.
func TestAPlaceIsPassedOnWithTheProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	c := newConcurrency(1, 1)
	first, err := c.enter(t.Context(), 1, false)
	if err != nil {
		t.Fatal(err)
	}
	var inside atomic.Bool
	ended := make(chan error)
	go func() {
		second, err := c.enter(t.Context(), 1, false)
		inside.Store(true)
		if err == nil {
			second.leave()
		}
		ended <- err
	}()
	for c.waiting.Load() == 0 {
		runtime.Gosched()
	}
	runtime.Gosched() // it waits now
	first.leave()
	if !inside.Load() {
		t.Error("the next one waits with its place")
	}
	if err := <-ended; err != nil || len(c.of) != 0 || len(c.places) != 0 {
		t.Errorf("%v, %d accounts, %d places taken", err, len(c.of), len(c.places))
	}
}
