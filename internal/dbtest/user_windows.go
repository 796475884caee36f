package dbtest

import "syscall"

// unprivileged changes nothing on Windows, where PostgreSQL gives up an administrator's rights by itself.
func unprivileged(string) (*syscall.SysProcAttr, error) { return dieWithParent(), nil }
