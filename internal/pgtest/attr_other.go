//go:build !linux

package pgtest

import "syscall"

// dieWithParent has no meaning here: a server whose test was killed has to be ended by hand.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }
