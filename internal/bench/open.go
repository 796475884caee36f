package bench

import (
	"context"
	"sync"
	"time"
)

// openClients is the default number of connections of an open loop, healthEvery how often it also requests /healthz.
const (
	openClients = 1024
	healthEvery = 50 * time.Millisecond
)

// offer sends requests at the loop's rate until its time is over or ctx ends, and waits for their answers. A request
// is due at its time whatever happened to those before it, and its wait counts from there, so that the figures show a
// service that falls behind. A request that finds every connection in use is counted and not sent.
func (l *loop) offer(ctx context.Context, conns []*conn, sources []source, tallies []tally, whole *tally) {
	var group sync.WaitGroup
	due := make(chan time.Time) // a send succeeds only while a client waits for one
	for i := range conns {
		group.Go(func() {
			keep := sources[i].keeps()
			for begun := range due {
				if tallies[i].abandoned == nil {
					tallies[i].send(conns[i], sources[i], keep, begun)
				}
			}
		})
	}
	ended := make(chan struct{})
	var health sync.WaitGroup
	health.Go(func() { l.askHealth(ended, whole) })
	start := time.Now()
	for n := 0; ctx.Err() == nil && (l.count == 0 || n < l.count); n++ {
		after := time.Duration(n) * time.Second / time.Duration(l.rate)
		if after >= l.duration {
			break
		}
		if wait := after - time.Since(start); wait > 0 {
			time.Sleep(wait)
		}
		select {
		case due <- start.Add(after):
		default:
			whole.unsent++
		}
	}
	close(due)
	close(ended)
	health.Wait()
	group.Wait()
}

// askHealth requests /healthz over a connection of its own until ended is closed.
func (l *loop) askHealth(ended <-chan struct{}, whole *tally) {
	c := newConn(l.target, time.Now().Add(l.duration+graceForLast))
	defer c.close()
	head := l.target.head("GET", "/healthz", "")
	tick := time.NewTicker(healthEvery)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
		}
		begun := time.Now()
		if a, err := c.exchange(head, nil, false); err == nil && a.status == 200 {
			whole.health.Add(time.Since(begun))
		}
	}
}
