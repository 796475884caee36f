package netguard

import (
	"net"
	"net/netip"
	"strings"
)

// LoopbackHost reports whether a Host header is this machine's own: localhost, a name below it, or a loopback address,
// with or without a port. A page of another site whose name was made to resolve to 127.0.0.1 still sends that site's
// name.
func LoopbackHost(header string) bool {
	host := header
	if name, _, err := net.SplitHostPort(header); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}
