package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"entrepot/internal/bench"
)

// newBenchCommand is "entrepot bench": load for a running service, the baseline beside it, and cold starts (interface §10).
func newBenchCommand(env *environment) *cobra.Command {
	var options bench.Options
	var asJSON bool
	var key, keys, adminKeys []string
	var tenants benchTenants
	var here bool
	command := &cobra.Command{
		Use:   "bench [scenario …]",
		Short: "Measure a running service, and the bare database driver beside it (the baseline)",
		Long: "Measure a running service over HTTP with keep-alive connections, each of which waits for its answer before it asks again.\n" +
			"With --rate requests come at that rate instead, and /healthz is asked beside them: what a service makes of more than it can do.\n\n" +
			"Scenarios: " + strings.Join(bench.ScenarioNames(), ", ") + " (docs/performance.md says what each does).\n\n" +
			"Each makes what it needs first (products BENCH-…, orders) and leaves it there: use an account of its own.\n" +
			"Start the service with ENTREPOT_RATE_LIMITS=off, and with --dev for the deliveries; --here starts one like that by itself.",
		Example: "  entrepot bench all --here --baseline sqlite --duration 5s\n" +
			"  entrepot bench orders --url http://127.0.0.1:8080 --key pk_live_…\n" +
			"  entrepot bench all --url http://127.0.0.1:8080 --key pk_live_… --baseline sqlite --json\n" +
			"  entrepot bench prices stock --baseline postgres --database postgres://localhost/bench",
		ValidArgs: bench.ScenarioNames(),
		Args:      cobra.ArbitraryArgs, // the tool knows the names and lists them
		RunE: func(cmd *cobra.Command, args []string) error {
			options.Scenarios, options.Keys, options.AdminKeys = args, append(key, keys...), adminKeys
			options.Progress = env.stderr
			if here {
				service, err := startHere(cmd, env, &options, &tenants)
				if err != nil {
					return err
				}
				defer service.end(env)
			}
			if options.URL == "" && len(options.Keys)+tenants.count > 0 {
				options.URL = "http://127.0.0.1:8080"
			}
			if tenants.count > 0 {
				made, err := tenants.make(cmd, env)
				if err != nil {
					return err
				}
				options.Keys, options.AdminKeys = append(options.Keys, made...), nil
			}
			report, err := bench.Run(cmd.Context(), options)
			if err != nil {
				return err
			}
			return env.writeReport(report, asJSON, "not every scenario could be measured; the report says why")
		},
	}
	flags := command.Flags()
	flags.SetNormalizeFunc(olderFlags)
	flags.StringVar(&options.URL, "url", env.getenv("ENTREPOT_URL"),
		"base address of the service; of several nodes, with commas: connections are dealt out over them")
	flags.StringSliceVar(&key, "key", listOf(env.getenv("ENTREPOT_KEY")), "API key of the account to load")
	flags.StringSliceVar(&keys, "keys", nil, "several keys, with commas: clients are dealt out over their accounts")
	flags.StringSliceVar(&adminKeys, "admin-key", nil, "key that may register endpoints, where --key may not (write:webhooks)")
	flags.BoolVar(&here, "here", false, "start a service on a fresh SQLite store, load it and end it; instead of --url and --key")
	flags.String("cpu-profile", "", "with --here: file for what takes the service's processor time, for go tool pprof")
	loadFlags(flags, &options)
	flags.IntVar(&tenants.count, "tenants", 0, "make this many accounts in --store and spread the clients over them")
	flags.StringVar(&tenants.store, "store", "", "the running service's data folder or database address, for --tenants")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	command.AddCommand(newColdStartCommand(env), newFillCommand(env), newPagesCommand(env), newGrownCommand(env))
	return command
}

// loadFlags are the flags that say what is sent, how often, and what is measured beside it.
func loadFlags(flags *pflag.FlagSet, options *bench.Options) {
	flags.BoolVar(&options.AllowRemote, "allow-remote", false, "permit a service that is not on this machine")
	flags.IntVar(&options.Clients, "clients", 0, "connections (0: what fits the scenario)")
	flags.IntVar(&options.Rate, "rate", 0, "requests a second that come whatever is answered (0: each client waits for its answer)")
	flags.DurationVar(&options.Duration, "duration", 0, "time of each measurement (default 10s; with --count: 10m at most)")
	flags.IntVar(&options.Count, "count", 0, "requests of each measurement (deliveries: events)")
	flags.DurationVar(&options.Warmup, "warmup", time.Second, "time before each measurement that is not counted")
	flags.DurationVar(&options.Rest, "rest", 8*time.Second,
		"time for which the service must have been at rest before each measurement, if its process is known (0: begin at once)")
	flags.IntVar(&options.SKUs, "skus", 10_000, "products that orders, prices and stock draw from")
	flags.IntVar(&options.SeedOrders, "seed-orders", 2_000, "orders that must exist before orders are read")
	flags.BoolVar(&options.Idempotency, "idempotency", true, "send an Idempotency-Key with every order")
	flags.StringVar(&options.Product, "product", "plain", "what bulk-import sends: plain, or full (image, two variants, stock)")
	flags.StringVar(&options.Events, "events", "prices", "what makes the events of deliveries: prices, stock or orders")
	flags.IntVar(&options.Endpoints, "endpoints", 1, "endpoints that each account registers for deliveries and outages")
	flags.StringVar(&options.Receiver, "receiver", "127.0.0.1:0", "loopback address at which deliveries are received")
	flags.StringVar(&options.WebhookSecret, "webhook-secret", "", "signing secret of an endpoint registered by hand at --receiver")
	flags.DurationVar(&options.DeliveryTimeout, "delivery-timeout", 2*time.Minute, "how long to wait until every delivery is in")
	flags.StringVar(&options.Baseline, "baseline", "", "also write the same rows through the bare database driver: sqlite or postgres")
	flags.StringVar(&options.BaselineDatabase, "database", "", "PostgreSQL for --baseline; its schema "+bench.BaselineSchema+" is dropped")
	flags.StringVar(&options.BaselineFolder, "baseline-dir", "",
		"folder for the file of --baseline sqlite, and for the store of --here: put it on the service's disk")
	flags.IntSliceVar(&options.ServerPIDs, "server-pid", nil, "process of the service, to weigh its CPU and memory; several with commas")
}

