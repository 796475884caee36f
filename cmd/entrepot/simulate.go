package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"entrepot/internal/connector/woocommerce/fakeshop"
)

// newSimulateCommand is "entrepot simulate": shops in memory, to try channels with.
func newSimulateCommand(*environment) *cobra.Command {
	group := &cobra.Command{Use: "simulate", Short: "Shops in memory, to try channels with", Args: cobra.ArbitraryArgs, RunE: needsCommand}
	shop := fakeshop.New("ck_simulated", "cs_simulated")
	addr, orders := "", time.Duration(0)
	woo := &cobra.Command{Use: "woocommerce", Short: "A WooCommerce shop, with the bad habits of real ones by flag", Args: cobra.NoArgs,
		Long: "A WooCommerce shop in memory. Its REST interface takes the key and secret that it prints; it sends webhooks to whoever " +
			"registers " +
			"them.\nPOST /simulate/orders with {\"skus\":{\"MUG\":2},\"status\":\"processing\",\"email\":\"…\"} places an order.\n" +
			"A habit with a number n shows at every n-th request. A service needs --dev to call it.",
		Example: "  entrepot simulate woocommerce --addr 127.0.0.1:8090 --fail-after-write 20 --duplicate\n" +
			"  entrepot simulate woocommerce --orders-every 5s",
		RunE: func(cmd *cobra.Command, _ []string) error { return simulate(cmd, shop, addr, orders) }}
	flags := woo.Flags()
	flags.StringVar(&addr, "addr", "127.0.0.1:8090", "address to listen on")
	flags.DurationVar(&orders, "orders-every", 0, "a buyer orders something that often; 0: never")
	h := &shop.Habits
	flags.IntVar(&h.FailAfterWrite, "fail-after-write", 0, "writes and answers 500")
	flags.IntVar(&h.LoseAnswer, "lose-answer", 0, "writes and closes the connection")
	flags.IntVar(&h.Warn, "warn", 0, "puts a plugin's warning before the JSON")
	flags.IntVar(&h.TooMany, "too-many", 0, "answers 429 with Retry-After")
	flags.IntVar(&h.Hang, "hang", 0, "never answers")
	flags.IntVar(&h.Drop, "drop", 0, "loses a notification")
	flags.BoolVar(&h.Signed, "signed", false, "takes nothing but OAuth signatures, as shops on plain http do")
	flags.BoolVar(&h.StripHeader, "strip-header", false, "does not see the Authorization header, as some hosts")
	flags.BoolVar(&h.Reorder, "reorder", false, "sends the newest notification first")
	flags.BoolVar(&h.Duplicate, "duplicate", false, "sends every notification twice")
	flags.BoolVar(&h.Fulfillments, "fulfillments", false, "keeps parcels")
	flags.DurationVar(&h.Slow, "slow", 0, "how long each answer takes")
	group.AddCommand(woo)
	return group
}

// simulate serves a shop until the command is stopped.
func simulate(cmd *cobra.Command, shop *fakeshop.Shop, addr string, orders time.Duration) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", addr, err)
	}
	mux := http.NewServeMux()
	mux.Handle("/wp-json/", shop)
	mux.HandleFunc("POST /simulate/orders", func(w http.ResponseWriter, r *http.Request) {
		var wish struct {
			SKUs   map[string]int64 `json:"skus"`
			Status string           `json:"status"`
			Email  string           `json:"email"`
		}
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&wish); err != nil {
			http.Error(w, "the body must be a JSON object: "+err.Error(), http.StatusBadRequest)
			return
		}
		id := shop.Place(fakeshop.Wish{SKUs: wish.SKUs, Status: wish.Status, Email: wish.Email})
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, "{\"id\":%d}\n", id)
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	ctx := cmd.Context()
	go shop.Deliver(ctx)
	if orders > 0 {
		go buy(ctx, shop, orders)
	}
	go func() { <-ctx.Done(); _ = server.Close() }()
	fmt.Fprintf(
		cmd.OutOrStdout(),
		"url            http://%s\nconsumerKey    %s\nconsumerSecret %s\n",
		listener.Addr(),
		shop.Key,
		shop.Secret,
	)
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	return nil
}

// buy places an order of something that is on sale, again and again.
func buy(ctx context.Context, shop *fakeshop.Shop, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for n := int64(1); ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		items, _ := shop.Items()
		for sku, item := range items { // whichever comes first
			if item.Kind != "variable" && item.Status == "publish" && item.Quantity > 0 {
				shop.Place(
					fakeshop.Wish{
						SKUs:     map[string]int64{sku: 1 + n%3},
						Shipping: 412,
						Email:    "buyer" + strconv.FormatInt(n, 10) + "@shop.example",
					},
				)
				break
			}
		}
	}
}
