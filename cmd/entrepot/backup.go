package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entrepot/internal/db"
)

// newBackupCommand is "entrepot backup FILE".
func newBackupCommand(env *environment) *cobra.Command {
	backup := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write a consistent copy of the store, while the service runs",
		Long: "Write a consistent copy of the SQLite store into a file that does not exist yet, while the service runs.\n\n" +
			"The master key is not in it. Keep a copy of master.key, or of ENTREPOT_MASTER_KEY, in another place: without it\n" +
			"stored credentials and signing secrets cannot be read.\n\n" +
			"PostgreSQL has its own tool; the command line for it is printed.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if url := env.text(cmd, "database"); url != "" {
				return fmt.Errorf("a PostgreSQL store is copied by PostgreSQL's own tool:\n  pg_dump --format=custom --file=%s %s", quoted(args[0]), quoted(masked(*findSetting("database"), url)))
			}
			began := time.Now()
			if err := db.CopyFile(env.text(cmd, "data"), args[0]); err != nil {
				return err
			}
			if err := db.CheckFile(args[0]); err != nil {
				return fmt.Errorf("the copy is not sound: %w", err)
			}
			info, err := os.Stat(args[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(env.stderr, "copied and checked in %s; the master key is not in it\n", time.Since(began).Round(time.Millisecond))
			return env.print(cmd, map[string]any{"file": args[0], "bytes": info.Size()}, nil, [][]string{{args[0], fmt.Sprint(info.Size())}})
		},
	}
	env.flags(backup, "data", "database")
	backup.Flags().Bool("json", false, "print JSON")
	return backup
}

// newRestoreCommand is "entrepot restore FILE".
func newRestoreCommand(env *environment) *cobra.Command {
	restore := &cobra.Command{
		Use:   "restore FILE",
		Short: "Put a copy in the place of the store",
		Long: "Put a copy made by backup in the place of the SQLite store. The service must be stopped; a store that is there is\n" +
			"set aside, not removed. The master key of the copied store must be in the data folder, or in ENTREPOT_MASTER_KEY.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if url := env.text(cmd, "database"); url != "" {
				return fmt.Errorf("a PostgreSQL store is restored by PostgreSQL's own tool:\n  pg_restore --clean --if-exists --dbname=%s %s", quoted(masked(*findSetting("database"), url)), quoted(args[0]))
			}
			dir := env.text(cmd, "data")
			aside, err := db.Restore(args[0], dir)
			if err != nil {
				return err
			}
			if aside != "" {
				fmt.Fprintln(env.stderr, "the store that was there is now", aside)
			}
			return env.print(cmd, map[string]any{"file": filepath.Join(dir, db.File), "setAside": aside}, nil, [][]string{{filepath.Join(dir, db.File)}})
		},
	}
	env.flags(restore, "data", "database")
	restore.Flags().Bool("json", false, "print JSON")
	return restore
}

// quoted is an argument as a shell takes it.
func quoted(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
