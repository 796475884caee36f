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

// movedRest is the shortest time between two closings of idle connections: the answers of name servers that give some of
// many addresses in turn look like those of a host that has moved.
const movedRest = time.Minute

// moved closes idle connections after an attempt that went over a kept one to an address that the host does not have any
// more: as long as there are attempts the connection would be kept, and an endpoint that has moved would not be found.
func (w *Worker) moved(over *connection, addrs []netip.Addr) {
	addr := over.addr.Load()
	if addr == nil || slices.Contains(addrs, *addr) {
		return
	}
	now, before := time.Now().UnixNano(), w.closedIdle.Load()
	if now-before >= movedRest.Nanoseconds() && w.closedIdle.CompareAndSwap(before, now) {
		if t, ok := w.transport.(interface{ CloseIdleConnections() }); ok {
			t.CloseIdleConnections()
		}
	}
}
