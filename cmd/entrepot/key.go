package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"entrepot/internal/accounts"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/server"
	"entrepot/internal/wire"
)

// keyRecord is an API key as printed; the names are those of interface §2.7.10. Key is there on creation only.
type keyRecord struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Key        string   `json:"key,omitempty"`
	Prefix     string   `json:"prefix"`
	Scopes     []string `json:"scopes"`
	ChannelID  *string  `json:"channelId"`
	AccountID  string   `json:"accountId"`
	CreatedAt  string   `json:"createdAt"`
	ExpiresAt  *string  `json:"expiresAt"`
	LastUsedAt *string  `json:"lastUsedAt"`
}

func recordKey(k accounts.Key, secret string, of accounts.Account) keyRecord {
	r := keyRecord{ID: string(k.ID), AccountID: string(of.ID), Name: k.Name, Key: secret, Prefix: k.Prefix, Scopes: k.Scopes,
		CreatedAt: wire.TimeText(k.CreatedAt), ExpiresAt: timeOrNull(k.ExpiresAt), LastUsedAt: timeOrNull(k.LastUsedAt)}
	r.ChannelID = textOrNull(string(k.Channel))
	return r
}

// newKeyCommand is "entrepot key".
func newKeyCommand(env *environment) *cobra.Command {
	group := &cobra.Command{Use: "key", Short: "API keys", Args: cobra.ArbitraryArgs, RunE: needsCommand}
	create := env.offline(&cobra.Command{Use: "create", Short: "Make an API key and print it, this once",
		Long: "Make an API key and print it, this once.\n\nScopes: " + strings.Join(accounts.AllScopes, ", ") + ", or all."}, env.createKey)
	flags := create.Flags()
	flags.String("account", "", "id of the account; may be left out when there is only one")
	flags.String("name", "", "what the key is for")
	flags.StringSlice("scopes", nil, "what it may do, separated by commas; all for everything")
	flags.Duration("expires-in", 0, "how long it works, such as 720h (0: until it is revoked)")
	mustHave(create, "name", "scopes")
	show := env.offline(&cobra.Command{Use: "list", Short: "List the keys of one account or of all"}, env.listKeys)
	show.Flags().String("account", "", "id of an account; without it, of all")
	group.AddCommand(create, show)
	return group
}

func (env *environment) createKey(cmd *cobra.Command, s *server.Store) error {
	name, _ := cmd.Flags().GetString("name")
	given, _ := cmd.Flags().GetStringSlice("scopes")
	life, _ := cmd.Flags().GetDuration("expires-in")
	draft := commerce.KeyDraft{Name: strings.TrimSpace(name)}
	for _, scope := range given {
		if scope = strings.TrimSpace(scope); scope == "all" {
			draft.Scopes = append(draft.Scopes, accounts.AllScopes...)
		} else if scope != "" {
			draft.Scopes = append(draft.Scopes, scope)
		}
	}
	if problem := accounts.BadScopes(draft.Scopes); problem != "" {
		return wrong("--scopes: %s", problem)
	}
	if life > 0 {
		draft.ExpiresAt = time.Now().Add(life)
	}
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
	r := recordKey(key, secret, of)
	return env.print(cmd, r, nil, [][]string{{"id", r.ID}, {"name", r.Name}, {"scopes", strings.Join(r.Scopes, ",")}, {"key", r.Key}})
}

func (env *environment) listKeys(cmd *cobra.Command, s *server.Store) error {
	records, rows := []keyRecord{}, [][]string{}
	err := list(cmd, s, func(of accounts.Account, tx *db.Tx) error {
		found, _, err := accounts.Keys(tx, everything, 0)
		for _, k := range found {
			r := recordKey(k, "", of)
			records = append(records, r)
			rows = append(rows, []string{r.ID, r.Name, r.Prefix + "…", strings.Join(r.Scopes, ","), of.Name})
		}
		return err
	})
	if err != nil {
		return err
	}
	return env.print(cmd, records, []string{"id", "name", "key", "scopes", "account"}, rows)
}
