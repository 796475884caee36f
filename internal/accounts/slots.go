package accounts

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"entrepot/internal/base/apperr"
)

// A process hashes two passwords at once for strangers, so that logins cannot take all its memory, and one more for
// users who have logged in before: strangers cannot use up the slot of those.
var strangers, known = newSlots(2), newSlots(1)

// Bounds of waiting for a slot: how many wait, how many of them from one network, and for how long.
const (
	maxWaiting = 32
	maxFromOne = 8
	maxWait    = 15 * time.Second
)

// hashed counts hashed passwords: each leaves 19 MiB for the garbage collector.
var hashed atomic.Int64

// Hashed is how many passwords were hashed since the start.
func Hashed() int64 { return hashed.Load() }

// Waiter identifies a caller who waits for a slot.
type Waiter struct {
	Network string // slots are given to one network after the other
	Known   bool   // somebody has logged in from it lately, or the caller is logged in
}

// Slot waits for a slot for hashing; done releases it. Errors: Unavailable when too many wait already or it takes too
// long.
func Slot(ctx context.Context, who Waiter) (done func(), err error) {
	of := strangers
	if who.Known {
		of = known
	}
	if err := of.take(ctx, who.Network); err != nil {
		return nil, err
	}
	hashed.Add(1)
	return of.release, nil
}

func busy() error {
	return apperr.New(apperr.Unavailable, "unavailable", "too many passwords are being checked at once, try again").With("retryAfter", 2)
}

// slots are the slots and those who wait for one.
type slots struct {
	mu      sync.Mutex
	free    int
	waiting map[string][]chan error // of each network, oldest first
	turns   []string                // the networks that wait, the next one first
	all     int
}

func newSlots(n int) *slots { return &slots{free: n, waiting: map[string][]chan error{}} }

// take waits for a slot.
func (s *slots) take(ctx context.Context, network string) error {
	s.mu.Lock()
	if s.free > 0 { // then nobody waits
		s.free--
		s.mu.Unlock()
		return nil
	}
	if !s.room(network) {
		s.mu.Unlock()
		return busy()
	}
	place := make(chan error, 1)
	if len(s.waiting[network]) == 0 {
		s.turns = append(s.turns, network)
	}
	s.waiting[network] = append(s.waiting[network], place)
	s.all++
	s.mu.Unlock()
	late := time.NewTimer(maxWait)
	defer late.Stop()
	var err error
	select {
	case err := <-place:
		return err
	case <-late.C:
		err = busy()
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.remove(network, place) && <-place == nil { // it got the slot at the last moment
		s.next()
	}
	return err
}

// room reports whether another one of a network may wait. When all room is taken, the newest of the network that has
// most makes room, if that has more than this one would have.
func (s *slots) room(network string) bool {
	own := len(s.waiting[network])
	switch {
	case own >= maxFromOne:
		return false
	case s.all < maxWaiting:
		return true
	}
	most := network
	for _, other := range s.turns {
		if len(s.waiting[other]) > len(s.waiting[most]) {
			most = other
		}
	}
	list := s.waiting[most]
	if len(list) <= own+1 {
		return false
	}
	last := list[len(list)-1]
	s.remove(most, last)
	last <- busy()
	return true
}

// remove takes a waiting one out of the line; false if it is not in it.
func (s *slots) remove(network string, place chan error) bool {
	list := s.waiting[network]
	for i, one := range list {
		if one == place {
			s.waiting[network] = append(list[:i:i], list[i+1:]...)
			s.all--
			if len(list) == 1 {
				s.leave(network)
			}
			return true
		}
	}
	return false
}

// leave removes a network from the rotation when nobody of it waits any more.
func (s *slots) leave(network string) {
	delete(s.waiting, network)
	for i, one := range s.turns {
		if one == network {
			s.turns = append(s.turns[:i:i], s.turns[i+1:]...)
			return
		}
	}
}

func (s *slots) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next()
}

// next gives a free slot to the oldest waiter of the next network, or keeps it.
func (s *slots) next() {
	if len(s.turns) == 0 {
		s.free++
		return
	}
	network := s.turns[0]
	place := s.waiting[network][0]
	s.remove(network, place)
	if len(s.waiting[network]) > 0 { // its next turn comes behind the others'
		s.turns = append(s.turns[1:len(s.turns):len(s.turns)], network)
	}
	place <- nil
}
