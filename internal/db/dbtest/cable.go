package dbtest

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Cable is a proxy between the service and PostgreSQL that a test can cut.
type Cable struct {
	to    string
	mu    sync.Mutex
	cut   bool
	conns []net.Conn
}

// Connect puts a cable before a new database, and gives the address that leads through it.
func Connect(t testing.TB, cut bool) (*Cable, *url.URL) {
	t.Helper()
	address, err := url.Parse(URL(t))
	if err != nil || address.Port() == "" {
		t.Fatalf("%v: PostgreSQL listens on no port in %s", err, address)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	link := &Cable{to: address.Host, cut: cut}
	go link.serve(listener)
	address.Host = listener.Addr().String()
	return link, address
}

func (c *Cable) serve(listener net.Listener) {
	for {
		from, err := listener.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", c.to)
		c.mu.Lock()
		if err != nil || c.cut {
			from.Close()
			if err == nil {
				to.Close()
			}
			c.mu.Unlock()
			continue
		}
		c.conns = append(c.conns, from, to)
		c.mu.Unlock()
		go func() { _, _ = io.Copy(to, from); to.Close() }()
		go func() { _, _ = io.Copy(from, to); from.Close() }()
	}
}

// Cut ends all connections and takes no new ones, or takes them again.
func (c *Cable) Cut(cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut = cut; cut {
		for _, conn := range c.conns {
			conn.Close()
		}
		c.conns = nil
	}
}
