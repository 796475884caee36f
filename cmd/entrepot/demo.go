package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"github.com/lmittmann/tint"
	"github.com/spf13/cobra"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/commerce"
	"entrepot/internal/db"
	"entrepot/internal/importer/client"
	"entrepot/internal/server"
)

// newDemoCommand is "entrepot demo": the service with a sample shop, reachable from this machine only.
func newDemoCommand(env *environment) *cobra.Command {
	demo := &cobra.Command{
		Use:   "demo",
		Short: "Run the service with a sample shop, in a temporary store",
		Long: "Run the service with a sample shop: thirty products, two months of orders, two custom channels, a WooCommerce and a Shopify\n" +
			"shop in memory whose orders come in, a webhook receiver that prints what it verified, and one that always fails. The store is\n" +
			"temporary and removed afterwards; --data keeps it in a folder of your choice.",
		Args: noArguments,
	}
	demo.Flags().String("addr", "127.0.0.1:8080", "address to listen on; when it is taken, a free port is")
	demo.Flags().String("data", "", "folder to keep the sample shop in")
	demo.RunE = func(cmd *cobra.Command, _ []string) error {
		dir, _ := cmd.Flags().GetString("data")
		addr, _ := cmd.Flags().GetString("addr")
		if dir == "" {
			temporary, err := os.MkdirTemp("", "entrepot-demo-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(temporary)
			dir = temporary
		}
		return env.demo(cmd.Context(), dir, addr)
	}
	return demo
}

// demo fills the folder's store, serves it, and prints an introduction when it is ready.
func (env *environment) demo(ctx context.Context, dir, addr string) error {
	fmt.Fprintln(env.stderr, "filling a sample shop …")
	quiet := slog.New(tint.NewTextHandler(env.stderr, &tint.Options{Level: slog.LevelError, TimeFormat: time.TimeOnly,
		NoColor: !isTerminal(env.stderr)}))
	c := server.Config{Addr: addr, Limits: true, Local: true, Version: version(), StoreConfig: server.StoreConfig{Dir: dir, Dev: true,
		Log: quiet}}
	if err := seedDemo(ctx, c.StoreConfig); err != nil {
		return err
	}
	list, err := writeDemoPrices(dir)
	if err != nil {
		return err
	}
	s, err := server.Listen(c)
	if err != nil {
		host, _, split := net.SplitHostPort(addr)
		if split != nil {
			return err
		}
		c.Addr = net.JoinHostPort(host, "0")
		if s, err = server.Listen(c); err != nil {
			return err
		}
	}
	box, err := newInbox(env.stdout)
	if err != nil {
		return err
	}
	defer box.close()
	ctx, stop := context.WithCancelCause(ctx)
	shops, ended, err := serveDemoShops(ctx)
	defer ended()
	defer stop(nil)
	if err != nil {
		return err
	}
	err = s.Run(ctx, func(store *server.Store) {
		go func() {
			if err := env.showAround(ctx, s, store, box, shops, list); err != nil && ctx.Err() == nil {
				stop(err)
			}
		}()
	})
	if cause := context.Cause(ctx); err == nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	return err
}

// showAround creates a key, connects the receivers, prints what can be tried, and does a part of it.
func (env *environment) showAround(ctx context.Context, s *server.Server, store *server.Store, box *inbox, shops []demoShop, list string) error {
	password, key, account, err := demoAccess(ctx, store)
	if err != nil {
		return err
	}
	service, err := client.New(s.URL(), key)
	if err != nil {
		return err
	}
	call := demoCalls(ctx, service)
	if err := showPictures(ctx, store, account, s.URL(), call); err != nil {
		return err
	}
	if err := connectReceivers(call, box); err != nil {
		return err
	}
	fmt.Fprintf(env.stdout, demoText, s.URL(), demoEmail, password, key, list)
	if err := call("POST", "/api/v1/orders", map[string]any{"customerName": "Ada Lovelace", "customerEmail": "ada@example.com",
		"initialStatus": "PROCESSING",
		"items":         []any{map[string]any{"sku": "TAB-MUG-BLUE", "quantity": 2, "unitPrice": "9.90"}}}, nil); err != nil {
		return err
	}
	return connectDemoShops(call, shops)
}

// demoAccess gives the sample shop's owner a new password, and the account a key with every scope.
func demoAccess(ctx context.Context, store *server.Store) (password, key string, tenant id.Tenant, err error) {
	owner, tenant, err := demoOwner(ctx, store)
	if err != nil {
		return "", "", tenant, err
	}
	password = strings.ToLower(rand.Text()[:16])
	hash, err := accounts.Hashing{}.Hash(ctx, password)
	if err != nil {
		return "", "", tenant, err
	}
	err = store.DB.Write(ctx, tenant, func(tx *db.Tx) (err error) {
		if _, err = store.Commerce.UpdateUser(tx, accounts.Caller{}, owner.ID, commerce.Expected{},
			commerce.UserChange{PasswordHash: hash}); err != nil {
			return err
		}
		_, key, err = store.Commerce.CreateKey(tx, accounts.Caller{}, commerce.KeyDraft{Name: "demo " + time.Now().Format(time.DateTime),
			Scopes: accounts.AllScopes})
		return err
	})
	return password, key, tenant, err
}

// connectReceivers registers the receiver that prints, and the one that always fails.
func connectReceivers(call demoCall, box *inbox) error {
	if err := forgetReceivers(call); err != nil {
		return err
	}
	var hook struct{ Data struct{ Secret string } }
	if err := call("POST", "/api/v1/developer/webhooks", map[string]any{"url": box.url(), "events": []string{"*"},
		"description": demoReceiver}, &hook); err != nil {
		return fmt.Errorf("registering the receiver: %w", err)
	}
	box.trust(hook.Data.Secret)
	if err := call("POST", "/api/v1/developer/webhooks", map[string]any{"url": box.brokenURL(), "events": []string{"*"},
		"description": demoBroken}, nil); err != nil {
		return fmt.Errorf("registering the receiver that fails: %w", err)
	}
	return nil
}

// Descriptions of the demo's endpoints: that of the receiver, and one that always fails, as an example.
const (
	demoReceiver = "receiver of entrepot demo"
	demoBroken   = "old ERP (demo)"
)

// forgetReceivers deletes the endpoints of earlier runs on the same folder, whose receivers no longer run.
func forgetReceivers(call demoCall) error {
	var list struct {
		Data []struct{ ID, Description string }
	}
	if err := call("GET", "/api/v1/developer/webhooks", nil, &list); err != nil {
		return err
	}
	for _, endpoint := range list.Data {
		if endpoint.Description != demoReceiver && endpoint.Description != demoBroken {
			continue
		}
		if err := call("DELETE", "/api/v1/developer/webhooks/"+endpoint.ID, nil, nil); err != nil {
			return err
		}
	}
	return nil
}

const demoText = `
  entrepot is running        %[1]s
  reference                  %[1]s/docs
  login                      %[2]s  /  %[3]s
  API key, every scope       %[4]s

  Try, in another terminal:

    KEY=%[4]s
    curl -s -H "X-API-Key: $KEY" '%[1]s/api/v1/orders?limit=3'
    curl -s -H "X-API-Key: $KEY" '%[1]s/api/v1/products?search=mug'
    curl -s -H "X-API-Key: $KEY" '%[1]s/api/v1/sdk/inventory/changes?limit=5'
    curl -s -H "X-API-Key: $KEY" -H 'Content-Type: application/json' %[1]s/api/v1/orders \
      -d '{"customerName":"You","items":[{"sku":"KIT-POT-IRON","quantity":1,"unitPrice":"89.00"}]}'
    curl -s -H "X-API-Key: $KEY" -H 'Content-Type: application/json' -X PATCH %[1]s/api/v1/sdk/inventory/bulk-update \
      -d '{"updates":[{"sku":"KIT-POT-IRON","quantity":50}]}'

  A WooCommerce and a Shopify shop run in this process, too; their channels are named "(simulated)", and buyers order there.
  A supplier's price list to try is %[5]s: Products, Import prices. One of its prices is a slip of the pen.
  Every event that follows is sent to a receiver in this process, which prints what it verified. A second endpoint is out of order:
  the dashboard shows what that looks like, %[1]s/dashboard. Ctrl-C ends it all.

`

// demoOwner finds the sample shop's owner and account.
func demoOwner(ctx context.Context, store *server.Store) (owner *accounts.User, tenant id.Tenant, err error) {
	err = store.DB.Read(ctx, db.Across, func(tx *db.Tx) error {
		if owner, tenant, err = accounts.Login(tx, demoEmail); err == nil && owner == nil {
			err = errors.New("the sample shop has no owner any more: start with a fresh --data")
		}
		return err
	})
	return owner, tenant, err
}
