package main

import (
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

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

// Version is what the build sets (-ldflags "-X main.Version=…"): make release the version of CHANGELOG.md's newest
// heading, make build the same with -dev and the commit behind it.
var Version string

// version is the program's version. Of a program that was built without the Makefile it is dev and the commit, if Go
// knows it.
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
