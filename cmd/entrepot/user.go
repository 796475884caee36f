package main

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/limits"
	"entrepot/internal/records"
	"entrepot/internal/server"
)

func recordUser(u accounts.User, of accounts.Account) json.RawMessage {
	return record(of, func(w *apijson.Writer) { records.WriteUser(w, "", u) }, nil)
}

// newUserCommand is "entrepot user".
func newUserCommand(env *environment) *cobra.Command {
	group := &cobra.Command{Use: "user", Short: "People with a login", Args: cobra.ArbitraryArgs, RunE: needsCommand}
	create := env.offline(&cobra.Command{Use: "create", Short: "Add a user to an account",
		Example: "  entrepot user create --email ann@example.com --name Ann --role viewer --password - < password.txt"}, env.createUser)
	flags := create.Flags()
	accountFlag(env, create, "may be left out when there is only one")
	flags.String("email", "", "e-mail address of the login")
	flags.String("name", "", "name of the person")
	flags.String("role", "admin", "owner, admin or viewer")
	flags.String("password", "", "password; - reads it from stdin")
	mustHave(create, "email", "name", "password")
	completeWith(create, "role", "owner", "admin", "viewer")
	show := env.offline(&cobra.Command{Use: "list", Short: "List the users of one account or of all"}, listing(env.listUsers))
	accountFlag(env, show, "without it, of all")
	password := &cobra.Command{Use: "set-password EMAIL", Short: "Give a user a new password and end the user's logins",
		Args:    cobra.MaximumNArgs(1),
		Example: "  entrepot user set-password me@example.com --password - < password.txt"}
	env.offline(password, env.setPassword)
	password.Flags().String("email", "", "e-mail address of the login, or the user's id")
	password.Flags().String("password", "", "the new password; - reads it from stdin")
	accountFlag(env, password, "without it, the user is looked for in all")
	mustHave(password, "password")
	group.AddCommand(create, show, password)
	return group
}

func (env *environment) setPassword(cmd *cobra.Command, args []string) (work, error) {
	text, err := target(cmd, args, "email", "user")
	if err != nil {
		return nil, err
	}
	password, err := env.password(cmd, "password", text)
	if err != nil {
		return nil, err
	}
	return func(s *server.Store) error {
		user, of, err := find(cmd, s, "user", text, func(tx *db.Tx) ([]accounts.User, error) {
			users, _, err := accounts.Users(tx, everything, 0)
			return users, err
		}, func(u accounts.User) []string { return []string{string(u.ID), u.Email} })
		if err != nil {
			return err
		}
		hash, err := accounts.Hashing{}.Hash(cmd.Context(), password)
		if err != nil {
			return err
		}
		err = write(cmd, s, of.Tenant, func(tx *db.Tx) (err error) {
			user, err = s.Commerce.UpdateUser(tx, accounts.Caller{}, user.ID, commerce.Expected{}, commerce.UserChange{PasswordHash: hash})
			return err
		})
		if err != nil {
			return err
		}
		return env.print(cmd, recordUser(user, of), nil, [][]string{{"id", string(user.ID)}, {"email", user.Email}, {"password", "changed"}})
	}, nil
}

// userDraft checks a new user's login and hashes its password.
func (env *environment) userDraft(cmd *cobra.Command, email, name, passwordFlag string) (draft commerce.UserDraft, err error) {
	if problem := limits.BadLogin(email); problem != "" {
		return draft, wrong("the e-mail address %s, not %q", problem, email)
	}
	if n := utf8.RuneCountInString(name); n < 1 || n > limits.MaxName {
		return draft, wrong("the user's name must have 1 to %d characters", limits.MaxName)
	}
	password, err := env.password(cmd, passwordFlag, email, name)
	if err != nil {
		return draft, err
	}
	hash, err := accounts.Hashing{}.Hash(cmd.Context(), password)
	return commerce.UserDraft{Email: email, Name: name, Role: accounts.Owner, PasswordHash: hash}, err
}

func (env *environment) createUser(cmd *cobra.Command, _ []string) (work, error) {
	text := func(flag string) string { v, _ := cmd.Flags().GetString(flag); return strings.TrimSpace(v) }
	role := accounts.Role(strings.ToLower(text("role")))
	if !slices.Contains(accounts.Roles, role) {
		return nil, wrong("--role must be owner, admin or viewer, not %q", role)
	}
	draft, err := env.userDraft(cmd, text("email"), text("name"), "password")
	if err != nil {
		return nil, err
	}
	draft.Role = role
	return func(s *server.Store) error {
		of, err := account(cmd, s)
		if err != nil {
			return err
		}
		var made accounts.User
		err = write(cmd, s, of.Tenant, func(tx *db.Tx) (err error) {
			made, err = s.Commerce.CreateUser(tx, accounts.Caller{}, draft)
			return err
		})
		if err != nil {
			return err
		}
		return env.print(cmd, recordUser(made, of), nil,
			[][]string{{"id", string(made.ID)}, {"email", made.Email}, {"name", made.Name}, {"role", string(made.Role)}})
	}, nil
}

func (env *environment) listUsers(cmd *cobra.Command, s *server.Store) error {
	shown, rows := []json.RawMessage{}, [][]string{}
	err := list(cmd, s, func(of accounts.Account, tx *db.Tx) error {
		found, _, err := accounts.Users(tx, everything, 0)
		for _, u := range found {
			shown = append(shown, recordUser(u, of))
			rows = append(rows, []string{string(u.ID), u.Email, u.Name, string(u.Role), string(u.Status), of.Name})
		}
		return err
	})
	if err != nil {
		return err
	}
	return env.print(cmd, shown, []string{"id", "email", "name", "role", "status", "account"}, rows)
}
