package netguard

import (
	"context"
	"errors"
	"net"
	"os"
)

// unreached is a failure to resolve or to connect, described without addresses of this process's network.
type unreached struct {
	text string
	err  error
}

func (u *unreached) Error() string { return u.text }
func (u *unreached) Unwrap() error { return u.err }

// Plain describes an error of a connection to the caller who gave the URL: without the addresses of either end, of a
// resolver, or of anything between. Other errors keep their text.
func Plain(err error) string {
	var known *unreached
	var lookup *net.DNSError
	var operation *net.OpError
	var call *os.SyscallError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &known):
		return known.text
	case errors.As(err, &lookup) && lookup.IsNotFound:
		return "no such host"
	case errors.As(err, &lookup) && lookup.IsTimeout:
		return "timed out"
	case errors.As(err, &lookup):
		return "the name could not be resolved just now"
	case !errors.As(err, &operation):
		return err.Error()
	case operation.Timeout() || errors.Is(err, context.DeadlineExceeded):
		return operation.Op + ": timed out"
	case errors.As(err, &call):
		return operation.Op + ": " + call.Err.Error()
	case operation.Err != nil:
		return operation.Op + ": " + operation.Err.Error()
	}
	return operation.Op + ": failed"
}
