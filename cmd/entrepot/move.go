package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/verify"
	"entrepot/internal/webhooks"
)

// movedRecord is the printed form of a move.
type movedRecord struct {
	Tables  int   `json:"tables"`
	Rows    int64 `json:"rows"`
	Seconds int64 `json:"seconds"`
	Holds   bool  `json:"holds"` // both stores passed verify afterwards
}

// newMoveCommand is "entrepot move": from one file to a PostgreSQL database.
func newMoveCommand(env *environment) *cobra.Command {
	move := &cobra.Command{
		Use:   "move",
		Short: "Move a SQLite store into an empty PostgreSQL database",
		Long: "Move a SQLite store into an empty PostgreSQL database, which gets its schema first. The service must be stopped.\n\n" +
			"All rows are copied in one transaction and counted table by table: after a failure the target is still empty, and the command\n" +
			"can be repeated. The role that the address names must own the tables. Ids, cursors of feeds, stored answers and pending\n" +
			"deliveries stay as they are. Then both stores are verified. The source is not changed.\n\n" +
			"The nodes on the database need the master key of the source: its master.key, or ENTREPOT_MASTER_KEY.",
		Example: "  createdb entrepot && entrepot move --from ./data --to postgres://entrepot@db/entrepot",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return env.move(cmd) },
	}
	move.Flags().String("from", "", "data folder of the SQLite store")
	move.Flags().String("to", "", "postgres://user:password@host/name of the empty database")
	move.Flags().Bool("no-verify", false, "do not verify the stores afterwards")
	move.Flags().Bool("json", false, "print JSON")
	return move
}

func (env *environment) move(cmd *cobra.Command) error {
	dir, _ := cmd.Flags().GetString("from")
	address, _ := cmd.Flags().GetString("to")
	if dir == "" || address == "" {
		return wrong("say which store with --from and which database with --to")
	}
	busy, err := db.FileInUse(dir)
	if err != nil {
		return err
	}
	if busy {
		return fmt.Errorf("the store in %s is in use: stop the service first", dir)
	}
	from, err := db.OpenExisting(cmd.Context(), db.Config{Dir: dir})
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := db.Open(cmd.Context(), db.Config{URL: address})
	if err != nil {
		return err
	}
	defer to.Close()
	for _, store := range []*db.DB{from, to} {
		if _, err := store.Migrate(cmd.Context()); err != nil {
			return err
		}
	}
	made, err := env.moveRows(cmd, from, to)
	if err != nil {
		return err
	}
	if skip, _ := cmd.Flags().GetBool("no-verify"); !skip {
		if made.Holds, err = env.bothHold(cmd, from, to); err != nil {
			return err
		}
	}
	row := []string{fmt.Sprintf("%d rows of %d tables", made.Rows, made.Tables)}
	return env.print(cmd, made, nil, [][]string{row})
}

func (env *environment) moveRows(cmd *cobra.Command, from, to *db.DB) (made movedRecord, err error) {
	began := time.Now()
	// queues that the stopped service held are released
	moved, err := db.Move(cmd.Context(), from, to, func(tx *db.Tx) error {
		_, err := webhooks.Abandon(tx)
		if err == nil {
			_, err = jobs.Abandon(tx)
		}
		return err
	}, func(m db.Moved) {
		if m.Rows > 0 {
			fmt.Fprintf(env.stderr, "%s: %d rows\n", m.Table, m.Rows)
		}
	})
	if errors.Is(err, db.ErrNotEmpty) {
		return made, fmt.Errorf("%w: a store is moved into an empty database only", err)
	}
	for _, m := range moved {
		made.Tables++
		made.Rows += m.Rows
	}
	made.Seconds = int64(time.Since(began).Seconds())
	return made, err
}

// bothHold verifies both stores.
func (env *environment) bothHold(cmd *cobra.Command, from, to *db.DB) (bool, error) {
	for _, store := range []*db.DB{from, to} {
		fmt.Fprintf(env.stderr, "verifying the %s store\n", store.Engine())
		results, err := verify.Run(cmd.Context(), store, "")
		if err != nil {
			return false, err
		}
		for _, r := range results {
			if r.Wrong > 0 {
				return false, fmt.Errorf("the %s store does not hold, %s: %v", store.Engine(), r.Name, r.Examples)
			}
		}
	}
	return true, nil
}
