package netguard_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"entrepot/internal/base/netguard"
)

func TestClient(t *testing.T) {
	const trusted = "10.0.0.7, 10.1.0.0/16 fd00::/8"
	for _, c := range []struct {
		name, proxies, peer string
		header              []string
		want                string
	}{
		{"no proxies, no header", "", "198.51.100.4:5000", nil, "198.51.100.4"},
		{"no proxies, forged header", "", "198.51.100.4:5000", []string{"203.0.113.9"}, "198.51.100.4"},
		{"no proxies, IPv6", "", "[2001:db8::4]:5000", nil, "2001:db8::4"},
		{"no proxies, a zone", "", "[fe80::4%eth0]:5000", nil, "fe80::4%eth0"},
		{"IPv4 as IPv6", "", "[::ffff:198.51.100.4]:5000", nil, "198.51.100.4"},
		{"a peer that is no address", trusted, "pipe", []string{"203.0.113.9"}, "pipe"},
		{"no peer", trusted, "", []string{"203.0.113.9"}, ""},

		{"peer not trusted", trusted, "198.51.100.4:5000", []string{"203.0.113.9"}, "198.51.100.4"},
		{"peer not trusted, names a proxy", trusted, "198.51.100.4:5000", []string{"10.0.0.7"}, "198.51.100.4"},
		{"neighbour of the trusted address", trusted, "10.0.0.8:5000", []string{"203.0.113.9"}, "10.0.0.8"},
		{"neighbour of the trusted range", trusted, "10.2.0.1:5000", []string{"203.0.113.9"}, "10.2.0.1"},

		{"trusted address", trusted, "10.0.0.7:5000", []string{"203.0.113.9"}, "203.0.113.9"},
		{"trusted range", trusted, "10.1.200.3:5000", []string{"203.0.113.9"}, "203.0.113.9"},
		{"trusted, as IPv6", trusted, "[::ffff:10.0.0.7]:5000", []string{"203.0.113.9"}, "203.0.113.9"},
		{"trusted IPv6 range", trusted, "[fd12::1]:5000", []string{"2001:db8::9"}, "2001:db8::9"},
		{"trusted with a zone", "fe80::/10", "[fe80::4%eth0]:5000", []string{"2001:db8::9"}, "2001:db8::9"},
		{"trusted, no header", trusted, "10.0.0.7:5000", nil, "10.0.0.7"},
		{"trusted, empty header", trusted, "10.0.0.7:5000", []string{""}, "10.0.0.7"},

		{"forged in front", trusted, "10.0.0.7:5000", []string{"1.1.1.1, 10.0.0.7, 203.0.113.9"}, "203.0.113.9"},
		{"forged in front, as a line of its own", trusted, "10.0.0.7:5000", []string{"1.1.1.1", "203.0.113.9"}, "203.0.113.9"},
		{"two proxies", trusted, "10.0.0.7:5000", []string{"1.1.1.1, 203.0.113.9, 10.1.0.2"}, "203.0.113.9"},
		{"two proxies, two lines", trusted, "10.0.0.7:5000", []string{"1.1.1.1,203.0.113.9", "10.1.0.2"}, "203.0.113.9"},
		{"proxies only: the first of them asks", trusted, "10.0.0.7:5000", []string{"10.1.0.3, 10.1.0.2"}, "10.1.0.3"},

		{"port", trusted, "10.0.0.7:5000", []string{"203.0.113.9:61000"}, "203.0.113.9"},
		{"IPv6 in brackets", trusted, "10.0.0.7:5000", []string{"[2001:db8::9]"}, "2001:db8::9"},
		{"IPv6 with port", trusted, "10.0.0.7:5000", []string{"[2001:DB8:0::9]:61000"}, "2001:db8::9"},
		{"IPv4 as IPv6 in the header", trusted, "10.0.0.7:5000", []string{"::ffff:203.0.113.9"}, "203.0.113.9"},
		{"spaces and tabs", trusted, "10.0.0.7:5000", []string{" 1.1.1.1 ,\t203.0.113.9 "}, "203.0.113.9"},

		{"rubbish last", trusted, "10.0.0.7:5000", []string{"203.0.113.9, unknown"}, "10.0.0.7"},
		{"rubbish behind the client", trusted, "10.0.0.7:5000", []string{"<script>, 203.0.113.9"}, "203.0.113.9"},
		{"rubbish behind a proxy", trusted, "10.0.0.7:5000", []string{"1.1.1.1, nobody, 10.1.0.2"}, "10.1.0.2"},
		{"an empty entry", trusted, "10.0.0.7:5000", []string{"203.0.113.9,"}, "10.0.0.7"},
		{"a name", trusted, "10.0.0.7:5000", []string{"localhost"}, "10.0.0.7"},
		{"numbers that are no address", trusted, "10.0.0.7:5000", []string{"256.1.1.1"}, "10.0.0.7"},
		{"leading zeros", trusted, "10.0.0.7:5000", []string{"010.0.0.8"}, "10.0.0.7"},
		{"an odd port", trusted, "10.0.0.7:5000", []string{"203.0.113.9:port"}, "10.0.0.7"},
		{"very long", trusted, "10.0.0.7:5000", []string{strings.Repeat("10.1.0.1,", 5000) + "203.0.113.9"}, "203.0.113.9"},
		{"everybody is trusted", "0.0.0.0/0,::/0", "198.51.100.4:5000", []string{"1.1.1.1, 203.0.113.9"}, "1.1.1.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			proxies, err := netguard.ParseProxies(c.proxies)
			if err != nil {
				t.Fatal(err)
			}
			r := &http.Request{RemoteAddr: c.peer, Header: http.Header{"X-Forwarded-For": c.header}}
			if got := proxies.Client(r); got != c.want {
				t.Fatalf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestParseProxies(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, " , ": 0, "10.0.0.7": 1, "10.0.0.7,::1": 2, "10.0.0.7/8 fd00::/8\tfe80::1%eth0\n": 3, "::ffff:10.0.0.7": 1,
		"proxy.example": -1, "10.0.0.7:80": -1, "10.0.0.0/33": -1, "10.0.0.7/": -1, "*": -1, "http://10.0.0.7": -1, "::ffff:10.0.0.0/104": -1,
	} {
		list, err := netguard.ParseProxies(text)
		if (err != nil) != (want < 0) || err == nil && len(list) != want {
			t.Errorf("%q: %v, %v", text, list, err)
		}
		if err != nil && !strings.Contains(err.Error(), "trusted proxy") {
			t.Errorf("%q: the fault does not say what it is about: %v", text, err)
		}
	}
}

// Whatever the header holds: without trusted proxies the connection's address counts, and with them an address comes out.
func FuzzClient(f *testing.F) {
	f.Add("10.0.0.7:5000", "1.1.1.1, 203.0.113.9:80", "[2001:db8::9]:1")
	f.Add("[fe80::1%eth0]:5000", "unknown, ,10.1.0.2", "")
	proxies, err := netguard.ParseProxies("10.0.0.0/8, ::/0")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, peer, first, second string) {
		r := &http.Request{RemoteAddr: peer, Header: http.Header{"X-Forwarded-For": {first, second}}}
		bare := &http.Request{RemoteAddr: peer}
		if got, want := (netguard.Proxies)(nil).Client(r), (netguard.Proxies)(nil).Client(bare); got != want {
			t.Fatalf("forged without a trusted proxy: %q, want %q", got, want)
		}
		got := proxies.Client(r)
		if _, err := netip.ParseAddr(got); err != nil && got != peer {
			t.Fatalf("%q is no address", got)
		}
	})
}
