package dbtest

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// Ports of tests lie below those that systems give to sockets which ask for any: no client's connection and no listener of another test
// can come to have one while a server that uses it is about to start, or is started again.
const (
	firstPort = 12_000
	manyPorts = 20_000
)

var (
	holding sync.Mutex
	held    []net.PacketConn
)

// FreePort is a port of 127.0.0.1 where nobody listens. The process holds it, for UDP, until it ends, so that no other process of tests
// chooses it meanwhile.
func FreePort() (port int, err error) {
	for range 100 {
		port = firstPort + rand.IntN(manyPorts)
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		mark, taken := net.ListenPacket("udp", address)
		if taken != nil {
			err = taken
			continue
		}
		listener, taken := net.Listen("tcp", address)
		if taken != nil {
			mark.Close()
			err = taken
			continue
		}
		holding.Lock()
		held = append(held, mark)
		holding.Unlock()
		return port, listener.Close()
	}
	return 0, errors.Join(errors.New("no port was found that is free"), err)
}
