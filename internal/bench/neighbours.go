package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// NeighbourFigures are the times of one account's requests alone, and while another account searches and analyses.
type NeighbourFigures struct {
	Others       int              `json:"others"` // clients of the other account
	ReadsAlone   NeighbourLatency `json:"readsAlone"`
	ReadsBeside  NeighbourLatency `json:"readsBeside"`
	WritesAlone  NeighbourLatency `json:"writesAlone"`
	WritesBeside NeighbourLatency `json:"writesBeside"`
}

// NeighbourLatency is how long requests of one kind took, in milliseconds, and how many were not answered with 2xx.
type NeighbourLatency struct {
	Latency
	Requests uint64 `json:"requests"`
	Failures int    `json:"failures"`
}

// neighbours is the number of clients of the measured account; the other account has as many clients as the scenario.
const neighbours = 2

// runNeighbours measures reads and writes of the second account alone, then while the first one searches and analyses.
func runNeighbours(ctx context.Context, c *campaign, result *Result) error {
	if len(c.accounts) < 2 {
		return errors.New("neighbours takes two accounts: --tenants 2 --store …, or two keys")
	}
	busy, quiet := c.accounts[0], c.accounts[1]
	figures := &NeighbourFigures{Others: result.Clients}
	c.say("neighbours: one account alone, %s of reads, then of writes", c.Duration)
	var err error
	if figures.ReadsAlone, err = c.neighbour(ctx, quiet, newOrderReadSource); err != nil {
		return err
	}
	if figures.WritesAlone, err = c.neighbour(ctx, quiet, newOrderSource); err != nil {
		return err
	}
	c.say("neighbours: beside %d clients of another account that search and analyse", result.Clients)
	others := &loop{target: c.target, clients: result.Clients, duration: 2*c.Duration + graceForLast,
		source: func(int) (source, error) { return newWideSource(c, busy), nil }}
	background, end := context.WithCancel(ctx)
	defer end()
	var beside sync.WaitGroup
	var load *tally
	var took time.Duration
	beside.Go(func() { load, took, _ = others.run(background) })
	figures.ReadsBeside, err = c.neighbour(ctx, quiet, newOrderReadSource)
	if err == nil {
		figures.WritesBeside, err = c.neighbour(ctx, quiet, newOrderSource)
	}
	end()
	beside.Wait()
	if load != nil && load.waits.Count() > 0 {
		result.Service, result.Refusals = load.figures(took), load.refusals
	}
	result.Neighbours = figures
	return err
}

// neighbour measures one kind of request of the measured account.
func (c *campaign) neighbour(ctx context.Context, a *account, made func(*campaign, *account, int) source) (n NeighbourLatency, err error) {
	l := &loop{target: c.target, clients: neighbours, duration: c.Duration,
		source: func(client int) (source, error) { return made(c, a, client), nil }}
	t, took, err := l.run(ctx)
	if err != nil {
		return n, err
	}
	f := t.figures(took)
	return NeighbourLatency{Latency: f.Latency, Requests: f.Requests, Failures: f.Failures}, nil
}

// newWideSource searches and analyses: requests that look at many records of an account.
func newWideSource(c *campaign, a *account) source {
	var heads [][]byte
	for _, path := range []string{"/api/v1/orders?search=Buyer&limit=100", "/api/v1/orders?search=" + c.tag, "/api/v1/products?search=Bench",
		"/api/v1/inventory?search=BENCH", "/api/v1/customers?search=bench", "/api/v1/analytics/summary", "/api/v1/analytics/sales",
		"/api/v1/analytics/stock"} {
		heads = append(heads, c.target.head("GET", path, a.key))
	}
	return newFixedSource(heads)
}

// write prints the times of the measured account's requests.
func (n *NeighbourFigures) write(w io.Writer) {
	fmt.Fprintf(w, "\nneighbours: an account alone, and beside %d clients of another one that search and analyse\n", n.Others)
	for _, line := range []struct {
		what          string
		alone, beside NeighbourLatency
	}{{"reads", n.ReadsAlone, n.ReadsBeside}, {"writes", n.WritesAlone, n.WritesBeside}} {
		fmt.Fprintf(w, "  %s: p50 %s ms alone, %s ms beside; p99 %s ms alone, %s ms beside; %d and %d not answered with 2xx\n", line.what,
			wait(line.alone.P50), wait(line.beside.P50), wait(line.alone.P99), wait(line.beside.P99), line.alone.Failures, line.beside.Failures)
	}
}
