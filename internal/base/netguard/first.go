package netguard

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"time"
)

// nextAfter is how long one address is tried alone before the next one is tried concurrently (RFC 8305, section 5).
// Otherwise an address that drops packets would use up the time of the whole request, and a host would be unreachable
// because of one of its addresses.
const nextAfter = 250 * time.Millisecond

// dialled is the outcome of a dial.
type dialled struct {
	conn net.Conn
	err  error
}

// firstOf dials addresses in their order, each when the one before has failed or has not answered for nextAfter, and
// returns the first connection. Others that come later are closed.
func firstOf(ctx context.Context, addrs []netip.Addr, dial func(context.Context, netip.Addr) (net.Conn, error)) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	outcomes := make(chan dialled)
	next := time.NewTimer(0)
	defer next.Stop()
	var failed []error
	for begun := 0; len(failed) < len(addrs); {
		select {
		case <-next.C:
			if begun < len(addrs) {
				addr := addrs[begun]
				begun++
				go func() {
					conn, err := dial(ctx, addr)
					outcomes <- dialled{conn, err}
				}()
				next.Reset(nextAfter)
			}
		case o := <-outcomes:
			if o.err == nil {
				go closeAll(outcomes, begun-len(failed)-1)
				return o.conn, nil
			}
			failed = append(failed, o.err)
			next.Reset(0)
		}
	}
	return nil, errors.Join(failed...)
}

// closeAll closes the connections of the next n outcomes.
func closeAll(outcomes <-chan dialled, n int) {
	for range n {
		if o := <-outcomes; o.err == nil {
			o.conn.Close()
		}
	}
}
