package main

import (
	"strings"

	"github.com/spf13/cobra"

	"entrepot/internal/accounts"
	"entrepot/internal/db"
)

// completeWith makes the shell complete a flag's value with one of these.
func completeWith(cmd *cobra.Command, flag string, values ...string) {
	mustComplete(cmd, flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values, cobra.ShellCompDirectiveNoFileComp
	})
}

// completeList makes the shell complete the last of a flag's comma-separated values.
func completeList(cmd *cobra.Command, flag string, values []string) {
	mustComplete(cmd, flag, func(_ *cobra.Command, _ []string, begun string) (list []string, _ cobra.ShellCompDirective) {
		given := begun[:strings.LastIndex(begun, ",")+1]
		for _, v := range values {
			if !strings.Contains(","+given, ","+v+",") {
				list = append(list, given+v)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

// completeAccounts makes the shell complete --account with the names of the store's accounts.
func completeAccounts(env *environment, cmd *cobra.Command) {
	mustComplete(cmd, "account", func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return env.accountNames(cmd), cobra.ShellCompDirectiveNoFileComp
	})
}

func mustComplete(cmd *cobra.Command, flag string, values cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, values); err != nil {
		panic(err) // the flag exists
	}
}

// accountNames are the names of the accounts in the store of an incomplete command line; none if the store cannot be
// read.
func (env *environment) accountNames(cmd *cobra.Command) (names []string) {
	if env.fill(cmd) != nil {
		return nil
	}
	c, err := env.storeConfig(cmd)
	if err != nil {
		return nil
	}
	store, err := db.OpenExisting(cmd.Context(), db.Config{URL: c.URL, Dir: c.Dir})
	if err != nil {
		return nil
	}
	defer store.Close()
	_ = store.Read(cmd.Context(), db.Across, func(tx *db.Tx) error { // without names there is nothing to complete
		list, err := accounts.Accounts(tx)
		for _, a := range list {
			names = append(names, a.Name)
		}
		return err
	})
	return names
}
