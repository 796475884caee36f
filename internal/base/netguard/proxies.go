package netguard

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are the reverse proxies that are trusted to give a client's address, and to say whether the client speaks
// https. The default is none, because a client that reaches the service directly could otherwise claim any address.
type Proxies []netip.Prefix

// ParseProxies parses addresses and ranges separated by commas or spaces: 10.0.0.7, 10.1.0.0/16, fd00::/8.
func ParseProxies(text string) (list Proxies, err error) {
	for _, entry := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' }) {
		prefix, err := netip.ParsePrefix(entry)
		if addr, alone := netip.ParseAddr(entry); alone == nil {
			addr = addr.Unmap().WithZone("")
			prefix, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		if err != nil || prefix.Addr().Is4In6() {
			return nil, fmt.Errorf("trusted proxy %q: give an address or a range like 10.1.0.0/16, without name and port", entry)
		}
		list = append(list, prefix.Masked())
	}
	return list, nil
}

// trusts reports whether an address is that of a trusted proxy.
func (list Proxies) trusts(addr netip.Addr) bool {
	addr = addr.WithZone("")
	for _, prefix := range list {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

// Client is the address of a request's client, without port: the connection's address, unless that is a trusted proxy;
// then the rightmost address of X-Forwarded-For that is no trusted proxy. What is further left was written by that
// client and cannot be trusted. If the header ends, or has something that is no address, it is the last address found.
func (list Proxies) Client(r *http.Request) string {
	peer, ok := hop(r.RemoteAddr)
	if !ok {
		return r.RemoteAddr
	}
	if len(list) == 0 || !list.trusts(peer) {
		return peer.String()
	}
	lines := r.Header["X-Forwarded-For"]
	for i := len(lines) - 1; i >= 0; i-- {
		for rest, more := lines[i], true; more; {
			entry := rest
			at := strings.LastIndexByte(rest, ',')
			if more = at >= 0; more {
				rest, entry = rest[:at], rest[at+1:]
			}
			addr, ok := hop(strings.TrimSpace(entry))
			if !ok {
				return peer.String()
			}
			if peer = addr; !list.trusts(peer) {
				return peer.String()
			}
		}
	}
	return peer.String()
}

// HTTPS reports whether a trusted proxy says that the client speaks https to it: the first X-Forwarded-Proto is https.
func (list Proxies) HTTPS(r *http.Request) bool {
	peer, ok := hop(r.RemoteAddr)
	said, _, _ := strings.Cut(r.Header.Get("X-Forwarded-Proto"), ",")
	return ok && list.trusts(peer) && strings.EqualFold(strings.TrimSpace(said), "https")
}

// hop parses an address with or without port and brackets; an IPv4 address in IPv6 form becomes IPv4.
func hop(text string) (netip.Addr, bool) {
	addr, err := netip.ParseAddr(text)
	if err != nil {
		if inner, ok := strings.CutPrefix(text, "["); ok && strings.HasSuffix(inner, "]") {
			addr, err = netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		} else {
			var both netip.AddrPort
			both, err = netip.ParseAddrPort(text)
			addr = both.Addr()
		}
	}
	return addr.Unmap(), err == nil
}

// networkBits6 is the least part of an IPv6 address that is assigned to one customer, who can vary the rest.
const networkBits6 = 64

// Unknown identifies a client without a credential for counting.
func Unknown(address string) string { return "address:" + Network(address) }

// Range is the network by which clients share what is scarce: an IPv4 address's /24, an IPv6 address's /64.
func Range(address string) string {
	addr, err := netip.ParseAddr(address)
	if err != nil || !addr.Unmap().Is4() {
		return Network(address)
	}
	prefix, _ := addr.Unmap().Prefix(24) // every IPv4 address has one
	return prefix.String()
}

// Network is the part of a client's address that counts as one client: an IPv4 address itself, the /64 network of an
// IPv6 one, any other text as it is.
func Network(address string) string {
	addr, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	addr = addr.Unmap()
	if addr.Is4() {
		return addr.String()
	}
	prefix, err := addr.WithZone("").Prefix(networkBits6)
	if err != nil {
		return address
	}
	return prefix.String()
}
