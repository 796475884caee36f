package netguard_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"entrepot/internal/base/netguard"
)

// What a merchant reads of a failed connection names no address of the operator's network, neither an end's nor the resolver's
// (interface §6.2).
func TestPlainNamesNoAddresses(t *testing.T) {
	near, far := &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3), Port: 41000}, &net.TCPAddr{IP: net.IPv4(10, 9, 8, 7), Port: 443}
	lookup := func(e net.DNSError) error { e.Name, e.Server = "shop.example", "10.0.0.53:53"; return &e }
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Source: near, Addr: far, Err: err} }
	for want, err := range map[string]error{
		"no such host": lookup(net.DNSError{Err: "no such host", IsNotFound: true}),
		"timed out":    lookup(net.DNSError{Err: "i/o timeout on 10.0.0.53:53", IsTimeout: true}),
		"the name could not be resolved just now": lookup(net.DNSError{Err: "server misbehaving", IsTemporary: true}),
		"dial: connection refused":                dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)),
		"dial: no route to host":                  dial(os.NewSyscallError("connect", syscall.EHOSTUNREACH)),
		"dial: timed out":                         dial(context.DeadlineExceeded),
		"dial: failed":                            dial(nil),
		"":                                        nil,
		"it went wrong":                           errors.New("it went wrong"),
	} {
		if got := netguard.Plain(err); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
		if err == nil {
			continue
		}
		if got := netguard.Plain(fmt.Errorf("attempt 3: %w", err)); strings.Contains(got, "10.") {
			t.Errorf("%v: %q", err, got)
		}
	}
	g := &netguard.Guard{
		Lookup: resolver{"shop.example": {"1.1.1.1", "8.8.8.8"}}.lookup,
		Dial: func(context.Context, string, string) (net.Conn, error) {
			return nil, dial(os.NewSyscallError("connect", syscall.ECONNREFUSED))
		},
	}
	_, err := g.DialContext(t.Context(), "tcp", "shop.example:443")
	if err == nil || err.Error() != "connecting to shop.example:443: dial: connection refused" || !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%v", err)
	}
}
