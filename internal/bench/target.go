package bench

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// target is the measured service: the nodes to dial and the first lines of every request.
type target struct {
	nodes  []string      // what is dialled, one after the other: an IP and a port each, resolved and checked once
	dials  atomic.Uint64 // connections opened so far
	host   string        // the Host line, of the first node
	prefix string        // path before /api/v1, without a slash at the end
	tls    *tls.Config
}

// newTarget parses the base addresses of a service's nodes, with commas; requests are those for the first one. A
// name must resolve to loopback addresses, unless remote ones are allowed explicitly: a load tool aimed at a wrong
// machine by a typing error does harm.
func newTarget(ctx context.Context, bases string, allowRemote bool) (*target, error) {
	t := &target{}
	var first *url.URL
	for base := range strings.SplitSeq(bases, ",") {
		u, err := url.Parse(base)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return nil, &CallError{fmt.Errorf("--url %q is not an address like http://127.0.0.1:8080", base)}
		}
		if first == nil {
			first, t.host, t.prefix = u, u.Host, strings.TrimSuffix(u.Path, "/")
		}
		if u.Scheme != first.Scheme || strings.TrimSuffix(u.Path, "/") != t.prefix {
			return nil, &CallError{fmt.Errorf("--url %q differs from the first address in more than host and port", base)}
		}
		node, err := resolve(ctx, u, allowRemote)
		if err != nil {
			return nil, err
		}
		t.nodes = append(t.nodes, node)
	}
	if first.Scheme == "https" {
		t.tls = &tls.Config{ServerName: first.Hostname(), MinVersion: tls.VersionTLS12}
	}
	return t, nil
}

// resolve finds the address to dial, and refuses one of another machine unless that is allowed.
func resolve(ctx context.Context, u *url.URL, allowRemote bool) (node string, err error) {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return "", fmt.Errorf("find the address of %s: %w", u.Hostname(), err)
	}
	for _, ip := range ips {
		if ip = ip.Unmap(); node == "" || ip.Is4() {
			node = net.JoinHostPort(ip.String(), port)
		}
		if !ip.IsLoopback() && !allowRemote {
			return "", &CallError{fmt.Errorf("%s is %s, not this machine; pass --allow-remote if that load is really meant for it", u.Hostname(),
				ip)}
		}
	}
	return node, nil
}

// String is the nodes' addresses.
func (t *target) String() string { return strings.Join(t.nodes, ", ") }

// dial opens one connection to the next node before the deadline.
func (t *target) dial(deadline time.Time) (net.Conn, error) {
	dialer := &net.Dialer{Deadline: deadline, Timeout: 10 * time.Second}
	node := t.nodes[(t.dials.Add(1)-1)%uint64(len(t.nodes))]
	if t.tls != nil {
		return tls.DialWithDialer(dialer, "tcp", node, t.tls)
	}
	return dialer.Dial("tcp", node)
}

// loopback reports whether a listening address such as 127.0.0.1:0 is reachable from this machine only.
func loopback(address string) bool {
	ap, err := netip.ParseAddrPort(address)
	return err == nil && ap.Addr().IsLoopback()
}

// head renders the start of a request that is the same every time: the request
// line, the host and the key.
func (t *target) head(method, path, key string) []byte {
	head := method + " " + t.prefix + path + " HTTP/1.1\r\nHost: " + t.host + "\r\n"
	if key != "" {
		head += "X-API-Key: " + key + "\r\n"
	}
	if method != "GET" && method != "DELETE" {
		head += "Content-Type: application/json\r\n"
	}
	return []byte(head)
}
