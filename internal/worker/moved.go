package worker

import (
	"net/http/httptrace"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"
)

// connection is the address of the connection that an attempt went over.
type connection struct{ addr atomic.Pointer[netip.Addr] }

// note records the connection.
func (c *connection) note(got httptrace.GotConnInfo) {
	if to, err := netip.ParseAddrPort(got.Conn.RemoteAddr().String()); err == nil {
		addr := to.Addr().Unmap()
		c.addr.Store(&addr)
	}
}

// movedPause is the shortest time between two closings of idle connections. A name server that answers with some of many
// addresses at a time looks like a host that has moved.
const movedPause = time.Minute

// moved closes idle connections after an attempt over a reused connection to an address that the host no longer has.
// Frequent attempts would keep the connection open, and the endpoint's new address would not be found.
func (w *Worker) moved(over *connection, addrs []netip.Addr) {
	addr := over.addr.Load()
	if addr == nil || slices.Contains(addrs, *addr) {
		return
	}
	now, before := time.Now().UnixNano(), w.closedIdle.Load()
	if now-before >= movedPause.Nanoseconds() && w.closedIdle.CompareAndSwap(before, now) {
		if t, ok := w.transport.(interface{ CloseIdleConnections() }); ok {
			t.CloseIdleConnections()
		}
	}
}
