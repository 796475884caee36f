package bench

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Bounds that no flag can exceed: a load tool must stop by itself.
const (
	maxClients  = 4096
	maxDuration = time.Hour
	maxCount    = 100_000_000
	maxRate     = 1_000_000
	maxTenants  = 10_000
	maxSKUs     = 1_000_000
	maxSeed     = 5_000_000
)

// Options say what to measure. Zero values stand for the defaults named below.
type Options struct {
	URL         string   // base addresses of the service's nodes, with commas; empty: only the baselines run
	Keys        []string // API keys, one per account; clients are dealt out over them in turn
	AdminKeys   []string // keys that may register endpoints (write:webhooks), in the order of Keys; default Keys
	Scenarios   []string // names as in ScenarioNames, or "all"
	AllowRemote bool     // permit an address that is not this machine

	Clients  int           // connections; 0: what fits the scenario
	Duration time.Duration // of each measurement; 0: 10 s, or 10 minutes at most when Count is given
	Count    int           // requests a second, started whatever the answers; 0: each client waits for its answer
	Rate     int           // requests a second that come whatever is answered; 0: each client waits for its answer
	Warmup   time.Duration // before each measurement, not counted
	Rest     time.Duration // for which the service must have been at rest before, if its processes are known; 0: at once

	SKUs        int    // products that prices, stock and orders draw from; 0: 10,000
	SeedOrders  int    // orders that must exist before order-read and order-list; 0: 2,000
	Idempotency bool   // every order carries an Idempotency-Key
	Product     string // what bulk-import sends: "plain" (default) or "full" (image, two variants, stock)

	Events          string        // what makes the events of deliveries: "prices" (default), "stock" or "orders"
	Endpoints       int           // endpoints that each account registers; 0: 1
	Receiver        string        // where the receiver listens; empty: 127.0.0.1:0
	WebhookSecret   string        // the secret of an endpoint registered by hand at Receiver; empty: register through the API
	DeliveryTimeout time.Duration // how long to wait for the queue to drain; 0: 2 minutes

	Baseline         string // "", "sqlite" or "postgres": the baseline to run beside each scenario
	BaselineDatabase string // address of a PostgreSQL whose schema BaselineSchema may be dropped
	BaselineFolder   string // folder in which a SQLite file is made and removed; empty: the system's temporary folder

	ServerPIDs []int     // processes of the service on this machine, whose CPU and memory are added up; empty: unknown
	Progress   io.Writer // what is happening now, one line each
}

// setDefaults replaces options that are not given.
func (o *Options) setDefaults() {
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	o.SKUs = cmp.Or(o.SKUs, 10_000)
	o.SeedOrders = cmp.Or(o.SeedOrders, 2_000)
	o.Endpoints = cmp.Or(o.Endpoints, 1)
	o.Product = cmp.Or(o.Product, "plain")
	o.Events = cmp.Or(o.Events, "prices")
	o.Receiver = cmp.Or(o.Receiver, "127.0.0.1:0")
	o.DeliveryTimeout = cmp.Or(o.DeliveryTimeout, 2*time.Minute)
	if o.Duration == 0 {
		o.Duration = 10 * time.Second
		if o.Count > 0 {
			o.Duration = 10 * time.Minute
		}
	}
	if len(o.AdminKeys) == 0 {
		o.AdminKeys = o.Keys
	}
}

// prepare sets defaults and refuses invalid options, all errors at once.
func (o *Options) prepare() error {
	o.setDefaults()
	var wrong []error
	refuse := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	between := func(flag string, value, low, high int) {
		if value < low || value > high {
			refuse("%s %d: must lie between %d and %d", flag, value, low, high)
		}
	}
	atMost := func(flag string, d time.Duration) {
		if d < 0 || d > maxDuration {
			refuse("%s %s: must lie between 0 and %s", flag, d, maxDuration)
		}
	}
	oneOf := func(flag, value string, of ...string) {
		if !slices.Contains(of, value) {
			refuse("%s %q: one of %s", flag, value, strings.Join(of, ", "))
		}
	}
	between("--clients", o.Clients, 0, maxClients)
	between("--count", o.Count, 0, maxCount)
	between("--rate", o.Rate, 0, maxRate)
	between("--skus", o.SKUs, 3, maxSKUs)
	between("--seed-orders", o.SeedOrders, 1, maxSeed)
	between("--endpoints", o.Endpoints, 1, 100)
	atMost("--duration", o.Duration)
	atMost("--warmup", o.Warmup)
	atMost("--rest", o.Rest)
	atMost("--delivery-timeout", o.DeliveryTimeout)
	oneOf("--product", o.Product, "plain", "full")
	oneOf("--events", o.Events, "prices", "stock", "orders")
	if o.Baseline != "" {
		oneOf("--baseline", o.Baseline, "sqlite", "postgres")
	}
	switch {
	case o.URL == "" && o.Baseline == "":
		refuse("nothing to measure: give --url and --key for the service, or --baseline for the driver alone")
	case o.URL != "" && len(o.Keys) == 0:
		refuse("--key is missing: an API key of the account to load (entrepot key create makes one)")
	}
	if o.Baseline == "postgres" && o.BaselineDatabase == "" {
		refuse("--baseline postgres needs --database, a PostgreSQL in which the schema %s may be made and dropped", BaselineSchema)
	}
	if o.WebhookSecret != "" && o.Receiver == "127.0.0.1:0" {
		refuse("--webhook-secret needs --receiver, the address at which that endpoint was registered")
	}
	if len(o.AdminKeys) != len(o.Keys) {
		refuse("%d admin keys for %d keys: give one for each", len(o.AdminKeys), len(o.Keys))
	}
	if len(o.Keys) > maxTenants {
		refuse("%d keys: at most %d", len(o.Keys), maxTenants)
	}
	if !loopback(o.Receiver) {
		refuse("--receiver %q: a loopback address with a port, like 127.0.0.1:9099", o.Receiver)
	}
	if len(wrong) > 0 {
		return &CallError{errors.Join(wrong...)}
	}
	return nil
}

// CallError is an error in the options.
type CallError struct{ error }

// Unwrap is what is wrong.
func (e *CallError) Unwrap() error { return e.error }
