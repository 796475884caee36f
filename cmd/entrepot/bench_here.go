package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"entrepot/internal/bench"
)

// benchAdmin is the owner of the first account of a store created for a measurement.
var benchAdmin = []string{"ENTREPOT_ADMIN_EMAIL=owner@bench.example", "ENTREPOT_ADMIN_PASSWORD=a long bench password"}

// benchService is the service of bench --here, with its store.
type benchService struct {
	folder  string
	process *bench.Process
}

// startHere starts this program as a service on a new folder, and directs the options to it. Then it creates as many
// accounts as --tenants says, at least one.
func startHere(cmd *cobra.Command, env *environment, options *bench.Options, tenants *benchTenants) (*benchService, error) {
	for _, flag := range []string{"url", "key", "keys", "admin-key", "allow-remote", "server-pid", "store", "webhook-secret"} {
		if cmd.Flags().Changed(flag) {
			return nil, wrong("--here starts a service of its own: leave out --%s and %s", flag, variable(flag))
		}
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(options.BaselineFolder, "entrepot-bench-")
	if err != nil {
		return nil, err
	}
	data := filepath.Join(folder, "data")
	profile, _ := cmd.Flags().GetString("cpu-profile")
	process, err := bench.Launch{
		Binary: program, Args: []string{"serve", "--dev", "--addr", "{addr}", "--data", "{data}", "--rate-limits", "off", "--log-level", "error",
			"--cpu-profile", profile},
		Env: benchAdmin, Data: data, Probe: "/readyz", Patience: 30 * time.Second,
	}.Start(cmd.Context())
	if err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	fmt.Fprintf(env.stderr, "started a service at %s, process %d\n", process.URL, process.PID)
	options.URL, options.ServerPIDs, options.Keys, options.AdminKeys = process.URL, []int{process.PID}, nil, nil
	tenants.count, tenants.store, tenants.vars = max(1, tenants.count), data, bench.Environment()
	return &benchService{folder, process}, nil
}

// end stops the service and removes its store.
func (s *benchService) end(env *environment) {
	if _, err := s.process.Stop(); err != nil {
		fmt.Fprintln(env.stderr, err)
	}
	if err := os.RemoveAll(s.folder); err != nil {
		fmt.Fprintf(env.stderr, "%v; remove %s\n", err, s.folder)
	}
}
