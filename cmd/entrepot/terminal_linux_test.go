package main

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A service on a terminal ends in order when the terminal is closed, instead of reloading.
func TestEndedByItsTerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	number, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	end, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	service := asProcess(t, "serve", "--addr", "127.0.0.1:0", "--data", t.TempDir())
	service.Stdin, service.Stdout, service.Stderr = end, end, end
	service.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	defer service.Process.Kill()
	end.Close()
	var said strings.Builder
	for lines := bufio.NewScanner(io.TeeReader(terminal, &said)); !strings.Contains(said.String(), " ready "); {
		if !lines.Scan() {
			t.Fatalf("ended before it was ready: %s", said.String())
		}
	}
	if err := terminal.Close(); err != nil { // the kernel sends SIGHUP
		t.Fatal(err)
	}
	if err := service.Wait(); err != nil {
		t.Errorf("%v\n%s", err, said.String())
	}
}
