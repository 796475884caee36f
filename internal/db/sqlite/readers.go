package sqlite

import (
	"context"
	"slices"
	"sync"

	"entrepot/internal/db/engine"
)

// readers are the reading connections. A commit empties the page caches of all of them, so take prefers the one that
// was used last: the fewer are in use, the fewer have to fill theirs again.
type readers struct {
	size  int
	open  func() (*conn, error)
	idle  chan struct{} // one element for each idle connection
	mu    sync.Mutex
	conns []*conn // the idle ones, the last used at the end; nil stands for one that is not open yet
}

// newReaders has size connections, which are opened when they are first wanted.
func newReaders(size int, open func() (*conn, error)) *readers {
	r := &readers{size: size, open: open, idle: make(chan struct{}, size), conns: make([]*conn, size)}
	for range size {
		r.idle <- struct{}{}
	}
	return r
}

// take waits for an idle connection. A caller that hung up gets none, even if one is free.
func (r *readers) take(ctx context.Context) (c *conn, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case <-r.idle:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	r.mu.Lock()
	last := len(r.conns) - 1
	c, r.conns = r.conns[last], r.conns[:last]
	r.mu.Unlock()
	if c != nil {
		return c, nil
	}
	if c, err = r.open(); err != nil {
		r.put(nil)
		return nil, engine.Unavailable(err)
	}
	return c, nil
}

// put gives a connection back; nil for one that could not be opened.
func (r *readers) put(c *conn) {
	r.mu.Lock()
	if c == nil {
		r.conns = slices.Insert(r.conns, 0, nil)
	} else {
		r.conns = append(r.conns, c)
	}
	r.mu.Unlock()
	r.idle <- struct{}{}
}

// close waits until every connection is idle and closes them.
func (r *readers) close() {
	for range r.size {
		<-r.idle
	}
	for _, c := range r.conns {
		if c != nil {
			c.close()
		}
	}
}
