package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"entrepot/internal/accounts"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/server"
)

// withStore opens the store that a command names, runs it, and closes the store. A server may have the store open too.
func (env *environment) withStore(cmd *cobra.Command, run func(*server.Store) error) error {
	c, err := env.storeConfig(cmd)
	if err != nil {
		return err
	}
	if c.Log, err = env.logger(cmd); err != nil {
		return err
	}
	store, err := server.OpenStore(cmd.Context(), c)
	if err != nil {
		return err
	}
	err = run(store)
	if closing := store.Close(); err == nil {
		err = closing
	}
	return err
}

// offline makes a command on the store, with the flags that say which.
func (env *environment) offline(cmd *cobra.Command, run func(*cobra.Command, *server.Store) error) *cobra.Command {
	env.flags(cmd, "data", "database", "dev", "log-level", "log-format")
	cmd.Flags().Bool("json", false, "print JSON")
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return env.withStore(cmd, func(s *server.Store) error { return run(cmd, s) })
	}
	return cmd
}

// account finds the account that --account names; without it, the only one.
func account(cmd *cobra.Command, s *server.Store) (found accounts.Account, err error) {
	text, _ := cmd.Flags().GetString("account")
	err = s.DB.Read(cmd.Context(), db.Across, func(tx *db.Tx) error {
		if text != "" {
			parsed, ok := id.Parse[id.Account](text)
			if !ok {
				return wrong("--account must be an account's id; see: entrepot account list")
			}
			found, err = accounts.ByID(tx, parsed)
			return err
		}
		list, err := accounts.Accounts(tx)
		switch {
		case err != nil:
			return err
		case len(list) != 1:
			return wrong("the store has %d accounts: say which with --account; see: entrepot account list", len(list))
		}
		found = list[0]
		return nil
	})
	return found, err
}

// list runs a read for the account that --account names; without it, for every account of the store.
func list(cmd *cobra.Command, s *server.Store, read func(accounts.Account, *db.Tx) error) error {
	var chosen []accounts.Account
	if text, _ := cmd.Flags().GetString("account"); text != "" {
		one, err := account(cmd, s)
		if err != nil {
			return err
		}
		chosen = append(chosen, one)
	} else if err := s.DB.Read(cmd.Context(), db.Across, func(tx *db.Tx) (err error) {
		chosen, err = accounts.Accounts(tx)
		return err
	}); err != nil {
		return err
	}
	for _, one := range chosen {
		if err := s.DB.Read(cmd.Context(), one.Tenant, func(tx *db.Tx) error { return read(one, tx) }); err != nil {
			return err
		}
	}
	return nil
}

// everything is more rows than a printed list has.
const everything = 1_000_000

// write runs one act of an account.
func write(cmd *cobra.Command, s *server.Store, tenant id.Tenant, act func(tx *db.Tx) error) error {
	return s.DB.Write(cmd.Context(), tenant, act)
}

// password is a flag's value; "-" reads a line from stdin, so that it need not be an argument.
// Others are what everybody knows of the user.
func (env *environment) password(cmd *cobra.Command, flag string, others ...string) (string, error) {
	text, _ := cmd.Flags().GetString(flag)
	if text == "-" {
		line, err := bufio.NewReader(env.stdin).ReadString('\n')
		if line == "" && err != nil {
			return "", fmt.Errorf("reading the password: %w", err)
		}
		text = strings.TrimRight(line, "\r\n")
	}
	if problem := accounts.BadPassword(text, others...); problem != "" {
		return "", wrong("--%s %s", flag, problem)
	}
	return text, nil
}

// print writes a result: as JSON when asked, else as lines of name and value, or as a table for a list.
func (env *environment) print(cmd *cobra.Command, result any, columns []string, rows [][]string) error {
	if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
		encoder := json.NewEncoder(env.stdout)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(result)
	}
	table := tabwriter.NewWriter(env.stdout, 0, 0, 2, ' ', 0)
	if len(columns) > 0 {
		fmt.Fprintln(table, strings.ToUpper(strings.Join(columns, "\t")))
	}
	for _, row := range rows {
		fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	return table.Flush()
}
