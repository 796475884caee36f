//go:build !windows

package main

import "syscall"

// onlyForMe keeps other users of this machine out of every file and folder that this process makes.
func onlyForMe() { syscall.Umask(0o077) }
