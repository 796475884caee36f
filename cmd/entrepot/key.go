package main

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/records"
	"entrepot/internal/server"
)

// recordKey shows the text of a key at its creation only.
func recordKey(k accounts.Key, secret string, of accounts.Account) json.RawMessage {
	return record(of, func(w *apijson.Writer) { records.WriteKey(w, "", k, secret) }, nil)
}

// newKeyCommand is "entrepot key".
func newKeyCommand(env *environment) *cobra.Command {
	group := &cobra.Command{Use: "key", Short: "API keys", Args: cobra.ArbitraryArgs, RunE: needsCommand}
	create := env.offline(&cobra.Command{Use: "create", Short: "Create an API key and print it, this once",
		Example: "  entrepot key create --name ERP --scopes write:products,write:inventory,read:orders\n" +
			"  entrepot key create --name report --scopes read:orders --expires-in 30d --json",
		Long: "Create an API key and print it, this once.\n\nScopes: " + strings.Join(accounts.AllScopes, ", ") + ", or all."}, env.createKey)
	flags := create.Flags()
	accountFlag(env, create, "may be left out when there is only one")
	flags.String("name", "", "what the key is for")
	flags.StringSlice("scopes", nil, "what it may do, separated by commas; all for everything")
	flags.Var(new(life), "expires-in", "how long it works, such as 30d or 12h; without it, until it is revoked")
	mustHave(create, "name", "scopes")
	completeList(create, "scopes", append([]string{"all"}, accounts.AllScopes...))
	show := env.offline(&cobra.Command{Use: "list", Short: "List the keys of one account or of all"}, listing(env.listKeys))
	accountFlag(env, show, "without it, of all")
	revoke := &cobra.Command{Use: "revoke ID", Short: "Revoke an API key, at once and for good", Args: cobra.MaximumNArgs(1),
		Long: "Revoke an API key, at once and for good, also on a service that runs. ID is the key's id or the beginning that key " +
			"list shows.",
		Example: "  entrepot key revoke 019a1c52-7c1e-7d40-9a55-00000000a001\n  entrepot key revoke pk_live_ab12"}
	env.offline(revoke, env.revokeKey)
	revoke.Flags().String("id", "", "id of the key, or its beginning")
	accountFlag(env, revoke, "without it, the key is looked for in all")
	group.AddCommand(create, show, revoke)
	return group
}

// life is how long a key is valid: a duration with days, longer than zero.
type life time.Duration

// maxLife is a hundred years.
const maxLife = 36_500 * 24 * time.Hour

// Set parses "30d", "12h" or "1d12h".
func (l *life) Set(text string) error {
	var total time.Duration
	days, rest, hasDays := strings.Cut(strings.TrimSpace(text), "d")
	if hasDays {
		n, err := strconv.ParseUint(days, 10, 32)
		if err != nil || n > uint64(maxLife/(24*time.Hour)) {
			return errors.New("must be a time such as 30d, 12h or 1d12h, at most 36500d")
		}
		total = time.Duration(n) * 24 * time.Hour
	} else {
		rest = days
	}
	if rest != "" {
		d, err := time.ParseDuration(rest)
		if err != nil || d < 0 {
			return errors.New("must be a time such as 30d, 12h or 1d12h, longer than 0")
		}
		total += d
	}
	if total <= 0 || total > maxLife {
		return errors.New("must be longer than 0 and at most 36500d; leave it out for a key that never expires")
	}
	*l = life(total)
	return nil
}

func (l *life) String() string {
	if *l == 0 {
		return ""
	}
	return time.Duration(*l).String()
}

// Type names the value in the help text.
func (l *life) Type() string { return "duration" }

func (env *environment) revokeKey(cmd *cobra.Command, args []string) (work, error) {
	text, err := target(cmd, args, "id", "key")
	if err != nil {
		return nil, err
	}
	return func(s *server.Store) error {
		key, of, err := find(cmd, s, "API key", strings.TrimSuffix(text, "…"), func(tx *db.Tx) ([]accounts.Key, error) {
			keys, _, err := accounts.Keys(tx, everything, 0)
			return keys, err
		}, func(k accounts.Key) []string { return []string{string(k.ID), k.Prefix} })
		if err != nil {
			return err
		}
		err = write(cmd, s, of.Tenant, func(tx *db.Tx) error { return s.Commerce.RevokeKey(tx, accounts.Caller{}, key.ID) })
		if err != nil {
			return err
		}
		return env.print(cmd, map[string]any{"id": key.ID, "accountId": of.ID, "name": key.Name, "revoked": true}, nil,
			[][]string{{"revoked", string(key.ID), key.Name}})
	}, nil
}

func (env *environment) createKey(cmd *cobra.Command, _ []string) (work, error) {
	given, _ := cmd.Flags().GetStringSlice("scopes")
	name, err := nameFlag(cmd)
	if err != nil {
		return nil, err
	}
	draft := commerce.KeyDraft{Name: name}
	for _, scope := range given {
		if scope = strings.TrimSpace(scope); scope == "all" {
			draft.Scopes = append(draft.Scopes, accounts.AllScopes...)
		} else if scope != "" {
			draft.Scopes = append(draft.Scopes, scope)
		}
	}
	if problem := accounts.BadScopes(draft.Scopes); problem != "" {
		return nil, wrong("--scopes: %s", problem)
	}
	if l, ok := cmd.Flags().Lookup("expires-in").Value.(*life); ok && *l > 0 {
		draft.ExpiresAt = time.Now().Add(time.Duration(*l))
	}
	return func(s *server.Store) error {
		of, err := account(cmd, s)
		if err != nil {
			return err
		}
		var key accounts.Key
		var secret string
		err = write(cmd, s, of.Tenant, func(tx *db.Tx) (err error) {
			key, secret, err = s.Commerce.CreateKey(tx, accounts.Caller{}, draft)
			return err
		})
		if err != nil {
			return err
		}
		return env.print(cmd, recordKey(key, secret, of), nil,
			[][]string{{"id", string(key.ID)}, {"name", key.Name}, {"scopes", strings.Join(key.Scopes, ",")}, {"key", secret}})
	}, nil
}

func (env *environment) listKeys(cmd *cobra.Command, s *server.Store) error {
	shown, rows := []json.RawMessage{}, [][]string{}
	err := list(cmd, s, func(of accounts.Account, tx *db.Tx) error {
		found, _, err := accounts.Keys(tx, everything, 0)
		for _, k := range found {
			shown = append(shown, recordKey(k, "", of))
			rows = append(rows, []string{string(k.ID), k.Name, k.Prefix + "…", strings.Join(k.Scopes, ","), of.Name})
		}
		return err
	})
	if err != nil {
		return err
	}
	return env.print(cmd, shown, []string{"id", "name", "key", "scopes", "account"}, rows)
}
