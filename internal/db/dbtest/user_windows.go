package dbtest

import (
	"os"
	"syscall"
)

// unprivileged changes nothing on Windows, where PostgreSQL drops an administrator's rights by itself.
func unprivileged(string) (*syscall.SysProcAttr, error) { return dieWithParent(), nil }

// killTree kills a process; its children end by themselves.
func killTree(pid int) {
	if process, err := os.FindProcess(pid); err == nil {
		_ = process.Kill()
	}
}
