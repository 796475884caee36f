package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"entrepot/internal/bench"
)

// filledName is the name of the account that "bench fill" creates.
const filledName = "Filled"

// newGrownCommand is "entrepot bench grown": it measures what a large account asks for.
func newGrownCommand(env *environment) *cobra.Command {
	o := bench.GrownOptions{Progress: env.stderr}
	var store grownStore
	var asJSON bool
	grown := &cobra.Command{
		Use:   "grown",
		Short: "Ask the lists, searches, feeds and figures of a large account again and again: time of each beside its goal",
		Long: "Ask the lists, searches, feeds and figures of a large account again and again, one request at a time: time of each beside its\n" +
			"goal.\n\n" +
			"With --data a store is filled as by \"entrepot bench fill\" unless it is there, and a service is started on it. With --url and\n" +
			"--key a service that runs already is asked, on either engine; start it with ENTREPOT_RATE_LIMITS=off.\n\n" +
			"With --changes records are created, changed and deleted, too: what that takes must not depend on how many others there are. Of\n" +
			"customers, a merged pair is left for each round.",
		Example: "  entrepot bench grown --data ./filled --rows 1000000\n" +
			"  entrepot bench grown --url http://127.0.0.1:8080 --key pk_live_… --server-pid 4711 --json",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			switch {
			case (store.folder == "") == (o.Key == ""):
				return wrong("either --data, or --url and --key")
			case store.folder != "" && (cmd.Flags().Changed("url") || len(o.ServerPIDs) > 0):
				return wrong("--data starts a service of its own: leave out --url and --server-pid")
			case store.rows < 10 || store.rows > 100_000_000:
				return wrong("--rows must lie between 10 and 100000000")
			}
			if store.folder != "" {
				process, err := store.start(cmd.Context(), env, &o)
				if err != nil {
					return err
				}
				defer func() {
					if _, err := process.Stop(); err != nil {
						fmt.Fprintln(env.stderr, err)
					}
				}()
			}
			report, err := bench.Grown(cmd.Context(), o)
			if err != nil {
				return err
			}
			return env.writeReport(report, asJSON, "not every request was answered with 2xx; the report says which")
		},
	}
	flags := grown.Flags()
	flags.StringVar(&o.URL, "url", cmp.Or(env.getenv("ENTREPOT_URL"), "http://127.0.0.1:8080"), "base address of the service")
	flags.StringVar(&o.Key, "key", env.getenv("ENTREPOT_KEY"),
		"API key of the filled account, with every scope that reads, or every scope for --changes")
	flags.StringVar(&store.folder, "data", "", "data folder of a filled SQLite store, created if it is not there")
	flags.IntVar(&store.rows, "rows", 1_000_000, "orders and products of a store that is created")
	flags.IntVar(&o.Times, "times", 20, "how often each request is sent")
	flags.BoolVar(&o.Changes, "changes", false, "also create, change and delete records of this run")
	flags.IntSliceVar(&o.ServerPIDs, "server-pid", nil, "process of the service, to measure its processor time; several with commas")
	flags.BoolVar(&o.AllowRemote, "allow-remote", false, "permit a service that is not on this machine")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	return grown
}

// grownStore is the filled store of bench grown --data.
type grownStore struct {
	folder string
	rows   int
}

// start fills the store if it is not there, starts this program as a service on it, and directs the options to it.
func (s *grownStore) start(ctx context.Context, env *environment, o *bench.GrownOptions) (*bench.Process, error) {
	if err := s.fill(ctx, env); err != nil {
		return nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if o.Key, err = s.key(ctx, env, o.Changes); err != nil {
		return nil, err
	}
	process, err := bench.Launch{
		Binary: program, Args: []string{"serve", "--addr", "{addr}", "--data", "{data}", "--rate-limits", "off", "--log-level", "error"},
		Data: s.folder, Probe: "/readyz", Patience: time.Minute,
	}.Start(ctx)
	if err == nil {
		o.URL, o.ServerPIDs = process.URL, []int{process.PID}
	}
	return process, err
}

// fill creates the store. It is filled in another folder first, so that an interrupted run leaves no store that is half filled.
func (s *grownStore) fill(ctx context.Context, env *environment) error {
	if _, err := os.Stat(s.folder); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	partial := filepath.Clean(s.folder) + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return err
	}
	rows := strconv.Itoa(s.rows)
	err := runSelf(ctx, env, bench.Environment(), nil, "bench", "fill", "--data", partial, "--orders", rows, "--skus", rows,
		"--customers", strconv.Itoa(max(1, s.rows/1000*87)))
	if err != nil {
		return err
	}
	return os.Rename(partial, s.folder)
}

// key returns a new key of the filled account, which may change records or only read them.
func (s *grownStore) key(ctx context.Context, env *environment, change bool) (string, error) {
	scopes := "read:products,read:categories,read:inventory,read:orders,read:customers,read:channels,read:analytics"
	if change {
		scopes = "all"
	}
	var accounts []struct{ ID, Name string }
	if err := runSelf(ctx, env, bench.Environment(), &accounts, "account", "list", "--json", "--data", s.folder); err != nil {
		return "", err
	}
	for _, a := range accounts {
		if a.Name == filledName {
			var made struct{ Key string }
			err := runSelf(ctx, env, bench.Environment(), &made, "key", "create", "--json", "--data", s.folder, "--account", a.ID,
				"--name", "bench grown", "--scopes", scopes)
			return made.Key, err
		}
	}
	return "", fmt.Errorf("%s has no account %q: fill one by \"entrepot bench fill\", or choose a new folder", s.folder, filledName)
}
