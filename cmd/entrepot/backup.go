package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"entrepot/internal/accounts"
	"entrepot/internal/base/secretbox"
	"entrepot/internal/db"
)

// copyRecord is the printed form of a copy. The sum is that of a SQLite store's copy, tables and rows are those of a
// PostgreSQL store.
type copyRecord struct {
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256,omitempty"` // of the bytes before it in the file
	Tables int    `json:"tables,omitempty"`
	Rows   int64  `json:"rows,omitempty"`
}

// newBackupCommand is "entrepot backup FILE".
func newBackupCommand(env *environment) *cobra.Command {
	backup := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write a consistent copy of the store, while the service runs",
		Long: "Write a consistent copy of the store into a file that does not exist yet, while the service runs, and check it.\n\n" +
			"The copy of a SQLite store ends with its SHA-256, which restore checks; it is a SQLite file all the same.\n\n" +
			"A PostgreSQL store is copied with pg_dump, which must be on this machine, not older than the server; no superuser is\n" +
			"needed. Every table's rows are counted in the copy: one that lacks rows is an error.\n\n" +
			"The master key is not in the copy. Keep master.key, or ENTREPOT_MASTER_KEY, in another place: without it stored\n" +
			"credentials and signing secrets cannot be read.",
		Example: "  entrepot backup /backups/entrepot-$(date +%F).db\n" +
			"  entrepot backup /backups/entrepot.pgdump --database postgres://entrepot@db/entrepot",
		Args: exactly("the file to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			began := time.Now()
			made, err := env.copyStore(cmd, args[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(env.stderr, "copied and checked in %s; the master key is not in it\n", time.Since(began).Round(time.Millisecond))
			row := []string{made.File, fmt.Sprintf("%d bytes", made.Bytes)}
			if made.SHA256 != "" {
				row = append(row, "SHA-256 "+made.SHA256)
			}
			if made.Tables > 0 {
				row = append(row, fmt.Sprintf("%d rows of %d tables", made.Rows, made.Tables))
			}
			return env.print(cmd, made, nil, [][]string{row})
		},
	}
	env.flags(backup, "data", "database")
	backup.Flags().Bool("json", false, "print JSON")
	backup.AddCommand(newBackupCheckCommand(env))
	return backup
}

func (env *environment) copyStore(cmd *cobra.Command, to string) (copyRecord, error) {
	if address := env.text(cmd, "database"); address != "" {
		made, err := db.CopyDatabase(cmd.Context(), address, to)
		return copyRecord{File: to, Bytes: made.Bytes, Tables: made.Tables, Rows: made.Rows}, err
	}
	if err := db.CopyFile(env.text(cmd, "data"), to); err != nil {
		return copyRecord{}, err
	}
	if err := db.CheckFile(to); err != nil {
		return copyRecord{}, fmt.Errorf("the copy is not sound: %w", err)
	}
	info, err := os.Stat(to)
	if err != nil {
		return copyRecord{}, err
	}
	sum, err := db.SumOf(to)
	return copyRecord{File: to, Bytes: info.Size(), SHA256: sum}, err
}

// restoreRecord is the printed form of a restored store.
type restoreRecord struct {
	File      string       `json:"file,omitempty"` // of a SQLite store
	SetAside  string       `json:"setAside,omitempty"`
	Tables    int          `json:"tables,omitempty"` // of a PostgreSQL store
	Rows      int64        `json:"rows,omitempty"`
	MasterKey neededRecord `json:"masterKey"`
}

// neededRecord says which master key a store needs, and whether it is there.
type neededRecord struct {
	ID    string `json:"id"`
	There bool   `json:"there"`
}

// newRestoreCommand is "entrepot restore FILE".
func newRestoreCommand(env *environment) *cobra.Command {
	restore := &cobra.Command{
		Use:   "restore FILE",
		Short: "Put a copy in the place of the store",
		Long: "Put a copy made by backup in the place of the store. The service must be stopped.\n\n" +
			"A SQLite store that is there is set aside, not removed. A PostgreSQL copy goes into an empty database only, in one\n" +
			"transaction, with pg_restore, which must be on this machine; every table's rows are counted afterwards.\n\n" +
			"The master key of the copied store must be in the data folder, or in ENTREPOT_MASTER_KEY, before the service starts.",
		Example: "  entrepot restore /backups/entrepot-2026-11-22.db --data /var/lib/entrepot\n" +
			"  createdb entrepot2 && entrepot restore /backups/entrepot.pgdump --database postgres://entrepot@db/entrepot2",
		Args: exactly("the copy's file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			done, err := env.restore(cmd, args[0])
			if err != nil {
				return err
			}
			row := []string{done.File}
			if done.File == "" {
				row = []string{"the database", fmt.Sprintf("%d rows of %d tables", done.Rows, done.Tables)}
			}
			return env.print(cmd, done, nil, [][]string{row})
		},
	}
	env.flags(restore, "data", "database")
	restore.Flags().Bool("json", false, "print JSON")
	return restore
}

func (env *environment) restore(cmd *cobra.Command, from string) (done restoreRecord, err error) {
	if address := env.text(cmd, "database"); address != "" {
		made, err := db.RestoreDatabase(cmd.Context(), from, address)
		if err != nil {
			return done, err
		}
		done.Tables, done.Rows = made.Tables, made.Rows
	} else {
		dir := env.text(cmd, "data")
		if done.SetAside, err = db.Restore(from, dir); err != nil {
			return done, err
		}
		done.File = filepath.Join(dir, db.File)
		if sum, err := db.SumOf(from); err == nil && sum == "" {
			fmt.Fprintln(env.stderr, "the copy has no checksum, because it is of an earlier version or was not made by backup: damage that "+
				"left its structure whole was not noticed")
		}
		if done.SetAside != "" {
			fmt.Fprintln(env.stderr, "the store that was there is now", done.SetAside)
		}
	}
	done.MasterKey, err = env.neededKey(cmd)
	if needed := done.MasterKey; err == nil && needed.ID != "" && !needed.There {
		fmt.Fprintf(env.stderr, "the store's secrets are encrypted with the master key %s, which is not here: before the service starts, "+
			"put its copy to %s, or give it in ENTREPOT_MASTER_KEY\n", needed.ID, filepath.Join(env.text(cmd, "data"), secretbox.FileName))
	}
	return done, err
}

// neededKey finds out which master key the store needs. A store of an older schema may not have its id.
func (env *environment) neededKey(cmd *cobra.Command) (needed neededRecord, err error) {
	c, err := env.storeConfig(cmd)
	if err != nil {
		return needed, err
	}
	store, err := db.OpenExisting(cmd.Context(), db.Config{URL: c.URL, Dir: c.Dir})
	if err != nil {
		return needed, err
	}
	defer store.Close()
	needed.ID = storeKey(cmd.Context(), store)
	key, there, err := masterKeyOf(c)
	if err != nil && !errors.Is(err, secretbox.ErrEmptyFile) {
		fmt.Fprintln(env.stderr, "the master key cannot be used:", err)
	}
	needed.There = err == nil && there && key.ID() == needed.ID
	return needed, nil
}

// storeKey is the id of the master key of a store's secrets, "" if the store does not have it.
func storeKey(ctx context.Context, store *db.DB) (id string) {
	_ = store.Read(ctx, db.Across, func(tx *db.Tx) (err error) { // an older schema has no table for it
		id, err = accounts.StoreKey(tx)
		return err
	})
	return id
}

// exactly requires one argument; its error names the kind of argument.
func exactly(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 || args[0] == "" {
			return wrong("usage: entrepot %s: give %s", cmd.Use, what)
		}
		return nil
	}
}
