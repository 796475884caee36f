package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// ColdStartOptions say what to start and how often.
type ColdStartOptions struct {
	Binary   string        // the program
	Args     []string      // its arguments; {addr} and {data} stand for the address and the data folder
	Env      []string      // added to this process's environment
	Runs     int           // starts on an empty folder, and as many on a filled one; 1 to 1,000
	Idle     time.Duration // rest before the memory is read
	Patience time.Duration // for the first answer and for the end, each
	Folder   string        // where data folders are made and removed; empty: the system's temporary folder
	Progress io.Writer
}

// ColdStarts is what was found.
type ColdStarts struct {
	Machine     Machine   `json:"machine"`
	Binary      string    `json:"binary"`
	BinaryBytes int64     `json:"binaryBytes"`
	Empty       StartTime `json:"emptyFolder"`    // the store is made first
	Existing    StartTime `json:"existingFolder"` // the store is there
	IdleRSS     int64     `json:"idleRssBytes"`   // the median over the starts on an existing store
}

// StartTime is in milliseconds: from starting the process to the first 200 on
// /healthz, and from the signal to its end.
type StartTime struct {
	Runs  int     `json:"runs"`
	Ready Latency `json:"readyMs"`
	Stop  Latency `json:"stopMs"`
}

// ColdStart starts the program again and again, each time on a free loopback
// port, and weighs it. Every process it starts is ended before it returns.
func ColdStart(ctx context.Context, o ColdStartOptions) (*ColdStarts, error) {
	if o.Runs < 1 || o.Runs > 1_000 {
		return nil, fmt.Errorf("--runs %d: must lie between 1 and 1000", o.Runs)
	}
	info, err := os.Stat(o.Binary)
	if err != nil {
		return nil, fmt.Errorf("--binary: %w", err)
	}
	out := &ColdStarts{Machine: thisMachine(o.Folder), Binary: filepath.Base(o.Binary), BinaryBytes: info.Size()}
	root, err := os.MkdirTemp(o.Folder, "entrepot-cold-start-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(root)
	var ready, stop [2]Histogram // empty store, existing store
	var memory []int64
	for run := range o.Runs {
		folder := filepath.Join(root, fmt.Sprint(run))
		for store := range 2 { // the second start finds what the first one made
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			s, err := o.start(ctx, folder)
			if err != nil {
				return nil, err
			}
			ready[store].Add(s.ready)
			stop[store].Add(s.stop)
			if store == 1 {
				memory = append(memory, s.rss)
			}
		}
		if o.Progress != nil {
			fmt.Fprintf(o.Progress, "cold start %d of %d\n", run+1, o.Runs)
		}
		os.RemoveAll(folder)
	}
	out.Empty = StartTime{o.Runs, latencyOf(&ready[0]), latencyOf(&stop[0])}
	out.Existing = StartTime{o.Runs, latencyOf(&ready[1]), latencyOf(&stop[1])}
	slices.Sort(memory)
	out.IdleRSS = memory[len(memory)/2]
	return out, nil
}

// oneStart is one life of the program.
type oneStart struct {
	ready, stop time.Duration
	rss         int64
}

func (o *ColdStartOptions) start(ctx context.Context, folder string) (s oneStart, err error) {
	address, err := freeAddress()
	if err != nil {
		return s, err
	}
	args := make([]string, len(o.Args))
	for i, arg := range o.Args {
		args[i] = strings.NewReplacer("{addr}", address, "{data}", folder).Replace(arg)
	}
	var said strings.Builder
	process := exec.CommandContext(ctx, o.Binary, args...)
	process.Env = append(os.Environ(), o.Env...)
	process.Stdout, process.Stderr = &said, &said
	began := time.Now()
	if err := process.Start(); err != nil {
		return s, err
	}
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()
	fail := func(what string) error {
		_ = process.Process.Kill()
		<-ended
		return fmt.Errorf("%s %s: %s; it said: %s", filepath.Base(o.Binary), strings.Join(args, " "), what, strings.TrimSpace(said.String()))
	}
	t := &target{address: address, host: address}
	for !healthy(t) {
		select {
		case err := <-ended:
			ended <- err
			return s, fail(fmt.Sprintf("ended before it answered (%v)", err))
		case <-time.After(500 * time.Microsecond):
		}
		if time.Since(began) > o.Patience {
			return s, fail("no 200 on /healthz in " + o.Patience.String())
		}
	}
	s.ready = time.Since(began)
	time.Sleep(o.Idle)
	s.rss = processMemory(process.Process.Pid, "VmRSS")
	began = time.Now()
	if err := process.Process.Signal(syscall.SIGTERM); err != nil {
		return s, fail("could not be asked to stop: " + err.Error())
	}
	select {
	case err := <-ended:
		s.stop = time.Since(began)
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			ended <- err
			return s, fail("did not stop cleanly: " + err.Error())
		}
		return s, nil
	case <-time.After(o.Patience):
		return s, fail("did not stop in " + o.Patience.String())
	}
}

// healthy asks /healthz once.
func healthy(t *target) bool {
	c := newConn(t, time.Now().Add(2*time.Second))
	defer c.close()
	a, err := c.exchange(t.head("GET", "/healthz", ""), nil, false)
	return err == nil && a.status == 200
}

// freeAddress is a loopback address that nobody listened on a moment ago.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// WriteTable prints the findings for reading.
func (c *ColdStarts) WriteTable(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: %.1f MB on disk, %.1f MB of memory at rest\n"+
		"first start, empty folder:  ready after %.0f ms (p50), %.0f ms (max); stops in %.0f ms; %d runs\n"+
		"later start, existing store: ready after %.0f ms (p50), %.0f ms (max); stops in %.0f ms; %d runs\n",
		c.Binary, float64(c.BinaryBytes)/1e6, float64(c.IdleRSS)/1e6,
		c.Empty.Ready.P50, c.Empty.Ready.Max, c.Empty.Stop.P50, c.Empty.Runs,
		c.Existing.Ready.P50, c.Existing.Ready.Max, c.Existing.Stop.P50, c.Existing.Runs)
	return err
}
