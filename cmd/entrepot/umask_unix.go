//go:build !windows

package main

import "syscall"

// onlyForMe makes every new file and folder of this process inaccessible to other users of the machine.
func onlyForMe() { syscall.Umask(0o077) }
