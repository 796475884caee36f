//go:build !linux

package dbtest

import "syscall"

// dieWithParent does nothing on this system: the server of a test that was killed has to be ended by hand.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }
