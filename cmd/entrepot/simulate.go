package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// newSimulateCommand is "entrepot simulate": shops in memory, to try channels with.
func newSimulateCommand(*environment) *cobra.Command {
	group := &cobra.Command{Use: "simulate", Short: "Shops in memory, to try channels with", Args: cobra.ArbitraryArgs, RunE: needsCommand}
	for i, shop := range simulatedShops() {
		group.AddCommand(newSimulatedCommand(shop, fmt.Sprintf("127.0.0.1:%d", 8090+i)))
	}
	return group
}

// newSimulatedCommand is "entrepot simulate PLATFORM".
func newSimulatedCommand(shop *simulated, addr string) *cobra.Command {
	every := time.Duration(0)
	cmd := &cobra.Command{Use: shop.slug, Short: withArticle(shop.name) + "; flags make it fail as real ones do", Args: noArguments,
		Long: withArticle(shop.name) + " in memory. Its interface takes the credentials that it prints for a channel." + delivers(shop) +
			"\nPOST /simulate/orders with {\"skus\":{\"MUG\":2},\"status\":\"processing\",\"email\":\"…\"} places an order; the status pending " +
			"leaves it unpaid.\nA flag with a number n takes effect at every n-th request. A service needs --dev to call it.",
		Example: "  entrepot simulate " + shop.slug + " --addr " + addr + " --lose-answer 20\n" +
			"  entrepot simulate " + shop.slug + " --orders-every 5s",
		RunE: func(cmd *cobra.Command, _ []string) error { return simulate(cmd, shop, addr, every) }}
	flags := cmd.Flags()
	flags.StringVar(&addr, "addr", addr, "address to listen on")
	flags.DurationVar(&every, "orders-every", 0, "a buyer orders something that often; 0: never")
	shop.habits(func(into *int, name, about string) { flags.IntVar(into, name, 0, about) }, flags)
	return cmd
}

func delivers(shop *simulated) string {
	switch {
	case shop.deliver == nil:
		return " It sends no notifications."
	case shop.install != nil:
		return "\nPOST /simulate/module with the {\"url\":…,\"secret\":…} that the channel's connection test shows under paste has it send " +
			"notifications."
	}
	return " It sends notifications to whoever registers them."
}

// simulate serves a shop until the command is stopped.
func simulate(cmd *cobra.Command, shop *simulated, addr string, every time.Duration) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", addr, err)
	}
	takes := shop.takes("http://" + listener.Addr().String())
	for _, name := range slices.Sorted(maps.Keys(takes)) {
		fmt.Fprintf(cmd.OutOrStdout(), "%-17s %s\n", name, takes[name])
	}
	return shop.serve(cmd.Context(), listener, every)
}

// serve serves requests, delivers notifications, and places an order at intervals, until the context ends.
func (s *simulated) serve(ctx context.Context, listener net.Listener, every time.Duration) error {
	mux := http.NewServeMux()
	mux.Handle("/", s)
	mux.HandleFunc("POST /simulate/orders", s.placeOrder)
	if s.install != nil {
		mux.HandleFunc("POST /simulate/module", s.installModule)
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	if s.deliver != nil {
		go s.deliver(ctx)
	}
	if every > 0 {
		go s.buy(ctx, every)
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	return nil
}

// placeOrder serves POST /simulate/orders.
func (s *simulated) placeOrder(w http.ResponseWriter, r *http.Request) {
	var in wish
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&in); err != nil || len(in.SKUs) == 0 {
		http.Error(w, "the body must be a JSON object with a quantity for each SKU in skus", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"ids": s.order(in)})
}

// buy places orders of something that is on sale, at intervals.
func (s *simulated) buy(ctx context.Context, every time.Duration) {
	const look = time.Second // how often a shop without products is checked
	timer := time.NewTimer(min(look, every))
	defer timer.Stop()
	for n := int64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		skus := slices.Sorted(slices.Values(s.onSale()))
		if len(skus) == 0 {
			timer.Reset(min(look, every))
			continue
		}
		s.order(wish{SKUs: map[string]int64{skus[int(n*7)%len(skus)]: 1 + n%3}, Email: fmt.Sprintf("buyer%d@shop.example", n)})
		n++
		timer.Reset(every)
	}
}

// installModule sets the target of the shop's notifications, as its merchant would.
func (s *simulated) installModule(w http.ResponseWriter, r *http.Request) {
	var to struct{ URL, Secret string }
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&to); err != nil || to.URL == "" || to.Secret == "" {
		http.Error(w, `{"error":"the body must be {\"url\":…,\"secret\":…}"}`, http.StatusBadRequest)
		return
	}
	s.install(to.URL, to.Secret)
	w.WriteHeader(http.StatusNoContent)
}

// withArticle begins a sentence with a name.
func withArticle(name string) string {
	if strings.ContainsRune("AEIOUaeiou", rune(name[0])) {
		return "An " + name
	}
	return "A " + name
}
