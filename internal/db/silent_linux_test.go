package db_test

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"entrepot/internal/db"
	"entrepot/internal/db/dbtest"
)

// host is a proxy before a PostgreSQL server that can fall silent, as a machine does whose network fails: nothing that
// is sent to it is acknowledged, refused or answered any more.
type host struct {
	t      *testing.T
	server string
	listen *net.TCPListener
	mu     sync.Mutex
	conns  []*net.TCPConn
	silent bool
}

func newHost(t *testing.T, server string) *host {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := &host{t: t, server: server, listen: listener.(*net.TCPListener)}
	t.Cleanup(func() { listener.Close() })
	go h.serve()
	return h
}

func (h *host) serve() {
	for {
		from, err := h.listen.AcceptTCP()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", h.server)
		if err != nil {
			from.Close()
			continue
		}
		h.mu.Lock()
		h.conns = append(h.conns, from)
		silent := h.silent
		h.mu.Unlock()
		if silent { // a connection that is new then is taken, and nothing said on it
			continue
		}
		go func() { _, _ = io.Copy(to, from); to.Close() }()
		go func() { _, _ = io.Copy(from, to) }()
	}
}

// fallSilent lets the system drop every packet for the host's connections before it is looked at.
func (h *host) fallSilent() {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.silent = true
	drop := []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K}}
	for _, conn := range h.conns {
		raw, err := conn.SyscallConn()
		if err == nil {
			err = raw.Control(func(fd uintptr) {
				if err := unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER,
					&unix.SockFprog{Len: uint16(len(drop)), Filter: &drop[0]}); err != nil {
					h.t.Errorf("the system drops no packets: %v", err)
				}
			})
		}
		if err != nil {
			h.t.Error(err)
		}
	}
}

// end closes every connection, so that nothing waits for the host any more.
func (h *host) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, conn := range h.conns {
		conn.Close()
	}
}

// A host whose machine has failed neither answers nor refuses: what waits for it is given up within seconds, and the other host of the
// address serves, through connections that are there and through new ones. The system itself would wait for a quarter of an hour.
func TestSilentHost(t *testing.T) {
	dbtest.Long(t, "a connection is given up after seconds")
	address, err := url.Parse(dbtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	first := newHost(t, address.Host)
	address.Host = first.listen.Addr().String() + "," + address.Host
	store, err := db.Open(t.Context(), db.Config{URL: address.String(), Pool: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	defer first.end()
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	clock(t, store, 1)
	var open sync.WaitGroup
	for range 4 { // four connections, all to the first host
		open.Go(func() {
			_ = store.Peek(t.Context(), 1, func(tx *db.Tx) error { return tx.Row("SELECT 1 FROM (SELECT pg_sleep(0.3)) AS s", nil, new(int64)) })
		})
	}
	open.Wait()
	begun := make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) }) // the read may run twice
	waiting := make(chan error)
	go func() {
		waiting <- store.Peek(t.Context(), 1, func(tx *db.Tx) error {
			if err := tx.Row("SELECT 1", nil, new(int64)); err != nil {
				return err
			}
			begin()
			return tx.Row("SELECT 1 FROM (SELECT pg_sleep(1)) AS s", nil, new(int64))
		})
	}()
	<-begun
	first.fallSilent()
	silent := time.Now()
	for {
		err := store.Write(t.Context(), 1, raise)
		if err == nil {
			break
		}
		shownAs(t, "while the host is silent", err, "unavailable")
		if time.Since(silent) > dbtest.Timeout {
			t.Fatalf("nothing was stored within %s", time.Since(silent))
		}
	}
	t.Logf("stored again after %s", time.Since(silent).Round(time.Millisecond))
	select {
	case <-waiting:
		t.Logf("the read that was under way ended after %s", time.Since(silent).Round(time.Millisecond))
	case <-time.After(dbtest.Timeout):
		t.Error("a read still waits for the silent host")
	}
}
