package dbtest

import (
	"fmt"
	"net"
	"testing"
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
