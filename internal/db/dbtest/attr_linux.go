package dbtest

import "syscall"

// dieWithParent ends the server when the test process ends, however it does.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT} }