// olderFlags accepts the names of bench's flags in earlier versions.
func olderFlags(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	switch name {
	case "bare", "bare-dir":
		name = strings.Replace(name, "bare", "baseline", 1)
	}
	return pflag.NormalizedName(name)
}

// listOf splits a list at its commas; an empty text is no list.
func listOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// benchTenants creates accounts by the offline commands of this program, which work beside a running service.
type benchTenants struct {
	count int
	store string
	vars  []string // environment of the commands; nil: this process's
}

// make returns a key with every scope for each new account.
func (b *benchTenants) make(cmd *cobra.Command, env *environment) ([]string, error) {
	if b.store == "" {
		return nil, wrong("--tenants needs --store, the data folder or database address of the service")
	}
	if b.count > 1_000 {
		return nil, wrong("--tenants %d: at most 1000", b.count)
	}
	where := []string{"--data", b.store}
	if strings.Contains(b.store, "://") {
		where[0] = "--database"
	}
	run := func(into any, args ...string) error {
		return runSelf(cmd.Context(), env, b.vars, into, append(append(args, "--json"), where...)...)
	}
	stamp := time.Now().UnixMilli()
	var keys []string
	for n := range b.count {
		var account struct{ ID string }
		name := fmt.Sprintf("bench-%d-%d", stamp, n)
		if err := run(&account, "account", "create", "--name", name, "--plan", "enterprise",
			"--owner-email", name+"@bench.example", "--owner-password", "bench "+name); err != nil {
			return nil, err
		}
		var key struct{ Key string }
		if err := run(&key, "key", "create", "--account", account.ID, "--name", "bench", "--scopes", benchScopes); err != nil {
			return nil, err
		}
		keys = append(keys, key.Key)
	}
	fmt.Fprintf(env.stderr, "accounts made: %d\n", b.count)
	return keys, nil
}

// runSelf runs another command of this program, whose output is JSON for into (nil: ignored).
func runSelf(ctx context.Context, env *environment, vars []string, into any, args ...string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	process := exec.CommandContext(ctx, program, args...)
	process.Env, process.Stderr = vars, env.stderr
	out, err := process.Output()
	if err == nil && into != nil {
		err = json.Unmarshal(out, into)
	}
	if err != nil {
		return fmt.Errorf("entrepot %s: %w", strings.Join(args[:2], " "), err)
	}
	return nil
}

// benchScopes are all scopes that the scenarios need.
const benchScopes = "write:products,write:inventory,write:orders,write:customers,write:webhooks,read:analytics"

// newColdStartCommand is "entrepot bench cold-start".
func newColdStartCommand(env *environment) *cobra.Command {
	options := bench.ColdStartOptions{Progress: env.stderr}
	var asJSON bool
	var extra []string
	cold := &cobra.Command{
		Use:   "cold-start",
		Short: "Start the program again and again: time to the first answer, memory at rest, size",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if options.Binary == "" {
				var err error
				if options.Binary, err = os.Executable(); err != nil {
					return err
				}
			}
			options.Args = append([]string{"serve", "--addr", "{addr}", "--data", "{data}"}, extra...)
			options.Env = benchAdmin
			found, err := bench.ColdStart(cmd.Context(), options)
			if err != nil {
				return err
			}
			if asJSON {
				return writeIndented(env.stdout, found)
			}
			return found.WriteTable(env.stdout)
		},
	}
	flags := cold.Flags()
	flags.StringVar(&options.Binary, "binary", "", "program to start (default: this one)")
	flags.StringSliceVar(&extra, "arg", nil, "further argument of serve; may be repeated")
	flags.IntVar(&options.Runs, "runs", 5, "starts on an empty folder, each followed by one on the filled folder")
	flags.DurationVar(&options.Idle, "idle", 2*time.Second, "rest before the memory is read")
	flags.DurationVar(&options.Patience, "patience", 30*time.Second, "for the first answer and for the end, each")
	flags.StringVar(&options.Folder, "dir", "", "where the data folders are made and removed")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	return cold
}

// writeIndented writes a value as JSON for people to read.
func writeIndented(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// measured is a report of the bench.
type measured interface {
	WriteTable(io.Writer) error
	Failed() bool
}

// writeReport prints a report as a table or as JSON; failed is the error of a report that is incomplete.
func (env *environment) writeReport(report measured, asJSON bool, failed string) (err error) {
	if asJSON {
		err = writeIndented(env.stdout, report)
	} else {
		err = report.WriteTable(env.stdout)
	}
	if err == nil && report.Failed() {
		err = errors.New(failed)
	}
	return err
}
