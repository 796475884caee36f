package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"entrepot/internal/accounts"
	"entrepot/internal/channels"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/filler"
	"entrepot/internal/id"
	"entrepot/internal/server"
)

// newFillCommand is "entrepot bench fill": it creates a store of the size of a large merchant.
func newFillCommand(env *environment) *cobra.Command {
	var size filler.Size
	fill := making(&cobra.Command{
		Use:   "fill",
		Short: "Fill a new account with products, customers and orders of two years, to measure on",
		Long: "Fill a new account with products, customers and orders of two years, straight into the store, and print a key for it.\n\n" +
			"Lists, searches and figures can then be measured on it over HTTP.",
		Example: "  entrepot bench fill --data ./filled --orders 1000000 --skus 1000000 --customers 87000",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if size.Orders < 1 || size.SKUs < 10 || size.Customers < 1 || max(size.Orders, size.SKUs, size.Customers) > 100_000_000 {
				return wrong("--orders and --customers from 1, --skus from 10, each at most 100000000")
			}
			return env.fillAccount(cmd, size)
		},
	})
	env.flags(fill, "data", "database", "log-level", "log-format")
	fill.Flags().Bool("json", false, "print JSON")
	fill.Flags().IntVar(&size.Orders, "orders", 1_000_000, "orders")
	fill.Flags().IntVar(&size.SKUs, "skus", 1_000_000, "products with a stock level each")
	fill.Flags().IntVar(&size.Customers, "customers", 87_000, "customers")
	return fill
}

// filledRecord is what "bench fill" prints.
type filledRecord struct {
	AccountID string `json:"accountId"`
	Key       string `json:"key"`
}

func (env *environment) fillAccount(cmd *cobra.Command, size filler.Size) error {
	c, err := env.storeConfig(cmd)
	if err != nil {
		return err
	}
	if c.Log, err = env.logger(cmd); err != nil {
		return err
	}
	clock := filler.NewClock(time.Now())
	c.Now = clock.Now
	store, err := server.OpenStore(cmd.Context(), c)
	if err != nil {
		return err
	}
	defer store.Close()
	var r filledRecord
	var tenant id.Tenant
	err = write(cmd, store, db.Across, func(tx *db.Tx) error {
		made, _, err := store.Commerce.CreateAccount(tx, accounts.Caller{},
			commerce.AccountDraft{Name: filledName, Plan: accounts.Enterprise, Currency: "EUR"})
		tenant, r.AccountID = made.Tenant, string(made.ID)
		return err
	})
	if err != nil {
		return err
	}
	var shops []id.Channel
	err = write(cmd, store, tenant, func(tx *db.Tx) (err error) {
		shops = nil
		for i := range 3 {
			shop := channels.Channel{ID: id.New[id.Channel](), Name: fmt.Sprintf("Shop %d", i+1), Platform: channels.Custom,
				Status: channels.Active, Settings: "{}", Oversell: "allow"}
			shop.Insert(tx)
			shops = append(shops, shop.ID)
		}
		_, r.Key, err = store.Commerce.CreateKey(tx, accounts.Caller{}, commerce.KeyDraft{Name: "bench", Scopes: accounts.AllScopes})
		return err
	})
	if err == nil {
		err = filler.Fill(cmd.Context(), store.DB, clock, tenant, shops, size, env.stderr)
	}
	if err != nil {
		return err
	}
	return env.print(cmd, r, nil, [][]string{{"account", r.AccountID}, {"key", r.Key}})
}
