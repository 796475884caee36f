package main

import (
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"entrepot/internal/accounts"
	"entrepot/internal/limits"
	"entrepot/internal/server"
)

// newConfigCommand is "entrepot config print".
func newConfigCommand(env *environment) *cobra.Command {
	group := &cobra.Command{Use: "config", Short: "Show the settings", Args: cobra.ArbitraryArgs, RunE: needsCommand}
	show := &cobra.Command{Use: "print", Short: "Print the settings in force and where each comes from, secrets masked; checked as serve does",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := env.serverConfig(cmd)
			if err != nil {
				return err
			}
			if err := checkAdmin(c.Admin); err != nil {
				return err
			}
			record, rows := map[string]string{}, [][]string{}
			for _, s := range settings {
				value, from := env.get(cmd, s.name)
				value = masked(s, value)
				record[s.name] = value
				rows = append(rows, []string{s.name, value, from, variable(s.name)})
			}
			return env.print(cmd, record, []string{"setting", "value", "from", "variable"}, rows)
		}}
	for _, s := range settings {
		if !s.secret {
			env.flags(show, s.name)
		}
	}
	show.Flags().Bool("json", false, "print JSON")
	group.AddCommand(show)
	return group
}

// checkAdmin refuses an owner that serve would refuse on an empty store.
func checkAdmin(admin server.Admin) error {
	if admin.Email != "" {
		if problem := limits.BadLogin(admin.Email); problem != "" {
			return wrong("admin-email %s", problem)
		}
	}
	if admin.Password != "" {
		if problem := accounts.BadPassword(admin.Password, admin.Email); problem != "" {
			return wrong("admin-password %s (ENTREPOT_ADMIN_PASSWORD, or the settings file)", problem)
		}
	}
	return nil
}

// masked hides secrets, and the password inside a database address.
func masked(s setting, value string) string {
	if value == "" {
		return ""
	}
	if s.secret {
		return "***"
	}
	if s.name == "database" {
		u, err := url.Parse(value)
		if err != nil {
			return "***"
		}
		if _, has := u.User.Password(); has {
			u.User = url.UserPassword(u.User.Username(), "***")
		}
		query := u.Query()
		for name := range query {
			if strings.Contains(strings.ToLower(name), "password") { // that of a key file is sslpassword
				query.Set(name, "***")
				u.RawQuery = query.Encode()
			}
		}
		text, err := url.PathUnescape(u.String())
		if err != nil {
			return "***"
		}
		return text
	}
	return value
}
