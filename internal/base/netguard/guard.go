// Package netguard decides which addresses the service may connect to on a caller's request (interface §6.2).
//
// A merchant gives a URL and this process connects to it, from inside a network where more can be reached than from
// outside. So a host is resolved here, every address of the answer is checked, and the checked address itself is
// dialled: a name that resolves differently a moment later has no effect.
//
// For incoming requests, Proxies says which proxies are trusted to give a client's address (interface §8).
package netguard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// Guard checks and dials. The zero value refuses everything that interface §6.2 lists; it is safe for concurrent use.
type Guard struct {
	Dev    bool // http and loopback are allowed too
	Allow  Allowed
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error) // nil: the system's resolver
	// Nil: the network; receives checked addresses only.
	Dial func(ctx context.Context, network, address string) (c net.Conn, err error)
}

// Refused is the error for a host that must not be called. Its text may be shown to callers.
type Refused struct{ Reason string }

func (r *Refused) Error() string { return r.Reason }

// IsRefused distinguishes a refusal from a failure to connect.
func IsRefused(err error) bool {
	var r *Refused
	return errors.As(err, &r)
}

func refuse(format string, args ...any) error { return &Refused{fmt.Sprintf(format, args...)} }

// Resolve returns the addresses at which a host (a name or an address, without port) may be called. One refused
// address refuses the host, because a mixed answer is a way around the check. Errors: Refused, or the resolver's.
func (g *Guard) Resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	host, err := plainHost(host)
	if err != nil {
		return nil, err
	}
	addrs, err := g.addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	if g.Allow.Host(host) {
		return addrs, nil
	}
	for _, addr := range addrs {
		if reason := g.reason(addr); reason != "" {
			if addr.String() == host {
				return nil, refuse("%s is %s", host, reason)
			}
			// the message must not show which addresses it has
			return nil, refuse("%s does not resolve to public addresses only", host)
		}
	}
	return addrs, nil
}

// reason says why an address is refused; "" if it is allowed.
func (g *Guard) reason(addr netip.Addr) string {
	if g.Dev && addr.IsLoopback() && !addr.Is4In6() || g.Allow.Addr(addr) {
		return ""
	}
	return Reason(addr)
}

// lookupTime limits the time to resolve a name: more than the five seconds for which a name server that is down is
// waited for before the next one is asked.
const lookupTime = 8 * time.Second

// checkedKey is the key of what Checked has found.
type checkedKey struct{}

// checked are a host's addresses that may be called.
type checked struct {
	host  string
	addrs []netip.Addr
}

// Checked resolves and checks a host for one request: a connection that is made with the context is made to the
// addresses found, without resolving the host again. Errors: those of Resolve.
func (g *Guard) Checked(ctx context.Context, host string) (context.Context, []netip.Addr, error) {
	addrs, err := g.Resolve(ctx, host)
	if err != nil {
		return ctx, nil, err
	}
	return context.WithValue(ctx, checkedKey{}, checked{host, addrs}), addrs, nil
}

// resolved are the addresses of a host that were found for this request, or are found now.
func (g *Guard) resolved(ctx context.Context, host string) ([]netip.Addr, error) {
	if found, ok := ctx.Value(checkedKey{}).(checked); ok && found.host == host {
		return found.addrs, nil
	}
	return g.Resolve(ctx, host)
}

func (g *Guard) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	lookup := g.Lookup
	if lookup == nil {
		lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	found, err := lookup(ctx, host)
	if err == nil && len(found) == 0 {
		err = errors.New("no address")
	}
	if err != nil {
		return nil, &unreached{"resolving " + host + ": " + Plain(err), err}
	}
	addrs := make([]netip.Addr, len(found))
	for i, addr := range found {
		addrs[i] = addr.Unmap() // resolvers return IPv4 in either form
	}
	return addrs, nil
}

// DialContext resolves, checks and connects to the first of the checked addresses that answers. It fits http.Transport.
func (g *Guard) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	addrs, err := g.resolved(ctx, host)
	if err != nil {
		return nil, err
	}
	dial := g.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	conn, err := firstOf(ctx, addrs, func(ctx context.Context, addr netip.Addr) (net.Conn, error) {
		return dial(ctx, network, net.JoinHostPort(addr.String(), port))
	})
	if err != nil {
		return nil, &unreached{"connecting to " + address + ": " + Plain(err), err}
	}
	return conn, nil
}

// Transport is an HTTP transport whose connections all go through the guard: no proxy, and at most perHost idle
// connections for each host.
func (g *Guard) Transport(perHost int) *Transport {
	return &Transport{&http.Transport{
		DialContext:           g.DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   perHost,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		DisableCompression:    true,
		HTTP2:                 &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTime},
	}}
}

// An HTTP/2 connection without a sign of life for pingAfter is asked for one, and closed after another pingTime. A
// request that times out leaves its connection open: without this, requests to a server that went away without a word
// would be sent there until TCP gives up, a quarter of an hour later, though the host has had another address for
// long.
const (
	pingAfter = 15 * time.Second
	pingTime  = 5 * time.Second
)

// Transport is http.Transport for servers that are not trusted.
type Transport struct{ *http.Transport }

// RoundTrip closes the connection of an answer that hands it over to another protocol (101): its body is the connection
// itself, no context ends a read of it, and whoever reads it would wait for as long as the server likes.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.Transport.RoundTrip(r)
	if err == nil && answer.StatusCode == http.StatusSwitchingProtocols {
		answer.Body.Close()
		answer.Body = http.NoBody
	}
	return answer, err
}

// plainHost converts a host to the form that is checked and resolved: lower case, no final dot. It refuses spellings
// that resolvers interpret differently.
func plainHost(host string) (string, error) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for i := range len(host) {
		if c := host[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`/\@?#[]%`, c) >= 0 {
			if c == '%' {
				return "", refuse("%s names a network interface of one machine", host)
			}
			return "", refuse("the host must be written in ASCII (xn--… for other scripts)")
		}
	}
	switch addr, err := netip.ParseAddr(host); {
	case host == "":
		return "", refuse("the host is missing")
	case err == nil && addr.Zone() != "":
		return "", refuse("%s names a network interface of one machine", host)
	case err == nil:
		return addr.String(), nil
	case strings.Contains(host, ":"):
		return "", refuse("%s is no valid address", host)
	case endsInNumber(host):
		return "", refuse("%s is no valid IPv4 address: write four decimal numbers", host)
	}
	return host, nil
}

// endsInNumber is true for hosts that some resolvers read as an IPv4 address: 2130706433, 0x7f.1, 127.1, 0177.0.0.1.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	hex := strings.HasPrefix(last, "0x")
	if hex {
		last = last[2:]
	}
	for i := range len(last) {
		if c := last[i]; (c < '0' || c > '9') && (!hex || c < 'a' || c > 'f') {
			return false
		}
	}
	return last != "" || hex
}
