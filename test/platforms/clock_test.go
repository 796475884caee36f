package platforms

import (
	"context"
	"sync"
	"time"

	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// clock is ahead of the machine's by what was let pass.
type clock struct {
	mu    sync.Mutex
	ahead time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}

// sleep is over at once: the clock moves on by that time.
func (c *clock) sleep(ctx context.Context, d time.Duration) error {
	c.pass(d)
	return ctx.Err()
}

// timed gives a service that has not started a clock of its own. Time jumps only while no job runs, except when limits
// of platforms are waited for, so jobs are leased for long.
func (s *service) timed() *service {
	s.clock = &clock{}
	s.config.Now, s.config.Sleep, s.config.JobLease = s.clock.now, s.clock.sleep, time.Hour
	return s
}

// Do sends a request.
func (s *service) Do(method, path string, body any) (int, document) { return s.try(method, path, body) }

// Restart stops the service in the middle of what it does, or kills it, and starts it on its store.
func (s *service) Restart() { s.restart() }

// Now is the service's time.
func (s *service) Now() time.Time {
	if s.clock == nil {
		return time.Now()
	}
	return s.clock.now()
}

// tick is how long the machine is given between two looks.
const tick = 8 * time.Millisecond

// mostTicks bounds how long Pass waits for a job to begin.
const mostTicks = 250

// due reports whether a job waits that may begin now.
func (s *service) due() (due bool) {
	if err := s.store.Read(s.Context(), db.Across, func(tx *db.Tx) error {
		at, ok, err := jobs.NextDueOnChannel(tx)
		due = ok && !at.After(tx.Now())
		return err
	}); err != nil {
		s.Fatal(err)
	}
	return due
}

// Pass lets time pass, as soon as no job runs and none is about to begin.
func (s *service) Pass(d time.Duration) {
	if s.clock == nil {
		time.Sleep(5 * tick)
		return
	}
	for waited := 0; waited < mostTicks && s.due(); waited++ {
		time.Sleep(tick)
	}
	running := s.call("GET", "/api/v1/jobs?status=PROCESSING&limit=1", nil, 200)
	if len(running.List("data")) > 0 {
		time.Sleep(tick)
		return
	}
	s.clock.pass(d)
	if err := s.store.Write(s.Context(), db.Across, func(tx *db.Tx) error {
		tx.Wake(commerce.SyncTopic)
		tx.Wake(jobs.Topic)
		return nil
	}); err != nil {
		s.Fatal(err)
	}
	time.Sleep(tick)
}
