package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"entrepot/internal/base/secretbox"
	"entrepot/internal/server"
)

// newKeyRotateCommand is "entrepot key-rotate".
func newKeyRotateCommand(env *environment) *cobra.Command {
	cmd := &cobra.Command{Use: "key-rotate", Short: "Replace the master key: encrypt every secret of the store with a new one",
		Args: noArguments,
		Long: "Replace the master key: encrypt every secret of the store with a new one. Stop every server of the store first:\n" +
			"a SQLite store that is served is refused; on PostgreSQL a node that still runs is not noticed, and from then on\n" +
			"cannot read secrets, so its deliveries and channels fail until it is started with the new key.\n\n" +
			"With a master.key file the new key is written beside it and replaces it at the end; the old one stays as master.key.<id>,\n" +
			"because earlier backups need it. With ENTREPOT_MASTER_KEY the new key is given in ENTREPOT_NEW_MASTER_KEY.\n" +
			"If it is interrupted, run it again and it continues."}
	env.flags(cmd, "data", "database", "log-level", "log-format")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return env.rotateKey(cmd) }
	return cmd
}

func (env *environment) rotateKey(cmd *cobra.Command) error {
	c, err := env.storeConfig(cmd)
	if err != nil {
		return err
	}
	if c.Log, err = env.logger(cmd); err != nil {
		return err
	}
	var key secretbox.Key
	text := env.getenv("ENTREPOT_NEW_MASTER_KEY")
	switch {
	case c.MasterKey != "" && text == "":
		return wrong("the master key is given in ENTREPOT_MASTER_KEY: give the new one in ENTREPOT_NEW_MASTER_KEY (make one with: openssl rand " +
			"-base64 32)")
	case c.MasterKey != "":
		if key, err = secretbox.Parse(text); err != nil {
			return wrong("ENTREPOT_NEW_MASTER_KEY: %v", err)
		}
	case text != "":
		return wrong("ENTREPOT_NEW_MASTER_KEY goes with ENTREPOT_MASTER_KEY; a master.key file gets a new key of its own")
	}
	done, err := server.RotateKey(cmd.Context(), c, key)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.stdout, "%d secrets are now encrypted with the master key %s\n", done.Encrypted, done.Key)
	if done.Kept != "" {
		fmt.Fprintf(env.stdout, "the old key is in %s: earlier backups need it\n", done.Kept)
	} else {
		fmt.Fprintln(env.stdout, "start every node with the new key in ENTREPOT_MASTER_KEY")
	}
	return nil
}
