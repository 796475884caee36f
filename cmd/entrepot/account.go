package main

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/money"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/records"
	"entrepot/internal/server"
)

func recordAccount(a accounts.Account, more func(w *apijson.Writer)) json.RawMessage {
	return record(a, func(w *apijson.Writer) { records.WriteAccount(w, "", a) }, more)
}

// newAccountCommand is "entrepot account".
func newAccountCommand(env *environment) *cobra.Command {
	group := &cobra.Command{Use: "account", Short: "Merchant accounts of the store", Args: cobra.ArbitraryArgs, RunE: needsCommand}
	create := env.offline(making(&cobra.Command{Use: "create", Short: "Create an account with its owner, and the store if there is none",
		Example: "  entrepot account create --name 'Corner shop' --plan pro --owner-email me@example.com --owner-password - < password.txt"}),
		env.createAccount)
	flags := create.Flags()
	flags.String("name", "", "name of the account")
	flags.String("plan", "enterprise", "starter, pro or enterprise")
	flags.String("currency", "EUR", "currency of product prices, ISO 4217")
	flags.String("owner-email", "", "e-mail address of the owner's login")
	flags.String("owner-name", "Owner", "name of the owner")
	flags.String("owner-password", "", "password of the owner; - reads it from stdin")
	flags.Bool("sandbox", false, "a sandbox account: its keys start with pk_test_")
	mustHave(create, "name", "owner-email", "owner-password")
	completeWith(create, "plan", planNames()...)
	plan := &cobra.Command{Use: "set-plan [ACCOUNT] PLAN", Short: "Change an account's plan", Args: cobra.MaximumNArgs(2),
		Example: "  entrepot account set-plan 'Corner shop' enterprise\n  entrepot account set-plan --account 'Corner shop' --plan enterprise"}
	env.offline(plan, env.setPlan)
	accountFlag(env, plan, "may be left out when there is only one")
	plan.Flags().String("plan", "", "starter, pro or enterprise")
	completeWith(plan, "plan", planNames()...)
	plan.ValidArgsFunction = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		return append(env.accountNames(cmd), planNames()...), cobra.ShellCompDirectiveNoFileComp
	}
	group.AddCommand(create, plan, env.offline(&cobra.Command{Use: "list", Short: "List accounts"}, listing(env.listAccounts)))
	return group
}

// setPlan takes the account and the plan as arguments or as flags.
func (env *environment) setPlan(cmd *cobra.Command, args []string) (work, error) {
	which, _ := cmd.Flags().GetString("account")
	if len(args) == 2 {
		if which != "" && which != args[0] {
			return nil, wrong("the account is given twice, as %q and as --account %q", args[0], which)
		}
		which, args = args[0], args[1:]
	}
	text, err := target(cmd, args, "plan", "plan")
	if err != nil {
		return nil, err
	}
	plan := accounts.Plan(strings.ToLower(text))
	if err := checkPlan(plan); err != nil {
		return nil, err
	}
	return func(s *server.Store) error {
		of, err := accountNamed(cmd, s.DB, which)
		if err != nil {
			return err
		}
		err = write(cmd, s, of.Tenant, func(tx *db.Tx) (err error) {
			of, err = s.Commerce.UpdateAccount(tx, accounts.Caller{}, commerce.Expected{}, commerce.AccountChange{Plan: plan})
			return err
		})
		if err != nil {
			return err
		}
		return env.print(cmd, recordAccount(of, nil), nil, [][]string{{"id", string(of.ID)}, {"name", of.Name}, {"plan", string(of.Plan)}})
	}, nil
}

// planNames lists the plans.
func planNames() (list []string) {
	for _, p := range accounts.Plans {
		list = append(list, string(p))
	}
	return list
}

// mustHave marks flags that a command requires.
func mustHave(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag exists
		}
	}
}

func (env *environment) createAccount(cmd *cobra.Command, _ []string) (work, error) {
	text := func(flag string) string { v, _ := cmd.Flags().GetString(flag); return strings.TrimSpace(v) }
	sandbox, _ := cmd.Flags().GetBool("sandbox")
	if _, err := nameFlag(cmd); err != nil {
		return nil, err
	}
	draft := commerce.AccountDraft{Name: text("name"), Plan: accounts.Plan(strings.ToLower(text("plan"))),
		Currency: strings.ToUpper(text("currency")), Sandbox: sandbox}
	if err := checkPlan(draft.Plan); err != nil {
		return nil, err
	}
	if !money.KnownCurrency(draft.Currency) {
		return nil, wrong("--currency must be an ISO 4217 code such as EUR, not %q", draft.Currency)
	}
	owner, err := env.userDraft(cmd, text("owner-email"), text("owner-name"), "owner-password")
	if err != nil {
		return nil, err
	}
	draft.Owner = &owner
	return func(s *server.Store) error {
		var made accounts.Account
		var user *accounts.User
		err = write(cmd, s, db.Across, func(tx *db.Tx) (err error) {
			made, user, err = s.Commerce.CreateAccount(tx, accounts.Caller{}, draft)
			return err
		})
		if err != nil {
			return err
		}
		shown := recordAccount(made, func(w *apijson.Writer) { w.Raw("owner", string(recordUser(*user, made))) })
		return env.print(cmd, shown, nil, [][]string{{"id", string(made.ID)}, {"name", made.Name}, {"plan", string(made.Plan)},
			{"owner", user.Email}})
	}, nil
}

func (env *environment) listAccounts(cmd *cobra.Command, s *server.Store) error {
	list, rows := []json.RawMessage{}, [][]string{}
	err := s.DB.Read(cmd.Context(), db.Across, func(tx *db.Tx) error {
		found, err := accounts.Accounts(tx)
		for _, a := range found {
			list = append(list, recordAccount(a, nil))
			rows = append(rows, []string{string(a.ID), a.Name, string(a.Plan), a.Currency, apijson.TimeText(a.CreatedAt)})
		}
		return err
	})
	if err != nil {
		return err
	}
	return env.print(cmd, list, []string{"id", "name", "plan", "currency", "created"}, rows)
}
