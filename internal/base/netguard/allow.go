package netguard

import (
	"fmt"
	"net/netip"
	"strings"
)

// Allowed is the operator's list of hosts that may be called although they would be refused.
type Allowed struct {
	hosts    map[string]bool // names and addresses
	suffixes []string        // ".corp.example" of *.corp.example
	prefixes []netip.Prefix
}

// ParseAllowed parses hosts separated by commas or spaces: a name, *.name for every name below it, an address, or a
// range like 10.2.0.0/16, which applies to the addresses of any name.
func ParseAllowed(text string) (Allowed, error) {
	a := Allowed{hosts: map[string]bool{}}
	for _, entry := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' }) {
		entry = strings.ToLower(strings.TrimSuffix(entry, "."))
		switch prefix, err := netip.ParsePrefix(entry); {
		case err == nil:
			a.prefixes = append(a.prefixes, prefix.Masked())
			continue
		case strings.Contains(entry, "/"):
			return a, fmt.Errorf("allowed host %q: no valid range of addresses", entry)
		}
		if suffix, ok := strings.CutPrefix(entry, "*."); ok && suffix != "" && !strings.Contains(suffix, "*") {
			a.suffixes = append(a.suffixes, "."+suffix)
			continue
		}
		host, err := plainHost(strings.Trim(entry, "[]"))
		if err != nil || strings.Contains(host, "*") {
			return a, fmt.Errorf("allowed host %q: give a name, *.name, an address or a range, without scheme and port", entry)
		}
		a.hosts[host] = true
	}
	return a, nil
}

// Host reports whether a host in its plain form is listed by name.
func (a Allowed) Host(host string) bool {
	if a.hosts[host] {
		return true
	}
	for _, suffix := range a.suffixes {
		if strings.HasSuffix(host, suffix) {
			return true
		}
	}
	return false
}

// Addr reports whether an address is listed, alone or in a range.
func (a Allowed) Addr(addr netip.Addr) bool {
	if a.hosts[addr.String()] {
		return true
	}
	for _, p := range a.prefixes {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}
