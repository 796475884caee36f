package main

import (
	"encoding/json"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/channels"
	"entrepot/internal/channelsync"
	"entrepot/internal/commerce"
	"entrepot/internal/connector"
	"entrepot/internal/db"
	"entrepot/internal/records"
	"entrepot/internal/server"
)

func recordChannel(c channels.Channel, sync channelsync.State, of accounts.Account, more func(w *apijson.Writer)) json.RawMessage {
	return record(of, func(w *apijson.Writer) { records.WriteChannel(w, "", c, sync) }, more)
}

// newChannelCommand is "entrepot channel".
func newChannelCommand(env *environment) *cobra.Command {
	group := &cobra.Command{Use: "channel", Short: "Shops, marketplaces and systems of your own", Args: cobra.ArbitraryArgs,
		RunE: needsCommand}
	create := env.offline(&cobra.Command{Use: "create", Short: "Create a channel; the key of a custom one is printed, this once",
		Example: "  entrepot channel create --name ERP --platform CUSTOM --json\n" +
			"  entrepot channel create --name Shop --platform WOOCOMMERCE --credentials-file woocommerce.json"}, env.createChannel)
	flags := create.Flags()
	env.flags(create, "dev")
	accountFlag(env, create, "may be left out when there is only one")
	flags.String("name", "", "name of the channel")
	flags.String("platform", "", oneOf(channels.Platforms))
	flags.String("credentials-file", "", "file with the platform's credentials as a JSON object; - reads it from stdin")
	flags.StringToString("credential", nil, "one credential as name=value; may be repeated (visible to other users of this machine)")
	mustHave(create, "name", "platform")
	completeWith(create, "platform", channels.Platforms...)
	show := env.offline(&cobra.Command{Use: "list", Short: "List the channels of one account or of all"}, listing(env.listChannels))
	accountFlag(env, show, "without it, of all")
	group.AddCommand(create, show)
	return group
}

// oneOf is a list in words: "a, b or c".
func oneOf(list []string) string {
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

func (env *environment) createChannel(cmd *cobra.Command, _ []string) (work, error) {
	platform, _ := cmd.Flags().GetString("platform")
	name, err := nameFlag(cmd)
	if err != nil {
		return nil, err
	}
	draft := commerce.ChannelDraft{Name: &name, Platform: strings.ToUpper(strings.ReplaceAll(strings.TrimSpace(platform), "-", "_"))}
	if !slices.Contains(channels.Platforms, draft.Platform) {
		return nil, wrong("--platform must be %s, not %q", oneOf(channels.Platforms), platform)
	}
	if draft.Credentials, err = env.credentials(cmd); err != nil {
		return nil, err
	}
	return func(s *server.Store) error {
		if err := s.Commerce.CheckCredentials(draft.Platform, draft.Credentials); err != nil {
			return err
		}
		if err := s.Commerce.CheckAddresses(cmd.Context(), draft.Platform, draft); err != nil {
			return err
		}
		of, err := account(cmd, s)
		if err != nil {
			return err
		}
		var made channels.Channel
		var key accounts.Key
		var secret string
		var sync channelsync.State
		err = write(cmd, s, of.Tenant, func(tx *db.Tx) (err error) {
			if made, key, secret, err = s.Commerce.CreateChannel(tx, accounts.Caller{}, draft); err == nil {
				sync, err = channelsync.ByChannel(tx, made.ID)
			}
			return err
		})
		if err != nil {
			return err
		}
		rows := [][]string{{"id", string(made.ID)}, {"name", made.Name}, {"platform", made.Platform}}
		shown := recordChannel(made, sync, of, func(w *apijson.Writer) {
			records.WriteChannel(w, "channel", made, sync) // with apiKey: the answer of POST /channels
			if secret == "" {
				return
			}
			apijson.ID(w, "keyId", key.ID) // the only time that a custom channel's key is shown
			w.Text("key", secret)
			apijson.Texts(w, "scopes", key.Scopes)
			records.WriteChannelKey(w, key, secret)
		})
		if secret != "" {
			rows = append(rows, []string{"key", secret})
		}
		return env.print(cmd, shown, nil, rows)
	}, nil
}

// credentials reads a channel's credentials from the file and the single flags.
func (env *environment) credentials(cmd *cobra.Command) (connector.Credentials, error) {
	path, _ := cmd.Flags().GetString("credentials-file")
	single, _ := cmd.Flags().GetStringToString("credential")
	if path == "" && len(single) == 0 {
		return nil, nil
	}
	all := connector.Credentials{}
	if path != "" {
		file := env.stdin
		if path != "-" {
			opened, err := os.Open(path)
			if err != nil {
				return nil, wrong("the credentials: %v", err)
			}
			defer opened.Close()
			file = opened
		}
		text, err := io.ReadAll(io.LimitReader(file, 1<<20))
		if err == nil {
			err = json.Unmarshal(text, &all)
		}
		if err != nil {
			return nil, wrong("the credentials in %s must be a JSON object of texts: %v", path, err)
		}
	}
	maps.Copy(all, single)
	return all, nil
}

func (env *environment) listChannels(cmd *cobra.Command, s *server.Store) error {
	shown, rows := []json.RawMessage{}, [][]string{}
	err := list(cmd, s, func(of accounts.Account, tx *db.Tx) error {
		found, _, err := channels.List(tx, everything, 0)
		for _, c := range found {
			sync, err := channelsync.ByChannel(tx, c.ID)
			if err != nil {
				return err
			}
			shown = append(shown, recordChannel(c, sync, of, nil))
			rows = append(rows, []string{string(c.ID), c.Name, c.Platform, string(c.Status), of.Name})
		}
		return err
	})
	if err != nil {
		return err
	}
	return env.print(cmd, shown, []string{"id", "name", "platform", "status", "account"}, rows)
}
