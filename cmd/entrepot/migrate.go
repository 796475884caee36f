package main

import (
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"entrepot/internal/server"
)

// newMigrateCommand is "entrepot migrate"; serve does the same when it starts.
func newMigrateCommand(env *environment) *cobra.Command {
	return env.offline(making(&cobra.Command{Use: "migrate", Short: "Create the store if there is none, and bring its schema up to date"}),
		listing(func(cmd *cobra.Command, s *server.Store) error { // opening the store has migrated it
			return env.print(cmd, map[string]any{"engine": s.DB.Engine(), "current": true}, nil,
				[][]string{{"the store is up to date (" + s.DB.Engine() + ")"}})
		}))
}

// newVersionCommand is "entrepot version".
func newVersionCommand(env *environment) *cobra.Command {
	show := &cobra.Command{Use: "version", Short: "Print the version", Args: noArguments, RunE: func(cmd *cobra.Command, _ []string) error {
		if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
			return json.NewEncoder(env.stdout).Encode(map[string]string{"version": version()})
		}
		_, err := fmt.Fprintln(env.stdout, "entrepot", version())
		return err
	}}
	show.Flags().Bool("json", false, "print JSON")
	return show
}

// Version is set by the release build (-ldflags "-X main.Version=1.2.3").
var Version string

// version is the release's number, else the commit that the program was built from.
func version() string {
	if Version != "" {
		return Version
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return "dev-" + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return "dev"
}
