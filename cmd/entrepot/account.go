package main

import (
	"strings"

	"github.com/spf13/cobra"

	"entrepot/internal/accounts"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/money"
	"entrepot/internal/server"
	"entrepot/internal/wire"
)

// accountRecord is an account as printed; the names are those of interface §4.5.10.
type accountRecord struct {
	ID               string      `json:"id"`
	AccountID        string      `json:"accountId"` // the same, under the name that it has in the other records
	Name             string      `json:"name"`
	Plan             string      `json:"plan"`
	Currency         string      `json:"currency"`
	StrictWarehouses bool        `json:"strictWarehouses"`
	Sandbox          bool        `json:"sandbox"`
	CreatedAt        string      `json:"createdAt"`
	Owner            *userRecord `json:"owner,omitempty"`
}

func recordAccount(a accounts.Account) accountRecord {
	return accountRecord{ID: string(a.ID), AccountID: string(a.ID), Name: a.Name, Plan: string(a.Plan), Currency: a.Currency,
		StrictWarehouses: a.Settings.StrictWarehouses, Sandbox: a.Sandbox, CreatedAt: wire.TimeText(a.CreatedAt)}
}

// newAccountCommand is "entrepot account".
func newAccountCommand(env *environment) *cobra.Command {
	group := &cobra.Command{Use: "account", Short: "Merchant accounts of the store", Args: cobra.ArbitraryArgs, RunE: needsCommand}
	create := env.offline(&cobra.Command{Use: "create", Short: "Make an account with its owner"}, env.createAccount)
	flags := create.Flags()
	flags.String("name", "", "name of the account")
	flags.String("plan", "enterprise", "starter, pro or enterprise")
	flags.String("currency", "EUR", "currency of product prices, ISO 4217")
	flags.String("owner-email", "", "e-mail address of the owner's login")
	flags.String("owner-name", "Owner", "name of the owner")
	flags.String("owner-password", "", "password of the owner; - reads it from stdin")
	flags.Bool("sandbox", false, "a sandbox account: its keys start with pk_test_")
	mustHave(create, "name", "owner-email", "owner-password")
	group.AddCommand(create, env.offline(&cobra.Command{Use: "list", Short: "List accounts"}, env.listAccounts))
	return group
}

// mustHave marks flags without which a command cannot do anything.
func mustHave(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // no such flag
		}
	}
}

func (env *environment) createAccount(cmd *cobra.Command, s *server.Store) error {
	text := func(flag string) string { v, _ := cmd.Flags().GetString(flag); return strings.TrimSpace(v) }
	sandbox, _ := cmd.Flags().GetBool("sandbox")
	draft := commerce.AccountDraft{Name: text("name"), Plan: accounts.Plan(strings.ToLower(text("plan"))), Currency: strings.ToUpper(text("currency")), Sandbox: sandbox}
	if err := checkPlan(draft.Plan); err != nil {
		return err
	}
	if !money.KnownCurrency(draft.Currency) {
		return wrong("--currency must be an ISO 4217 code such as EUR, not %q", draft.Currency)
	}
	owner, err := env.userDraft(cmd, text("owner-email"), text("owner-name"), "owner-password")
	if err != nil {
		return err
	}
	draft.Owner = &owner
	var made accounts.Account
	var user *accounts.User
	err = write(cmd, s, db.Across, func(tx *db.Tx) (err error) {
		made, user, err = s.Commerce.CreateAccount(tx, accounts.Caller{}, draft)
		return err
	})
	if err != nil {
		return err
	}
	record := recordAccount(made)
	printed := recordUser(*user, made)
	record.Owner = &printed
	return env.print(cmd, record, nil, [][]string{{"id", record.ID}, {"name", record.Name}, {"plan", record.Plan}, {"owner", printed.Email}})
}

func (env *environment) listAccounts(cmd *cobra.Command, s *server.Store) error {
	records, rows := []accountRecord{}, [][]string{}
	err := s.DB.Read(cmd.Context(), db.Across, func(tx *db.Tx) error {
		found, err := accounts.Accounts(tx)
		for _, a := range found {
			r := recordAccount(a)
			records = append(records, r)
			rows = append(rows, []string{r.ID, r.Name, r.Plan, r.Currency, r.CreatedAt})
		}
		return err
	})
	if err != nil {
		return err
	}
	return env.print(cmd, records, []string{"id", "name", "plan", "currency", "created"}, rows)
}
