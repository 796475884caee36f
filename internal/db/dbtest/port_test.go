package dbtest

import (
	"fmt"
	"net"
	"runtime"
	"testing"
	"time"
)

// A port is given once, nothing listens there, and a server may, again and again.
func TestFreePort(t *testing.T) {
	given := map[int]bool{}
	for range 50 {
		port, err := FreePort()
		if err != nil {
			t.Fatal(err)
		}
		if given[port] {
			t.Errorf("%d is given twice", port)
		}
		given[port] = true
		address := fmt.Sprintf("127.0.0.1:%d", port)
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			t.Errorf("somebody listens on %s", address)
		}
		for range 2 {
			l, err := net.Listen("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			l.Close()
		}
	}
}

// A server is started again at its port although another socket has it for a moment longer.
func TestAwaitPort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := taken.Addr().String()
	if has := sockets(address); runtime.GOOS == "linux" && has == "" {
		t.Error("the socket is not named")
	}
	time.AfterFunc(50*time.Millisecond, func() { taken.Close() })
	if err := AwaitPort(address); err != nil {
		t.Fatal(err)
	}
	if err := AwaitPort("192.0.2.1:80"); err == nil {
		t.Error("no error for an address of another machine")
	}
}
