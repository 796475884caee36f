package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Launch says how to start a service on this machine.
type Launch struct {
	Binary   string        // the program
	Args     []string      // its arguments; {addr} and {data} stand for the address and the data folder
	Env      []string      // added to this process's environment, of which ENTREPOT_ variables are left out
	Data     string        // the data folder
	Probe    string        // the path that answers 200 when it is ready, such as /readyz
	Patience time.Duration // for the first answer and for the end, each
}

// Process is a service that was started here.
type Process struct {
	URL   string
	PID   int
	Ready time.Duration // from its start to the first 200

	launch  Launch
	process *exec.Cmd
	said    *words
	ended   chan struct{} // closed when the process has ended
	end     error         // its error, if any
}

// Start starts the program on a free loopback port and waits until it answers. The process ends with Stop, or with ctx.
func (l Launch) Start(ctx context.Context) (*Process, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	args := make([]string, len(l.Args))
	for i, arg := range l.Args {
		args[i] = strings.NewReplacer("{addr}", address, "{data}", l.Data).Replace(arg)
	}
	p := &Process{URL: "http://" + address, launch: l, process: exec.CommandContext(ctx, l.Binary, args...), said: &words{},
		ended: make(chan struct{})}
	p.process.Env = append(Environment(), l.Env...)
	p.process.Stdout, p.process.Stderr = p.said, p.said
	p.process.Cancel = func() error { return p.process.Process.Signal(syscall.SIGTERM) } // when ctx ends
	p.process.WaitDelay = l.Patience
	began := time.Now()
	if err := p.process.Start(); err != nil {
		return nil, err
	}
	p.PID = p.process.Process.Pid
	go func() { p.end = p.process.Wait(); close(p.ended) }()
	t := &target{nodes: []string{address}, host: address}
	for !answers(t, l.Probe) {
		select {
		case <-p.ended:
			return nil, p.failed(fmt.Sprintf("ended before it answered (%v)", p.end))
		case <-time.After(500 * time.Microsecond):
		}
		if time.Since(began) > l.Patience {
			return nil, p.failed("no 200 on " + l.Probe + " in " + l.Patience.String())
		}
	}
	p.Ready = time.Since(began)
	return p, nil
}

// Stop asks the process to end and returns how long that took.
func (p *Process) Stop() (time.Duration, error) {
	began := time.Now()
	if err := p.process.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return 0, p.failed("could not be asked to stop: " + err.Error())
	}
	select {
	case <-p.ended:
	case <-time.After(p.launch.Patience):
		return 0, p.failed("did not stop in " + p.launch.Patience.String())
	}
	if p.end != nil && !errors.Is(p.end, context.Canceled) {
		return 0, p.failed("did not stop cleanly: " + p.end.Error())
	}
	return time.Since(began), nil
}

// failed ends the process and returns an error with its last output.
func (p *Process) failed(what string) error {
	_ = p.process.Process.Kill()
	<-p.ended
	return fmt.Errorf("%s %s: %s; it said: %s", filepath.Base(p.launch.Binary), strings.Join(p.process.Args[1:], " "), what, p.said)
}

// Environment is this process's environment without the variables that configure a service: a measured one must not
// use another store because of them.
func Environment() (kept []string) {
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "ENTREPOT_") {
			kept = append(kept, pair)
		}
	}
	return kept
}

// answers requests a path once and reports whether the answer is 200.
func answers(t *target, path string) bool {
	c := newConn(t, time.Now().Add(2*time.Second))
	defer c.close()
	a, err := c.exchange(t.head("GET", path, ""), nil, false)
	return err == nil && a.status == 200
}

// words keeps the end of a process's output.
type words struct {
	mu   sync.Mutex
	text []byte
}

const maxWords = 16 << 10

func (w *words) Write(piece []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, piece...)
	if over := len(w.text) - maxWords; over > 0 {
		w.text = append(w.text[:0], w.text[over:]...)
	}
	return len(piece), nil
}

func (w *words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.TrimSpace(string(w.text))
}
