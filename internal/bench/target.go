package bench

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// target is the measured service: the address to dial and the first lines of every request.
type target struct {
	address string // what is dialled: an IP and a port, resolved and checked once
	host    string // the Host line
	prefix  string // path before /api/v1, without a slash at the end
	tls     *tls.Config
}

// newTarget parses a base address. Only loopback addresses are accepted, judged by what the name resolves to, unless
// remote ones are allowed explicitly: a load tool aimed at a wrong machine by a typing error does harm.
func newTarget(ctx context.Context, base string, allowRemote bool) (*target, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, &CallError{fmt.Errorf("--url %q is not an address like http://127.0.0.1:8080", base)}
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return nil, fmt.Errorf("find the address of %s: %w", u.Hostname(), err)
	}
	t := &target{host: u.Host, prefix: strings.TrimSuffix(u.Path, "/")}
	for _, ip := range ips {
		if ip = ip.Unmap(); t.address == "" || ip.Is4() {
			t.address = net.JoinHostPort(ip.String(), port)
		}
		if !ip.IsLoopback() && !allowRemote {
			return nil, &CallError{fmt.Errorf("%s is %s, not this machine; pass --allow-remote if that load is really meant for it", u.Hostname(),
				ip)}
		}
	}
	if u.Scheme == "https" {
		t.tls = &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}
	}
	return t, nil
}

// dial opens one connection before the deadline.
func (t *target) dial(deadline time.Time) (net.Conn, error) {
	dialer := &net.Dialer{Deadline: deadline, Timeout: 10 * time.Second}
	if t.tls != nil {
		return tls.DialWithDialer(dialer, "tcp", t.address, t.tls)
	}
	return dialer.Dial("tcp", t.address)
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
