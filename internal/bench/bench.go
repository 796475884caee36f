// Package bench measures a running service from outside, over HTTP, and beside it the bare database driver: the
// baseline writes the same rows with the same durability, so that a figure can be read as a share of it.
//
//	Options     what to measure; Run measures it and returns a Report
//	scenario    one kind of traffic: what it needs first, and its requests
//	client      one connection, which sends its next request when the last one is answered
//	baseline    SQLite with group commit or a PostgreSQL pool, with tables of its own
//	Process     a service that was started to be measured
//
// It imports no other package of the project: a baseline must not use the code that it is compared with.
package bench

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Bounds of Options: a load tool stops by itself.
const (
	maxClients  = 1_024
	maxDuration = time.Hour
	maxSKUs     = 1_000_000
)

// Options say what to measure. Zero values stand for the defaults named below.
type Options struct {
	Scenarios   []string // names as in Scenarios, or "all"; none: all
	URL         string   // base address of the service; empty: only the baseline is measured
	Keys        []string // API keys, one an account; clients are dealt out over them in turn
	AllowRemote bool     // permit an address that is not this machine

	Clients  int           // connections, 1 to 1,024; 0: what fits the scenario
	Duration time.Duration // of each measurement, at most an hour; 0: 10 s
	SKUs     int           // products that orders and prices draw from, 3 to 1,000,000; 0: 10,000

	Baseline         string // "", "sqlite" or "postgres": also measure the bare driver
	BaselineDatabase string // address of a PostgreSQL whose schema BaselineSchema may be dropped
	BaselineFolder   string // folder in which a SQLite file is made and removed; empty: the system's temporary folder

	ServerPIDs []int     // processes of the service on this machine, whose processor time is measured; empty: unknown
	Progress   io.Writer // what is happening now, a line each; nil: nowhere
}

// CallError is a mistake in the options.
type CallError struct{ error }

// Unwrap is what is wrong.
func (e *CallError) Unwrap() error { return e.error }

func (o *Options) prepare() error {
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	o.Duration = cmp.Or(o.Duration, 10*time.Second)
	o.SKUs = cmp.Or(o.SKUs, 10_000)
	var wrong []error
	refuse := func(bad bool, format string, args ...any) {
		if bad {
			wrong = append(wrong, fmt.Errorf(format, args...))
		}
	}
	refuse(o.Clients < 0 || o.Clients > maxClients, "--clients %d: must lie between 0 and %d", o.Clients, maxClients)
	refuse(o.Duration < 0 || o.Duration > maxDuration, "--duration %s: must lie between 0 and %s", o.Duration, maxDuration)
	refuse(o.SKUs < 3 || o.SKUs > maxSKUs, "--skus %d: must lie between 3 and %d", o.SKUs, maxSKUs)
	refuse(!slices.Contains([]string{"", "sqlite", "postgres"}, o.Baseline), "--baseline %q: sqlite or postgres", o.Baseline)
	refuse(o.Baseline == "postgres" && o.BaselineDatabase == "",
		"--baseline postgres needs --database, a PostgreSQL in which the schema %s may be made and dropped", BaselineSchema)
	refuse(o.URL == "" && o.Baseline == "",
		"nothing to measure: give --url and --key for a service, --here to start one, or --baseline for the driver alone")
	refuse(o.URL != "" && len(o.Keys) == 0, "--key is missing: an API key of the account to load (entrepot key create makes one)")
	for _, name := range o.Scenarios {
		known := name == "all" || slices.ContainsFunc(scenarios, func(s scenario) bool { return s.name == name })
		refuse(!known, "unknown scenario %q: one of %s", name, strings.Join(Scenarios(), ", "))
	}
	if len(wrong) > 0 {
		return &CallError{errors.Join(wrong...)}
	}
	return nil
}

// run is what the scenarios of one call of Run share.
type run struct {
	Options
	http   *http.Client
	tag    string        // differs from run to run, so that names made here are new
	serial atomic.Uint64 // numbers what is made
}

// Run measures the chosen scenarios one after the other. A scenario that cannot be measured is reported as failed and
// does not stop the others. Errors: a CallError for options or an address that are wrong, and ctx's.
func Run(ctx context.Context, options Options) (*Report, error) {
	if err := options.prepare(); err != nil {
		return nil, err
	}
	r := &run{Options: options, tag: strings.ToLower(rand.Text()[:8]), http: &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: maxClients, DisableCompression: true},
		Timeout:   time.Minute,
	}}
	if err := r.local(ctx); err != nil {
		return nil, err
	}
	report := &Report{Machine: thisMachine()}
	for _, s := range scenarios {
		if len(r.Scenarios) > 0 && !slices.Contains(r.Scenarios, "all") && !slices.Contains(r.Scenarios, s.name) {
			continue
		}
		result := Result{Scenario: s.name, Unit: s.unit, Clients: cmp.Or(r.Clients, s.clients)}
		if err := r.measure(ctx, s, &result); err != nil {
			result.Failure = err.Error()
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		report.Results = append(report.Results, result)
	}
	return report, nil
}

// measure measures the service and then the baseline, so that neither takes the other's processor.
func (r *run) measure(ctx context.Context, s scenario, result *Result) (err error) {
	if r.URL != "" {
		if err := s.prepare(ctx, r); err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
		r.say("%s: %d clients, %s", s.name, result.Clients, r.Duration)
		m := startMeter(r.ServerPIDs)
		if result.Service, err = s.measure(ctx, r, result.Clients); err != nil {
			return err
		}
		m.stop(result.Service)
	}
	if r.Baseline != "" && s.baseline != nil {
		r.say("%s: the baseline", s.name)
		if result.Baseline, err = r.measureBaseline(ctx, s, result.Clients); err != nil {
			return fmt.Errorf("baseline: %w", err)
		}
		if result.Service != nil && result.Baseline.ItemsPerSecond > 0 {
			result.Ratio = result.Service.ItemsPerSecond / result.Baseline.ItemsPerSecond
		}
	}
	return nil
}

// local refuses a service on another machine unless that is allowed: a load tool aimed at a wrong machine does harm.
func (r *run) local(ctx context.Context) error {
	if r.URL == "" {
		return nil
	}
	u, err := url.Parse(r.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return &CallError{fmt.Errorf("--url %q is not an address like http://127.0.0.1:8080", r.URL)}
	}
	r.URL = strings.TrimSuffix(r.URL, "/")
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return fmt.Errorf("find the address of %s: %w", u.Hostname(), err)
	}
	for _, ip := range ips {
		if !ip.Unmap().IsLoopback() && !r.AllowRemote {
			return &CallError{fmt.Errorf("%s is %s, not this machine; --allow-remote permits it", u.Hostname(), ip)}
		}
	}
	return nil
}

func (r *run) say(format string, args ...any) { fmt.Fprintf(r.Progress, format+"\n", args...) }

// key returns the API key of a client's account.
func (r *run) key(client int) string { return r.Keys[client%len(r.Keys)] }
