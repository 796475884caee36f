package story

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
)

// door stands before a shop: it counts requests, takes the shop away, and breaks the service off in the middle of one.
type door struct {
	shop   http.Handler
	broken chan struct{} // the service is to be broken off now

	mu     sync.Mutex
	calls  int
	down   bool
	breakN int  // the request after which the service is broken off, its answer unsent; 0: none
	breaks bool // one is under way
}

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	d.calls++
	down, breaks := d.down, d.breakN > 0 && d.calls == d.breakN
	d.breaks = d.breaks || breaks
	d.mu.Unlock()
	switch {
	case down:
		w.WriteHeader(http.StatusBadGateway)
	case breaks:
		d.only(r)
		_, _ = io.Copy(io.Discard, r.Body) // only then is it noticed that the caller has hung up
		d.broken <- struct{}{}
		<-r.Context().Done()
	default:
		d.shop.ServeHTTP(w, r)
	}
}

// only has the shop do what it is asked, and keeps the answer.
func (d *door) only(r *http.Request) {
	defer func() { _ = recover() }() // a shop that breaks its connections off does so by a panic
	d.shop.ServeHTTP(unsent{httptest.NewRecorder()}, r)
}

// unsent takes an answer that nobody gets.
type unsent struct{ *httptest.ResponseRecorder }

// Hijack is refused.
func (unsent) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return nil, nil, errors.New("there is no connection")
}

// breakAfter has the service broken off in the middle of the n-th request from now on.
func (d *door) breakAfter(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.breakN = d.calls + n
}

// disarm has nothing broken off any more; it reports whether that is under way.
func (d *door) disarm() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	breaks := d.breaks
	d.breakN, d.breaks = 0, false
	return breaks
}

// shut takes the shop away, or gives it back.
func (d *door) shut(down bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.down = down
}

func (d *door) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls
}
