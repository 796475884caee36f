package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"entrepot/internal/accounts"
	"entrepot/internal/base/secretbox"
	"entrepot/internal/db"
	"entrepot/internal/server"
)

// exportedRecord is the printed form of an exported master key.
type exportedRecord struct {
	ID   string `json:"id"`
	Key  string `json:"key,omitempty"`  // unless it was written to a file
	File string `json:"file,omitempty"` // "" if it was printed
}

// newKeyExportCommand is "entrepot key-export".
func newKeyExportCommand(env *environment) *cobra.Command {
	return env.offline(&cobra.Command{Use: "key-export [FILE]",
		Short: "Print the master key, or write it to a file, for a copy apart from the store",
		Long: "Print the master key of the store, or write it to a file that does not exist yet and that only its owner can read.\n\n" +
			"Keep it on another machine than the store and apart from its backups: who has both can read every stored credential, and\n" +
			"with a backup alone nobody can. The store remembers that its key was exported; doctor warns until it was. After key-rotate\n" +
			"export the new key, too.",
		Example: "  entrepot key-export /media/safe/entrepot-master.key\n  entrepot key-export | gpg --encrypt -r me >master.key.gpg",
		Args:    cobra.MaximumNArgs(1)},
		func(cmd *cobra.Command, args []string) (work, error) {
			to := ""
			if len(args) == 1 {
				if to = args[0]; to == "" {
					return nil, wrong("the file's name is empty")
				}
			}
			return func(s *server.Store) error { return env.exportKey(cmd, s, to) }, nil
		})
}

// exportKey prints the master key or writes its file. The store, which is open, has this key.
func (env *environment) exportKey(cmd *cobra.Command, s *server.Store, to string) error {
	c, err := env.storeConfig(cmd)
	if err != nil {
		return err
	}
	text := c.MasterKey
	if text == "" {
		file, err := os.ReadFile(filepath.Join(c.Dir, secretbox.FileName))
		if err != nil {
			return err
		}
		text = string(file)
	}
	text = strings.TrimSpace(text)
	made := exportedRecord{ID: s.Commerce.Key.ID(), File: to}
	if to == "" {
		made.Key = text
	} else if err := writeKey(to, text); err != nil {
		return err
	}
	if err := env.print(cmd, made, nil, [][]string{{made.Key + made.File}}); err != nil {
		return err
	}
	fmt.Fprintf(env.stderr, "the master key %s: keep it on another machine, apart from the backups; a rotated key must be exported again\n", made.ID)
	return s.DB.Write(cmd.Context(), db.Across, func(tx *db.Tx) error {
		accounts.KeyExported(tx, made.ID)
		return nil
	})
}

// writeKey writes a key to a new file and returns when the disk holds it.
func writeKey(path, text string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists already, it is not overwritten", path)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(file, text)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
