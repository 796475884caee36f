package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/server"
)

// commandWait is how long a command waits for a connection or a lock of a busy database server, four times as long as a
// request: nobody waits behind it, and a script that makes accounts while a service is busy would have to try again.
// Tests raise it. A server that refuses the connection is reported at once.
var commandWait = 20 * time.Second

// withStore opens a command's store, calls run, and closes the store. A server may have the store open too.
func (env *environment) withStore(cmd *cobra.Command, run func(*server.Store) error) error {
	c, err := env.storeConfig(cmd)
	if err != nil {
		return err
	}
	if c.Log, err = env.logger(cmd); err != nil {
		return err
	}
	c.MustExist, c.MinWait = cmd.Annotations[makesStore] == "", commandWait
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

// makesStore marks a command that creates a missing store. Other commands report it, because --data may be mistyped.
const makesStore = "makes the store"

// making marks a command as one that may create the store.
func making(cmd *cobra.Command) *cobra.Command {
	cmd.Annotations = map[string]string{makesStore: "yes"}
	return cmd
}

// work is the work of a command on the store after its flags and arguments were checked.
type work func(s *server.Store) error

// offline is a command on the store, with the flags that choose it. prepare checks flags and arguments before the
// store is opened.
func (env *environment) offline(cmd *cobra.Command, prepare func(cmd *cobra.Command, args []string) (work, error)) *cobra.Command {
	env.flags(cmd, "data", "database", "log-level", "log-format")
	cmd.Flags().Bool("json", false, "print JSON")
	if cmd.Args == nil {
		cmd.Args = noArguments
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		do, err := prepare(cmd, args)
		if err != nil {
			return err
		}
		return env.withStore(cmd, do)
	}
	return cmd
}

// listing is a command without arguments to check.
func listing(show func(*cobra.Command, *server.Store) error) func(*cobra.Command, []string) (work, error) {
	return func(cmd *cobra.Command, _ []string) (work, error) {
		return func(s *server.Store) error { return show(cmd, s) }, nil
	}
}

// account finds the account of --account; without it, the only one.
func account(cmd *cobra.Command, s *server.Store) (accounts.Account, error) {
	text, _ := cmd.Flags().GetString("account")
	return accountNamed(cmd, s.DB, text)
}

// accountNamed finds the account by id or name; with an empty text, the only account.
func accountNamed(cmd *cobra.Command, store *db.DB, text string) (found accounts.Account, err error) {
	var list []accounts.Account
	err = store.Read(cmd.Context(), db.Across, func(tx *db.Tx) (err error) {
		list, err = accounts.Accounts(tx)
		return err
	})
	if err != nil {
		return found, err
	}
	if text == "" {
		if len(list) != 1 {
			return found, wrong("the store has %d accounts: say which with --account\n%s", len(list), listed(list))
		}
		return list[0], nil
	}
	for _, same := range []func(a accounts.Account) bool{
		func(a accounts.Account) bool { return strings.EqualFold(string(a.ID), text) },
		func(a accounts.Account) bool { return a.Name == text },
		func(a accounts.Account) bool { return strings.EqualFold(a.Name, strings.TrimSpace(text)) },
	} {
		switch matches := slices.DeleteFunc(slices.Clone(list), func(a accounts.Account) bool { return !same(a) }); {
		case len(matches) == 1:
			return matches[0], nil
		case len(matches) > 1:
			return found, wrong("%d accounts are named %q: say which by its id\n%s", len(matches), text, listed(matches))
		}
	}
	return found, fmt.Errorf("there is no account %q in the store\n%s", text, listed(list))
}

// listed is a short list of accounts for a message.
func listed(list []accounts.Account) string {
	if len(list) == 0 {
		return "  it has none; make one with: entrepot account create"
	}
	lines := make([]string, 0, len(list))
	for i, a := range list {
		if i == 10 {
			lines = append(lines, "  … and more; see: entrepot account list")
			break
		}
		lines = append(lines, "  "+string(a.ID)+"  "+a.Name)
	}
	return strings.Join(lines, "\n")
}

// accountFlag adds the flag that names an account.
func accountFlag(env *environment, cmd *cobra.Command, without string) {
	cmd.Flags().String("account", "", "id or name of the account; "+without)
	completeAccounts(env, cmd)
}

// nameFlag is the value of --name: 1 to 120 characters, as in the API.
func nameFlag(cmd *cobra.Command) (string, error) {
	text, _ := cmd.Flags().GetString("name")
	text = strings.TrimSpace(text)
	if n := utf8.RuneCountInString(text); n < 1 || n > 120 {
		return "", wrong("--name must have 1 to 120 characters")
	}
	return text, nil
}

// target is the record that a command works on: its argument, or the flag of that name.
func target(cmd *cobra.Command, args []string, flag, what string) (string, error) {
	text, _ := cmd.Flags().GetString(flag)
	if len(args) > 0 && text != "" && args[0] != text {
		return "", wrong("%s is given twice, as %q and as --%s %q", what, args[0], flag, text)
	}
	if len(args) > 0 {
		text = args[0]
	}
	if text = strings.TrimSpace(text); text == "" {
		return "", wrong("say which %s: %s", what, cmd.UseLine())
	}
	return text, nil
}

// find finds the only record that a text names, in the account of --account or in all accounts; named gives the names
// of a record, the id first.
func find[T any](cmd *cobra.Command, s *server.Store, noun, text string, all func(tx *db.Tx) ([]T, error), named func(T) []string) (
	found T, of accounts.Account, err error) {
	var matches []string
	err = list(cmd, s, func(in accounts.Account, tx *db.Tx) error {
		records, err := all(tx)
		for _, r := range records {
			if slices.ContainsFunc(named(r), func(name string) bool { return strings.EqualFold(name, text) }) {
				found, of = r, in
				matches = append(matches, fmt.Sprintf("  %s  in %s", named(r)[0], in.Name))
			}
		}
		return err
	})
	switch {
	case err != nil:
	case len(matches) == 0:
		err = fmt.Errorf("there is no %s %q in the store; see: entrepot %s list", noun, text, cmd.Parent().Name())
	case len(matches) > 1:
		err = wrong("%q is the name of %d: say which by its id\n%s", text, len(matches), strings.Join(matches, "\n"))
	}
	return found, of, err
}

// list runs a read for the account of --account; without it, for every account of the store.
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

// write runs one operation of an account.
func write(cmd *cobra.Command, s *server.Store, tenant id.Tenant, operation func(tx *db.Tx) error) error {
	return s.DB.Write(cmd.Context(), tenant, operation)
}

// password is a flag's value; "-" reads a line from stdin, so that it need not be an argument. others are the user's
// e-mail address and name.
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

// print writes a result: as JSON if requested, otherwise as lines of name and value, or as a table for a list.
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
