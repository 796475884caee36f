package netguard

import "net/netip"

// block is a range of addresses that no public server has.
type block struct {
	prefix netip.Prefix
	reason string
}

func list(reason string, prefixes ...string) []block {
	blocks := make([]block, len(prefixes))
	for i, p := range prefixes {
		blocks[i] = block{netip.MustParsePrefix(p), reason}
	}
	return blocks
}

func join(lists ...[]block) (all []block) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// blocks4 are the ranges of the IANA registry of special-purpose IPv4 addresses, preceded by metadata services outside
// of them.
var blocks4 = join(
	list("a cloud metadata address", "169.254.169.254/32", "169.254.170.2/32", "100.100.100.200/32", "192.0.0.192/32", "168.63.129.16/32"),
	list("a loopback address", "127.0.0.0/8"),
	list("a private address", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"),
	list("a link-local address", "169.254.0.0/16"),
	list("a carrier-grade NAT address", "100.64.0.0/10"),
	list("a multicast address", "224.0.0.0/4"),
	list("a reserved address", "0.0.0.0/8", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "240.0.0.0/4"),
)

// blocks6 are those of IPv6. A form that contains an IPv4 address is refused as such: the IPv4 address must be given
// itself, and is then checked.
var blocks6 = join(
	list("a loopback address", "::1/128"),
	list("the unspecified address", "::/128"),
	list("an IPv4-mapped address", "::ffff:0:0/96"),
	list("an IPv4-compatible address", "::/96"),
	list("a NAT64 address", "64:ff9b::/96", "64:ff9b:1::/48"),
	list("a cloud metadata address", "fd00:ec2::254/128", "fd20:ce::254/128"),
	list("a unique local address", "fc00::/7"),
	list("a link-local address", "fe80::/10"),
	list("a site-local address", "fec0::/10"),
	list("a multicast address", "ff00::/8"),
	list("a tunnel address", "2001::/32", "2002::/16"),
	list("a reserved address", "100::/64", "2001:2::/48", "2001:10::/28", "2001:20::/28", "2001:db8::/32", "3fff::/20", "5f00::/16"),
)

var global6 = netip.MustParsePrefix("2000::/3") // all addresses that are assigned

// Reason says why an address is refused: "a private address". It is "" for a public one.
func Reason(addr netip.Addr) string {
	if !addr.IsValid() {
		return "no address"
	}
	if addr.Zone() != "" {
		return "an address of one machine's interface"
	}
	blocks := blocks6
	if addr.Is4() {
		blocks = blocks4
	}
	for _, b := range blocks {
		if b.prefix.Contains(addr) {
			return b.reason
		}
	}
	if addr.Is6() && !global6.Contains(addr) {
		return "a reserved address"
	}
	return ""
}
