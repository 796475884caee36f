package dbtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Ports of tests lie below those that systems give to sockets which ask for any: Linux from 32,768 or where its setting says, others from
// 16,000. So no client's connection and no listener of another test can come to have one while a server that uses it is about to start, or
// is started again.
const (
	firstPort = 10_000
	manyPorts = 6_000
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

// AwaitPort waits until a server may listen at an address of this machine, as one that is started again does: a program that is started
// beside it has all sockets of the process that starts it until it has become another one, and so the one that was just closed. The error
// names what has the port.
func AwaitPort(address string) error {
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		listener, err := net.Listen("tcp", address)
		if err == nil {
			return listener.Close()
		}
		if !errors.Is(err, syscall.EADDRINUSE) || time.Now().After(end) {
			return fmt.Errorf("%w%s", err, sockets(address))
		}
	}
}

// sockets lists the machine's sockets at an address's port, one a line, as Linux shows them; elsewhere none.
func sockets(address string) (found string) {
	_, port, _ := net.SplitHostPort(address)
	n, _ := strconv.Atoi(port)
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, _ := os.ReadFile(table)
		for line := range strings.Lines(string(text)) {
			if fields := strings.Fields(line); len(fields) > 1 && strings.HasSuffix(fields[1], fmt.Sprintf(":%04X", n)) {
				found += "\n" + strings.TrimSpace(line)
			}
		}
	}
	return found
}
