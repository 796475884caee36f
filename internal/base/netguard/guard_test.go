package netguard_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"entrepot/internal/base/netguard"
)

// resolver answers from a table and counts.
type resolver map[string][]string

func (r resolver) lookup(_ context.Context, host string) ([]netip.Addr, error) {
	var addrs []netip.Addr
	for _, a := range r[host] {
		addrs = append(addrs, netip.MustParseAddr(a))
	}
	if addrs == nil {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return addrs, nil
}

func allowed(t *testing.T, text string) netguard.Allowed {
	t.Helper()
	a, err := netguard.ParseAllowed(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestReason(t *testing.T) {
	refused := map[string]string{
		"127.0.0.1": "loopback", "127.255.255.254": "loopback", "::1": "loopback",
		"10.0.0.1": "private", "172.16.0.1": "private", "172.31.255.255": "private", "192.168.1.1": "private",
		"169.254.1.1": "link-local", "fe80::1": "link-local", "fe80::1%eth0": "interface", "febf::1": "link-local", "fec0::1": "site-local",
		"169.254.169.254": "metadata", "169.254.170.2": "metadata", "100.100.100.200": "metadata", "192.0.0.192": "metadata",
		"168.63.129.16": "metadata", "fd00:ec2::254": "metadata", "fd20:ce::254": "metadata",
		"100.64.0.1": "carrier-grade", "100.127.255.255": "carrier-grade",
		"fc00::1": "unique local", "fdff::1": "unique local",
		"224.0.0.1": "multicast", "239.255.255.255": "multicast", "ff02::1": "multicast",
		"0.0.0.0": "reserved", "0.1.2.3": "reserved", "255.255.255.255": "reserved", "240.0.0.1": "reserved", "192.0.2.1": "reserved",
		"198.18.0.1": "reserved", "198.19.255.255": "reserved", "203.0.113.9": "reserved", "192.88.99.1": "reserved",
		"::": "unspecified", "::ffff:127.0.0.1": "mapped", "::ffff:8.8.8.8": "mapped", "::ffff:7f00:1": "mapped", "::127.0.0.1": "compatible",
		"64:ff9b::7f00:1": "NAT64", "64:ff9b::8.8.8.8": "NAT64", "64:ff9b:1::1": "NAT64",
		"2002:7f00:1::": "tunnel", "2001:0:4136:e378::1": "tunnel", "2001:db8::1": "reserved", "100::1": "reserved", "3fff::1": "reserved",
		"4000::1": "reserved", "1::1": "reserved",
	}
	for text, want := range refused {
		if got := netguard.Reason(netip.MustParseAddr(text)); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q in it", text, got, want)
		}
	}
	for _, text := range []string{"1.1.1.1", "8.8.8.8", "172.15.255.255", "172.32.0.1", "100.63.255.255", "100.128.0.1", "169.253.1.1",
		"192.169.0.1",
		"198.17.255.255", "198.20.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450::200e", "2001:4860:4860::8888"} {
		if got := netguard.Reason(netip.MustParseAddr(text)); got != "" {
			t.Errorf("%s is refused: %s", text, got)
		}
	}
	if netguard.Reason(netip.Addr{}) == "" {
		t.Error("no address passes")
	}
}

func TestURL(t *testing.T) {
	strict, dev := &netguard.Guard{}, &netguard.Guard{Dev: true}
	tests := []struct {
		url         string
		strict, dev bool // passes
	}{
		{"https://shop.example/hooks?a=b#c", true, true},
		{"https://shop.example:8443/", true, true},
		{"https://shop.example./", true, true},
		{"HTTPS://SHOP.example/", true, true},
		{"https://1.1.1.1/", true, true},
		{"https://[2606:4700::1111]/", true, true},
		{"http://shop.example/", false, true},
		{"http://127.0.0.1:9090/hook", false, true},
		{"https://127.0.0.1/", false, true},
		{"https://127.0.0.1./", false, true},
		{"https://[::1]/", false, true},
		{"http://localhost:9090/", false, true},
		{"https://localhost/", false, true},
		{"https://LOCALHOST./", false, true},
		{"https://a.localhost/", false, true},
		{"https://metadata.google.internal/computeMetadata/v1/", false, false},
		{"https://Metadata.Google.Internal./", false, false},
		{"https://10.1.2.3/", false, false},
		{"https://192.168.0.1/", false, false},
		{"https://169.254.169.254/latest/meta-data", false, false},
		{"https://100.64.0.1/", false, false},
		{"https://0.0.0.0/", false, false},
		{"https://0/", false, false},
		{"https://2130706433/", false, false},
		{"https://0x7f000001/", false, false},
		{"https://0x7f.1/", false, false},
		{"https://0x/", false, false},
		{"https://127.1/", false, false},
		{"https://0177.0.0.1/", false, false},
		{"https://017700000001/", false, false},
		{"https://127.0.0.1.0/", false, false},
		{"https://256.1.1.1/", false, false},
		{"https://[::ffff:127.0.0.1]/", false, false},
		{"https://[::ffff:7f00:1]/", false, false},
		{"https://[0:0:0:0:0:ffff:127.0.0.1]/", false, false},
		{"https://[::ffff:8.8.8.8]/", false, false},
		{"https://[::127.0.0.1]/", false, false},
		{"https://[64:ff9b::7f00:1]/", false, false},
		{"https://[fd00::1]/", false, false},
		{"https://[fe80::1]/", false, false},
		{"https://[fe80::1%25eth0]/", false, false},
		{"https://[::1%25lo]/", false, false},
		{"https://[ff02::1]/", false, false},
		{"https://[::]/", false, false},
		{"https://[2002:7f00:1::]/", false, false},
		{"https://①②⑦.⓪.⓪.①/", false, false},
		{"https://bücher.example/", false, false},
		{"https://user@shop.example/", false, false},
		{"https://user:pass@shop.example/", false, false},
		{"https://shop.example\\@127.0.0.1/", false, false},
		{"https://shop.example:0/", false, false},
		{"https://shop.example:99999/", false, false},
		{"https://shop.example:/", false, false},
		{"https:///path", false, false},
		{"https://", false, false},
		{"https:shop.example", false, false},
		{"//shop.example/", false, false},
		{"shop.example", false, false},
		{"", false, false},
		{"ftp://shop.example/", false, false},
		{"file:///etc/passwd", false, false},
		{"gopher://shop.example/", false, false},
		{"https://shop.example/a b", false, false},
		{"https://shop.example/\n", false, false},
		{"https://shop.example/" + strings.Repeat("a", 2048), false, false},
	}
	for _, test := range tests {
		for _, c := range []struct {
			guard *netguard.Guard
			want  bool
		}{{strict, test.strict}, {dev, test.dev}} {
			_, err := c.guard.URL(test.url)
			if (err == nil) != c.want || err != nil && !netguard.IsRefused(err) {
				t.Errorf("dev=%v %q: %v", c.guard.Dev, test.url, err)
			}
		}
	}
}

func TestResolveRefusesMixedAnswers(t *testing.T) {
	g := &netguard.Guard{Lookup: resolver{
		"good.example": {"1.1.1.1", "2606:4700::1111"}, "bad.example": {"10.0.0.1"}, "mixed.example": {"1.1.1.1", "127.0.0.1"},
		"mapped.example": {"::ffff:127.0.0.1"}, "mapped-public.example": {"::ffff:1.1.1.1"}, "empty.example": {},
	}.lookup}
	for host, passes := range map[string]bool{"good.example": true, "GOOD.example.": true, "mapped-public.example": true,
		"bad.example": false, "mixed.example": false, "mapped.example": false} {
		addrs, err := g.Resolve(t.Context(), host)
		if (err == nil) != passes || err != nil && !netguard.IsRefused(err) {
			t.Errorf("%s: %v", host, err)
		}
		for _, a := range addrs {
			if a.Is4In6() {
				t.Errorf("%s gives %s", host, a)
			}
		}
	}
	for _, host := range []string{"gone.example", "empty.example"} {
		if _, err := g.Resolve(t.Context(), host); err == nil || netguard.IsRefused(err) {
			t.Errorf("%s: %v", host, err)
		}
		if err := g.Vet(t.Context(), "https://"+host+"/"); err != nil {
			t.Errorf("a name that does not resolve now is refused for ever: %v", err)
		}
	}
	if err := g.Vet(t.Context(), "https://bad.example/"); !netguard.IsRefused(err) {
		t.Errorf("bad.example: %v", err)
	}
}

func TestAllowed(t *testing.T) {
	g := &netguard.Guard{Allow: allowed(t, "erp.internal, *.corp.example 10.2.0.0/16,[fd00::7],127.0.0.9"), Lookup: resolver{
		"erp.internal": {"192.168.1.1"}, "a.corp.example": {"10.0.0.1"}, "corp.example": {"10.0.0.1"}, "x.example": {"10.2.3.4"},
		"y.example": {"10.3.3.4"},
	}.lookup}
	for url, passes := range map[string]bool{"https://erp.internal/": true, "https://ERP.internal./": true, "https://a.corp.example/": true,
		"https://corp.example/": false, "https://x.example/": true, "https://y.example/": false, "https://10.2.9.9/": true,
		"https://10.3.0.1/":  false,
		"https://[fd00::7]/": true, "https://[fd00::8]/": false, "https://127.0.0.9/": true, "https://127.0.0.1/": false,
		"http://erp.internal/": false} {
		if err := g.Vet(t.Context(), url); (err == nil) != passes {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, bad := range []string{"10.0.0.0/33", "https://erp.internal", "*", "*.", "a.*.b", "erp.internal:443", "0x7f.1"} {
		if _, err := netguard.ParseAllowed(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// The address that was checked is the one that is dialled, whatever the name says a moment later.
func TestDialsTheCheckedAddress(t *testing.T) {
	var dialled []string
	answers := [][]string{{"1.1.1.1"}, {"127.0.0.1"}}
	g := &netguard.Guard{
		Lookup: func(context.Context, string) ([]netip.Addr, error) {
			answer := answers[0]
			answers = answers[1:]
			return []netip.Addr{netip.MustParseAddr(answer[0])}, nil
		},
		Dial: func(_ context.Context, _, address string) (net.Conn, error) {
			dialled = append(dialled, address)
			return nil, errors.New("far away")
		},
	}
	if _, err := g.DialContext(t.Context(), "tcp", "rebind.example:443"); err == nil || netguard.IsRefused(err) {
		t.Errorf("first: %v", err)
	}
	if _, err := g.DialContext(t.Context(), "tcp", "rebind.example:443"); !netguard.IsRefused(err) {
		t.Errorf("second: %v", err)
	}
	if !slices.Equal(dialled, []string{"1.1.1.1:443"}) {
		t.Errorf("dialled %v", dialled)
	}
}

func TestTransportTriesEveryAddress(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) }))
	defer server.Close()
	g := &netguard.Guard{Dev: true, Lookup: resolver{"shop.test": {"127.0.0.2", "127.0.0.1"}}.lookup}
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	transport := g.Transport(1)
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Get("http://shop.test:" + port + "/")
	if err != nil || resp.StatusCode != 204 {
		t.Fatal(resp, err)
	}
	if _, err := (&http.Client{Transport: (&netguard.Guard{}).Transport(1)}).Get(server.URL); !netguard.IsRefused(err) {
		t.Fatalf("loopback: %v", err)
	}
}

func FuzzURL(f *testing.F) {
	for _, s := range []string{"https://shop.example/", "https://[::ffff:1.2.3.4]/", "https://0x7f.1/", "https://a@b/", "http://localhost:1"} {
		f.Add(s)
	}
	g := &netguard.Guard{}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := g.URL(text)
		if err != nil {
			return
		}
		if addr, err := netip.ParseAddr(strings.TrimSuffix(u.Hostname(), ".")); err == nil && netguard.Reason(addr) != "" {
			t.Fatalf("%q passes with %s", text, addr)
		}
		if u.Scheme != "https" || u.User != nil || u.Hostname() == "" {
			t.Fatalf("%q passes", text)
		}
	})
}

// A host that was checked for a request is not resolved again for its connection, however a second answer would look; another host is.
func TestCheckedForOneRequest(t *testing.T) {
	looked := []string{}
	g := &netguard.Guard{
		Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			looked = append(looked, host)
			return []netip.Addr{netip.MustParseAddr(fmt.Sprint("1.1.1.", len(looked)))}, nil
		},
		Dial: func(_ context.Context, _, address string) (net.Conn, error) { return nil, errors.New(address) },
	}
	ctx, _, err := g.Checked(t.Context(), "shop.example")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1.1.1.1:443", "1.1.1.1:443"} {
		if _, err := g.DialContext(ctx, "tcp", "shop.example:443"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := g.DialContext(ctx, "tcp", "other.example:443"); err == nil || !strings.Contains(err.Error(), "1.1.1.2:443") {
		t.Errorf("another host: %v", err)
	}
	if want := []string{"shop.example", "other.example"}; !slices.Equal(looked, want) {
		t.Errorf("looked up %v, want %v", looked, want)
	}
	g.Lookup = resolver{"shop.example": {"10.0.0.1"}}.lookup
	if _, _, err := g.Checked(t.Context(), "shop.example"); !netguard.IsRefused(err) {
		t.Errorf("a private address: %v", err)
	}
}

// pipe is one end of a connection that counts whether it was closed.
type pipe struct {
	net.Conn
	closed chan struct{}
}

func (p *pipe) Close() error {
	close(p.closed)
	return p.Conn.Close()
}

// A host is reached although its first addresses refuse or let packets disappear, and connections that come too late are closed.
func TestDialsPastDeadAddresses(t *testing.T) {
	late := &pipe{closed: make(chan struct{})}
	late.Conn, _ = net.Pipe()
	release := make(chan struct{})
	g := &netguard.Guard{
		Lookup: resolver{"shop.example": {"2606:4700::1", "1.1.1.1", "1.1.1.2", "1.1.1.3"}}.lookup,
		Dial: func(ctx context.Context, _, address string) (net.Conn, error) {
			switch address {
			case "[2606:4700::1]:443": // answers when nobody waits for it any more
				<-release
				return late, nil
			case "1.1.1.1:443": // lets packets disappear
				<-ctx.Done()
				return nil, ctx.Err()
			case "1.1.1.2:443":
				return nil, errors.New("refused")
			}
			conn, _ := net.Pipe()
			return conn, nil
		},
	}
	conn, err := g.DialContext(t.Context(), "tcp", "shop.example:443")
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	close(release)
	<-late.closed
}

// If no address can be reached, the error has what each of them said, and the time of the request still ends the dial.
func TestDialsNoAddress(t *testing.T) {
	g := &netguard.Guard{
		Lookup: resolver{"shop.example": {"1.1.1.1", "1.1.1.2"}}.lookup,
		Dial: func(ctx context.Context, _, address string) (net.Conn, error) {
			if address == "1.1.1.1:443" {
				return nil, errors.New("refused")
			}
			<-ctx.Done()
			return nil, ctx.Err()
		},
	}
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	if _, err := g.DialContext(ctx, "tcp", "shop.example:443"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// An answer that hands the connection over to another protocol has no body: a read of the connection would end with no context.
func TestSwitchedProtocols(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\nhello")
	}))
	defer server.Close()
	client := http.Client{Transport: (&netguard.Guard{Dev: true}).Transport(1)}
	defer client.CloseIdleConnections()
	answer, err := client.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, err := io.ReadAll(answer.Body); err != nil || len(body) > 0 || answer.StatusCode != http.StatusSwitchingProtocols {
		t.Errorf("%d %q %v", answer.StatusCode, body, err)
	}
}
