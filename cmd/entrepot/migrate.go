package main

import (
	"github.com/spf13/cobra"

	"entrepot/internal/server"
)

// newMigrateCommand is "entrepot migrate"; serve does the same when it starts.
func newMigrateCommand(env *environment) *cobra.Command {
	migrate := env.offline(making(&cobra.Command{Use: "migrate", Short: "Create the store if there is none, and bring its schema up to date"}),
		listing(func(cmd *cobra.Command, s *server.Store) error { // opening the store has migrated it
			return env.print(cmd, map[string]any{"engine": s.DB.Engine(), "current": true}, nil,
				[][]string{{"the store is up to date (" + s.DB.Engine() + ")"}})
		}))
	env.flags(migrate, "yes-i-have-a-backup")
	return migrate
}
