package bench

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// ColdStartOptions say which program to start and how often.
type ColdStartOptions struct {
	Binary   string        // the program
	Args     []string      // its arguments; {addr} and {data} stand for the address and the data folder
	Env      []string      // added to this process's environment, of which ENTREPOT_ variables are left out
	Runs     int           // starts on an empty folder, and as many on a filled one; 1 to 1,000
	Idle     time.Duration // rest before the memory is read
	Patience time.Duration // for the first answer and for the end, each
	Folder   string        // where data folders are made and removed; empty: the system's temporary folder
	Progress io.Writer
}

// ColdStarts is the result.
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

// ColdStart starts the program repeatedly, each time on a free loopback port, and measures start, end and memory.
// Every process that it starts has ended when it returns.
func ColdStart(ctx context.Context, o ColdStartOptions) (*ColdStarts, error) {
	if o.Runs < 1 || o.Runs > 1_000 {
		return nil, &CallError{fmt.Errorf("--runs %d: must lie between 1 and 1000", o.Runs)}
	}
	info, err := os.Stat(o.Binary)
	if err != nil {
		return nil, &CallError{fmt.Errorf("--binary: %w", err)}
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
		for store := range 2 { // the second start uses the store of the first
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

// oneStart is the result of one start.
type oneStart struct {
	ready, stop time.Duration
	rss         int64
}

func (o *ColdStartOptions) start(ctx context.Context, folder string) (s oneStart, err error) {
	p, err := Launch{Binary: o.Binary, Args: o.Args, Env: o.Env, Data: folder, Probe: "/healthz", Patience: o.Patience}.Start(ctx)
	if err != nil {
		return s, err
	}
	s.ready = p.Ready
	time.Sleep(o.Idle)
	s.rss = processMemory(p.PID, "VmRSS")
	s.stop, err = p.Stop()
	return s, err
}

// freeAddress is a loopback address that was free a moment ago.
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
