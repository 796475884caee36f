// Erp-stock-push sets stock levels in entrepot from lines "sku,quantity" or "sku,quantity,warehouse", as an ERP
// exports them every night.
//
//	ENTREPOT_URL=http://127.0.0.1:8080 ENTREPOT_KEY=pk_live_… go run ./examples/erp-stock-push < stock.csv
//
// It exits with 0 if every line was accepted, with 1 if not; rejected lines are printed to stderr.
package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"time"
)

// level is one item of the bulk update: what is on hand of a SKU in a warehouse (interface §4.2).
type level struct {
	SKU           string `json:"sku"`
	WarehouseCode string `json:"warehouseCode,omitempty"` // empty: the default warehouse
	Quantity      int    `json:"quantity"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdin, os.Getenv, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "erp-stock-push:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, in io.Reader, getenv func(string) string, out, rejected io.Writer) error {
	levels, err := readLevels(in)
	if err != nil {
		return err
	}
	p := pusher{
		base: cmp.Or(getenv("ENTREPOT_URL"), "http://127.0.0.1:8080"),
		key:  getenv("ENTREPOT_KEY"),
		// No hash of the quantities: pushing the same quantities tomorrow is a new push, not a repetition.
		run:   "stock-" + rand.Text(),
		http:  &http.Client{Timeout: time.Minute},
		pause: pause,
	}
	total, err := p.push(ctx, levels)
	fmt.Fprintf(out, "%d lines: %d updated, %d rejected\n", len(levels), total.Updated, len(total.Errors))
	for _, e := range total.Errors {
		fmt.Fprintf(rejected, "line %d, %s: %s\n", e.Index+1, e.SKU, e.Error)
	}
	if err == nil && len(total.Errors) > 0 {
		err = fmt.Errorf("%d lines were rejected", len(total.Errors))
	}
	return err
}

// readLevels reads the export; every line must have a SKU and a whole number.
func readLevels(in io.Reader) ([]level, error) {
	lines := csv.NewReader(in)
	lines.FieldsPerRecord = -1 // the warehouse is optional
	lines.TrimLeadingSpace = true
	var levels []level
	for {
		fields, err := lines.Read()
		if err == io.EOF {
			return levels, nil
		}
		if err != nil {
			return nil, err
		}
		line, _ := lines.FieldPos(0)
		if len(fields) < 2 || len(fields) > 3 {
			return nil, fmt.Errorf("line %d: want sku,quantity or sku,quantity,warehouse", line)
		}
		quantity, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("line %d: quantity %q is not a whole number", line, fields[1])
		}
		l := level{SKU: fields[0], Quantity: quantity}
		if len(fields) == 3 {
			l.WarehouseCode = fields[2]
		}
		levels = append(levels, l)
	}
}
