package postgres

import (
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// boundSilence makes the system drop a connection when sent data stays unacknowledged for silenceTimeout. Probes of an
// idle connection (keep-alive) count as data.
func boundSilence(network, _ string, raw syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var failed error
	err := raw.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(silenceTimeout.Milliseconds()))
	})
	if err == nil {
		err = failed
	}
	return err
}
