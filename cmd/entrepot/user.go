package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entrepot/internal/accounts"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/server"
	"entrepot/internal/wire"
)

// userRecord is a user as printed; the names are those of interface §2.7.10.
type userRecord struct {
	ID          string  `json:"id"`
	Email       string  `json:"email"`
	Name        string  `json:"name"`
	Role        string  `json:"role"`
	Status      string  `json:"status"`
	AccountID   string  `json:"accountId"`
	CreatedAt   string  `json:"createdAt"`
	LastLoginAt *string `json:"lastLoginAt"`
}

func recordUser(u accounts.User, of accounts.Account) userRecord {
	return userRecord{ID: string(u.ID), AccountID: string(of.ID), Email: u.Email, Name: u.Name, Role: string(u.Role), Status: string(u.Status),
		CreatedAt: wire.TimeText(u.CreatedAt), LastLoginAt: timeOrNull(u.LastLoginAt)}
}

// timeOrNull is a moment as printed, nil for never.
func timeOrNull(micros int64) *string {
	if micros == 0 {
		return nil
	}
	text := wire.TimeText(micros)
	return &text
}

// textOrNull is nil for nothing.
func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// newUserCommand is "entrepot user".
func newUserCommand(env *environment) *cobra.Command {
	group := &cobra.Command{Use: "user", Short: "People with a login", Args: cobra.ArbitraryArgs, RunE: needsCommand}
	create := env.offline(&cobra.Command{Use: "create", Short: "Add a user to an account"}, env.createUser)
	flags := create.Flags()
	flags.String("account", "", "id of the account; may be left out when there is only one")
	flags.String("email", "", "e-mail address of the login")
	flags.String("name", "", "name of the person")
	flags.String("role", "admin", "owner, admin or viewer")
	flags.String("password", "", "password; - reads it from stdin")
	mustHave(create, "email", "name", "password")
	show := env.offline(&cobra.Command{Use: "list", Short: "List the users of one account or of all"}, env.listUsers)
	show.Flags().String("account", "", "id of an account; without it, of all")
	group.AddCommand(create, show)
	return group
}

// userDraft checks a new user's login and hashes its password.
func (env *environment) userDraft(cmd *cobra.Command, email, name, passwordFlag string) (draft commerce.UserDraft, err error) {
	if problem := accounts.BadEmail(email); problem != "" {
		return draft, wrong("the e-mail address %s", problem)
	}
	if name == "" {
		return draft, wrong("the user needs a name")
	}
	password, err := env.password(cmd, passwordFlag, email, name)
	if err != nil {
		return draft, err
	}
	hash, err := accounts.HashPassword(cmd.Context(), password)
	return commerce.UserDraft{Email: email, Name: name, Role: accounts.Owner, PasswordHash: hash}, err
}

func (env *environment) createUser(cmd *cobra.Command, s *server.Store) error {
	text := func(flag string) string { v, _ := cmd.Flags().GetString(flag); return strings.TrimSpace(v) }
	role := accounts.Role(strings.ToLower(text("role")))
	if !slices.Contains(accounts.Roles, role) {
		return wrong("--role must be owner, admin or viewer, not %q", role)
	}
	of, err := account(cmd, s)
	if err != nil {
		return err
	}
	draft, err := env.userDraft(cmd, text("email"), text("name"), "password")
	if err != nil {
		return err
	}
	draft.Role = role
	var made accounts.User
	err = write(cmd, s, of.Tenant, func(tx *db.Tx) (err error) {
		made, err = s.Commerce.CreateUser(tx, accounts.Caller{}, draft)
		return err
	})
	if err != nil {
		return err
	}
	r := recordUser(made, of)
	return env.print(cmd, r, nil, [][]string{{"id", r.ID}, {"email", r.Email}, {"name", r.Name}, {"role", r.Role}})
}

func (env *environment) listUsers(cmd *cobra.Command, s *server.Store) error {
	records, rows := []userRecord{}, [][]string{}
	err := list(cmd, s, func(of accounts.Account, tx *db.Tx) error {
		found, _, err := accounts.Users(tx, everything, 0)
		for _, u := range found {
			r := recordUser(u, of)
			records = append(records, r)
			rows = append(rows, []string{r.ID, r.Email, r.Name, r.Role, r.Status, of.Name})
		}
		return err
	})
	if err != nil {
		return err
	}
	return env.print(cmd, records, []string{"id", "email", "name", "role", "status", "account"}, rows)
}
