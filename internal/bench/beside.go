package bench

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// BesideFigures say what orders do alone, and beside one client of the same account that sends bulk requests of one kind.
type BesideFigures struct {
	Bulk   string   `json:"bulk"` // scenario whose requests are sent
	Alone  *Figures `json:"alone"`
	Beside *Figures `json:"beside"`
	// Share is the rate of orders beside over that alone.
	Share         float64  `json:"share"`
	BulkPerSecond float64  `json:"bulkItemsPerSecond"`
	BulkFailures  int      `json:"bulkFailures"`
	Refusals      []string `json:"refusals,omitempty"` // first words of the bulk requests' failures
}

// besides are the bulk requests beside which orders are measured.
var besides = []struct {
	name   string
	source func(c *campaign, a *account, client int) source
}{{"stock", newStockSource}, {"prices", newPriceSource}, {"bulk-import", newImportSource}}

// runBeside measures orders alone and then beside bulk requests, kind by kind, so that a machine whose speed changes shows both at about
// the same.
func runBeside(ctx context.Context, c *campaign, result *Result) error {
	account := c.accounts[0]
	orders := &loop{target: c.target, clients: result.Clients, duration: c.Duration,
		source: func(client int) (source, error) { return newOrderSource(c, account, client), nil }}
	for _, b := range besides {
		c.say("beside: %d clients make orders for %s, then beside one client of %s", result.Clients, c.Duration, b.name)
		alone, err := c.figuresOf(ctx, orders)
		if err != nil {
			return err
		}
		f := BesideFigures{Bulk: b.name, Alone: alone}
		background, end := context.WithCancel(ctx)
		var load *tally
		var took time.Duration
		var running sync.WaitGroup
		running.Go(func() {
			bulk := &loop{target: c.target, clients: 1, duration: c.Duration + graceForLast,
				source: func(client int) (source, error) { return b.source(c, account, client), nil }}
			load, took, _ = bulk.run(background)
		})
		f.Beside, err = c.figuresOf(ctx, orders)
		end()
		running.Wait()
		if err != nil {
			return err
		}
		f.add(load, took)
		result.Beside = append(result.Beside, f)
	}
	result.Service = result.Beside[len(result.Beside)-1].Alone
	return nil
}

// figuresOf runs a loop and gives what it measured, with what it cost the server.
func (c *campaign) figuresOf(ctx context.Context, l *loop) (*Figures, error) {
	m := startMeter(c.ServerPIDs)
	t, took, err := l.run(ctx)
	if err != nil {
		return nil, err
	}
	f := t.figures(took)
	m.stop(f)
	return f, nil
}

// add takes over what the bulk client counted.
func (f *BesideFigures) add(load *tally, took time.Duration) {
	if f.Alone.RequestsPerSecond > 0 {
		f.Share = f.Beside.RequestsPerSecond / f.Alone.RequestsPerSecond
	}
	if load == nil {
		return
	}
	bulk := load.figures(took)
	f.BulkPerSecond, f.BulkFailures = bulk.ItemsPerSecond, bulk.Failures
	for _, said := range load.refusals {
		f.Refusals = append(f.Refusals, said)
	}
}

// writeBeside prints what orders do alone and beside bulk requests.
func writeBeside(w io.Writer, list []BesideFigures) {
	for _, f := range list {
		fmt.Fprintf(w, "\nbeside %s of one client, %s items/s: orders %s/s alone, %s/s beside (%.2f); p50 %s ms alone, %s ms beside; "+
			"p99 %s ms alone, %s ms beside; %d and %d not answered with 2xx, of the bulk requests %d\n", f.Bulk, rate(f.BulkPerSecond),
			rate(f.Alone.RequestsPerSecond), rate(f.Beside.RequestsPerSecond), f.Share, wait(f.Alone.Latency.P50), wait(f.Beside.Latency.P50),
			wait(f.Alone.Latency.P99), wait(f.Beside.Latency.P99), f.Alone.Failures, f.Beside.Failures, f.BulkFailures)
	}
}
