// Shop-poll-and-order is a shop written in-house, reduced to its two exchanges with entrepot: it follows changes of
// the catalog, and sends paid orders.
//
//	export ENTREPOT_URL=http://127.0.0.1:8080 ENTREPOT_KEY=pk_live_…
//	go run ./examples/shop-poll-and-order poll catalog.cursor      # every minute, from cron
//	go run ./examples/shop-poll-and-order order < order.json       # once an order is paid
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdin, os.Getenv, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "shop-poll-and-order:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, in io.Reader, getenv func(string) string, out io.Writer) error {
	s := shop{
		base: cmp.Or(getenv("ENTREPOT_URL"), "http://127.0.0.1:8080"),
		key:  getenv("ENTREPOT_KEY"),
		http: &http.Client{Timeout: 30 * time.Second},
	}
	switch {
	case len(args) == 2 && args[0] == "poll":
		return s.poll(ctx, cursorFile(args[1]), func(p product) error {
			_, err := fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", p.SKU, p.Name, p.Price, p.Status)
			return err
		})
	case len(args) == 1 && args[0] == "order":
		order, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		receipt, err := s.order(ctx, order)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, receipt.ID, receipt.Status, receipt.TotalAmount, receipt.Currency)
		return err
	}
	return errors.New("call it as: poll CURSOR-FILE, or: order < order.json")
}
