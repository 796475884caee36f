package db

import (
	"context"
	"fmt"
	"testing"
	"time"

	"entrepot/internal/id"
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
					leave, err := tryWide(a, full, busy, now)
					if err != nil {
						return n
					}
					defer leave()
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

// tryWide takes a place if one is free: of a place and an ended context, select takes either, so it tries until the place was seen taken.
func tryWide(a *admission, ended context.Context, tenant id.Tenant, now time.Time) (leave func(), err error) {
	for range 100 {
		if leave, _, err = a.enterWide(ended, tenant, now); err == nil {
			return leave, nil
		}
	}
	return nil, err
}
