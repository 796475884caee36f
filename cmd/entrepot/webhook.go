package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/netguard"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/records"
	"entrepot/internal/server"
	"entrepot/internal/webhooks"
)

// recordEndpoint shows the signing secret of an endpoint at its creation only.
func recordEndpoint(e *webhooks.Endpoint, secret string, of accounts.Account) json.RawMessage {
	return record(of, func(w *apijson.Writer) { records.WriteEndpoint(w, "", e, secret) }, nil)
}

// newWebhookCommand is "entrepot webhook".
func newWebhookCommand(env *environment) *cobra.Command {
	group := &cobra.Command{Use: "webhook", Short: "Endpoints that events are sent to", Args: cobra.ArbitraryArgs, RunE: needsCommand}
	create := env.offline(&cobra.Command{Use: "create", Short: "Register an endpoint and print its signing secret, this once",
		Example: "  entrepot webhook create --url https://shop.example/hooks --events order.received,stock.updated --json"}, env.createEndpoint)
	flags := create.Flags()
	env.flags(create, "dev")
	accountFlag(env, create, "may be left out when there is only one")
	flags.String("url", "", "https address of the receiver")
	flags.StringSlice("events", []string{webhooks.All}, "names of events, separated by commas; * for all")
	flags.String("description", "", "what it is for")
	flags.Bool("ordered", false, "the events of one order, product or customer strictly one after the other")
	flags.String("status", "active", "active, or paused: events are kept for it until it is active")
	mustHave(create, "url")
	events := []string{webhooks.All}
	for _, kind := range webhooks.Kinds() {
		events = append(events, kind.Event)
	}
	completeList(create, "events", events)
	completeWith(create, "status", "active", "paused")
	show := env.offline(&cobra.Command{Use: "list", Short: "List the endpoints of one account or of all"}, listing(env.listEndpoints))
	accountFlag(env, show, "without it, of all")
	remove := &cobra.Command{Use: "delete ID", Short: "Remove an endpoint; what waits for it is dropped", Args: cobra.MaximumNArgs(1),
		Long:    "Remove an endpoint; what waits for it is dropped. ID is the endpoint's id, or its address when only one endpoint has it.",
		Example: "  entrepot webhook delete 019a1c52-7c1e-7d40-9a55-00000000e001"}
	env.offline(remove, env.deleteEndpoint)
	remove.Flags().String("id", "", "id of the endpoint, or its address")
	accountFlag(env, remove, "without it, the endpoint is looked for in all")
	group.AddCommand(create, show, remove)
	return group
}

func (env *environment) deleteEndpoint(cmd *cobra.Command, args []string) (work, error) {
	text, err := target(cmd, args, "id", "endpoint")
	if err != nil {
		return nil, err
	}
	return func(s *server.Store) error {
		endpoint, of, err := find(cmd, s, "endpoint", text, func(tx *db.Tx) ([]webhooks.Endpoint, error) {
			endpoints, _, err := webhooks.Endpoints(tx, everything, 0)
			return endpoints, err
		}, func(e webhooks.Endpoint) []string { return []string{string(e.ID), e.URL} })
		if err != nil {
			return err
		}
		err = write(cmd, s, of.Tenant, func(tx *db.Tx) error {
			return s.Commerce.DeleteEndpoint(tx, accounts.Caller{}, endpoint.ID, commerce.Expected{})
		})
		if err != nil {
			return err
		}
		return env.print(cmd, map[string]any{"id": endpoint.ID, "accountId": of.ID, "url": endpoint.URL, "deleted": true}, nil,
			[][]string{{"deleted", string(endpoint.ID), endpoint.URL}})
	}, nil
}

func (env *environment) createEndpoint(cmd *cobra.Command, _ []string) (work, error) {
	url, _ := cmd.Flags().GetString("url")
	events, _ := cmd.Flags().GetStringSlice("events")
	description, _ := cmd.Flags().GetString("description")
	ordered, _ := cmd.Flags().GetBool("ordered")
	statusText, _ := cmd.Flags().GetString("status")
	status := webhooks.Status(strings.ToLower(statusText))
	if status != webhooks.Active && status != webhooks.Paused {
		return nil, wrong("--status must be active or paused, not %q", statusText)
	}
	for i, name := range events {
		events[i] = strings.TrimSpace(name)
		if events[i] != webhooks.All && !slices.ContainsFunc(webhooks.Kinds(), func(k webhooks.Kind) bool { return k.Event == events[i] }) {
			return nil, wrong("--events: %q is no event; see: GET /api/v1/developer/webhooks/events", events[i])
		}
	}
	if len(events) == 0 {
		return nil, wrong("--events must name at least one event, or *")
	}
	// The URL may name this machine, because whoever can write the store may do so; every attempt checks the address
	// by the service's rules.
	c, err := env.storeConfig(cmd)
	if err != nil {
		return nil, err
	}
	if err := (&netguard.Guard{Dev: true, Allow: c.Allow}).Vet(cmd.Context(), url); err != nil {
		return nil, wrong("--url: %v", err)
	}
	if err := (&netguard.Guard{Dev: c.Dev, Allow: c.Allow}).Vet(cmd.Context(), url); err != nil {
		fmt.Fprintf(env.stderr, "only a service started with --dev, or with --allow-hosts, will send there: %v\n", err)
	}
	return func(s *server.Store) error {
		of, err := account(cmd, s)
		if err != nil {
			return err
		}
		var made *webhooks.Endpoint
		var secret string
		err = write(cmd, s, of.Tenant, func(tx *db.Tx) (err error) {
			made, secret, err = s.Commerce.CreateEndpoint(tx, accounts.Caller{}, commerce.EndpointDraft{URL: &url, Events: events,
				Description: &description,
				Ordered:     &ordered, Status: &status})
			return err
		})
		if err != nil {
			return err
		}
		return env.print(cmd, recordEndpoint(made, secret, of), nil,
			[][]string{{"id", string(made.ID)}, {"url", made.URL}, {"events", strings.Join(made.Events, ",")}, {"secret", secret}})
	}, nil
}

func (env *environment) listEndpoints(cmd *cobra.Command, s *server.Store) error {
	shown, rows := []json.RawMessage{}, [][]string{}
	err := list(cmd, s, func(of accounts.Account, tx *db.Tx) error {
		found, _, err := webhooks.Endpoints(tx, everything, 0)
		for i := range found {
			e := &found[i]
			shown = append(shown, recordEndpoint(e, "", of))
			rows = append(rows, []string{string(e.ID), e.URL, strings.Join(e.Events, ","), string(e.Status), of.Name})
		}
		return err
	})
	if err != nil {
		return err
	}
	return env.print(cmd, shown, []string{"id", "url", "events", "status", "account"}, rows)
}
