package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entrepot/internal/bench"
)

// newBenchCommand is "entrepot bench": load for a running service, and the baseline for comparison (interface §10).
func newBenchCommand(env *environment) *cobra.Command {
	o := bench.Options{Progress: env.stderr}
	var here, asJSON bool
	command := &cobra.Command{
		Use:   "bench [scenario …]",
		Short: "Measure a running service, and the bare database driver beside it (the baseline)",
		Long: "Measure a running service over HTTP: each connection sends its next request when the last one is answered.\n\n" +
			"Scenarios: " + strings.Join(bench.Scenarios(), ", ") + " (docs/performance.md says what each does).\n\n" +
			"Each makes what it needs first (products BENCH-…, orders) and leaves it there: use an account of its own.\n" +
			"Start the service with ENTREPOT_RATE_LIMITS=off, and with --dev for the deliveries; --here starts one like that by itself.",
		Example: "  entrepot bench all --here --baseline sqlite --duration 5s\n" +
			"  entrepot bench orders --url http://127.0.0.1:8080 --key pk_live_…\n" +
			"  entrepot bench orders --baseline postgres --database postgres://localhost/bench",
		ValidArgs: bench.Scenarios(),
		Args:      cobra.ArbitraryArgs, // the tool knows the names and lists them
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Scenarios = args
			if here {
				service, err := startHere(cmd, env, &o)
				if err != nil {
					return err
				}
				defer service.end()
			}
			if o.URL == "" && len(o.Keys) > 0 {
				o.URL = "http://127.0.0.1:8080"
			}
			report, err := bench.Run(cmd.Context(), o)
			if err != nil {
				return err
			}
			if asJSON {
				err = writeIndented(env.stdout, report)
			} else {
				err = report.WriteTable(env.stdout)
			}
			if err == nil && report.Failed() {
				err = errors.New("not every scenario could be measured; the report says why")
			}
			return err
		},
	}
	var keys []string
	if key := env.getenv("ENTREPOT_KEY"); key != "" {
		keys = strings.Split(key, ",")
	}
	flags := command.Flags()
	flags.StringVar(&o.URL, "url", env.getenv("ENTREPOT_URL"), "base address of the service")
	flags.StringSliceVar(&o.Keys, "key", keys, "API key of the account to load; several, with commas: clients are dealt out over their accounts")
	flags.BoolVar(&here, "here", false, "start a service on a fresh SQLite store, load it and end it; instead of --url and --key")
	flags.BoolVar(&o.AllowRemote, "allow-remote", false, "permit a service that is not on this machine")
	flags.IntVar(&o.Clients, "clients", 0, "connections (0: what fits the scenario)")
	flags.DurationVar(&o.Duration, "duration", 10*time.Second, "time of each measurement")
	flags.IntVar(&o.SKUs, "skus", 10_000, "products that orders and prices draw from")
	flags.StringVar(&o.Baseline, "baseline", "", "also write the same rows through the bare database driver: sqlite or postgres")
	flags.StringVar(&o.BaselineDatabase, "database", "", "PostgreSQL for --baseline; its schema "+bench.BaselineSchema+" is dropped")
	flags.StringVar(&o.BaselineFolder, "baseline-dir", os.TempDir(),
		"folder for the file of --baseline sqlite, and for the store of --here: put it on the service's disk")
	flags.IntSliceVar(&o.ServerPIDs, "server-pid", nil, "process of the service, to measure its processor time and memory; several with commas")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// writeIndented writes a value as JSON for people to read.
func writeIndented(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
