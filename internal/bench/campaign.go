package bench

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"time"
)

// campaign is the state that the scenarios of one Run share.
type campaign struct {
	Options
	target   *target
	accounts []*account
	tag      string        // differs from run to run, so that names made here are new
	serial   atomic.Uint64 // numbers bulk requests over all clients
}

// account is one merchant account under load.
type account struct {
	key      string
	adminKey string
	orders   []string // ids of orders that exist, for reading
	found    int      // orders that match the list scenario's filter
	seeded   bool     // its products exist
}

// Run measures the chosen scenarios one after the other. A scenario that cannot be measured is reported as failed and
// does not stop the others; an error means that the options or the target are wrong.
func Run(ctx context.Context, options Options) (*Report, error) {
	if err := options.prepare(); err != nil {
		return nil, err
	}
	chosen, err := choose(options.Scenarios)
	if err != nil {
		return nil, &CallError{err}
	}
	ctx, release := signal.NotifyContext(ctx, os.Interrupt)
	defer release()
	c := &campaign{Options: options, tag: strings.ToLower(rand.Text()[:8])}
	if options.URL != "" {
		if c.target, err = newTarget(ctx, options.URL, options.AllowRemote); err != nil {
			return nil, err
		}
		for i, key := range options.Keys {
			c.accounts = append(c.accounts, &account{key: key, adminKey: options.AdminKeys[i]})
		}
	}
	c.serial.Store(uint64(time.Now().UnixMilli() % 1_000_000)) // prices differ from the last run's
	report := &Report{Machine: thisMachine(options.BaselineFolder)}
	for _, s := range chosen {
		if ctx.Err() != nil {
			break
		}
		report.Results = append(report.Results, c.measure(ctx, s))
	}
	return report, nil
}

// measure runs one scenario: seed, warm up, measure, then the baseline.
func (c *campaign) measure(ctx context.Context, s scenario) Result {
	usual := choice(c.Rate > 0, openClients, s.clients)
	result := Result{Scenario: s.name, Unit: s.unit, Clients: cmp.Or(c.Clients, usual), Accounts: max(len(c.accounts), 1)}
	if c.target != nil {
		if err := c.measureService(ctx, s, &result); err != nil {
			result.Failure = err.Error()
		}
	}
	if c.Baseline != "" && s.baseline != nil && ctx.Err() == nil {
		c.say("%s: baseline %s driver", s.name, c.Baseline)
		baseline, err := c.measureBaseline(ctx, s, result.Clients)
		if err != nil {
			result.Failure = strings.TrimPrefix(result.Failure+"; baseline driver: "+err.Error(), "; ")
		}
		result.Baseline, result.BaselineSays = baseline, s.baselineSays
	}
	if result.Service != nil && result.Baseline != nil && result.Baseline.ItemsPerSecond > 0 {
		result.Ratio = result.Service.ItemsPerSecond / result.Baseline.ItemsPerSecond
	}
	return result
}

func (c *campaign) measureService(ctx context.Context, s scenario, result *Result) error {
	for _, a := range c.accounts {
		if err := s.seed(ctx, c, a); err != nil {
			return fmt.Errorf("seed: %w", err)
		}
	}
	c.awaitRest(ctx)
	if s.run != nil {
		if c.Rate > 0 {
			return fmt.Errorf("%s has a load of its own and takes no --rate", s.name)
		}
		return s.run(ctx, c, result)
	}
	l := c.loop(s, result.Clients)
	if c.Warmup > 0 {
		warm := *l
		warm.duration, warm.count = c.Warmup, 0
		if _, _, err := warm.run(ctx); err != nil {
			return err
		}
	}
	c.say("%s: %d clients, %s", s.name, l.clients, bound(l))
	m := startMeter(c.ServerPIDs)
	t, took, err := l.run(ctx)
	if t != nil {
		result.Refusals = t.refusals
		if t.waits.Count() > 0 {
			result.Service = t.figures(took)
			result.Service.OfferedPerSecond = float64(l.rate)
			m.stop(result.Service)
		}
	}
	return err
}

// loop is the scenario's loop with its clients distributed over the accounts.
func (c *campaign) loop(s scenario, clients int) *loop {
	return &loop{
		target: c.target, clients: clients, duration: c.Duration, count: c.Count, rate: c.Rate,
		source: func(client int) (source, error) {
			return s.source(c, c.accounts[client%len(c.accounts)], client), nil
		},
	}
}

func bound(l *loop) string {
	text := l.duration.String()
	if l.count > 0 {
		text = fmt.Sprintf("%d requests, %s at most", l.count, l.duration)
	}
	if l.rate > 0 {
		text += fmt.Sprintf(", %d requests a second", l.rate)
	}
	return text
}

// choice is a when first holds, else b.
func choice(first bool, a, b int) int {
	if first {
		return a
	}
	return b
}

// say reports progress.
func (c *campaign) say(format string, args ...any) {
	fmt.Fprintf(c.Progress, format+"\n", args...)
}
