package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"entrepot/internal/importer"
	"entrepot/internal/importer/client"
	"entrepot/internal/orders"
)

// newImportCommand is "entrepot import products|prices|stock|orders|shipments FILE". It fails if rows were refused or the
// import stopped before the file's end.
func newImportCommand(env *environment) *cobra.Command {
	o := importer.Options{Stdin: env.stdin, Log: env.stderr, CarrierOf: orders.CarrierOf}
	var url, key string
	var asJSON, quiet bool
	command := &cobra.Command{
		Use:     "import products|prices|stock|orders|shipments FILE",
		Short:   "Store the products, prices, stock, orders or tracking numbers of a CSV, Excel or JSON file through the API",
		Long:    importHelp,
		Example: importExamples,
		Args:    cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, arguments []string) error {
			if len(arguments) != 2 {
				return wrong("usage: entrepot %s; see: entrepot import --help", command.Use)
			}
			o.Kind, o.File = importer.Kind(arguments[0]), arguments[1]
			notice, stop := func(time.Duration, error) {}, func() {}
			if !quiet {
				var progress *importProgress
				progress, stop = newImportProgress(env.stderr)
				o.Progress, notice = progress.settled, progress.waiting
			}
			defer stop()
			if url != "" || key != "" {
				service, err := client.New(url, key, client.WithUserAgent("entrepot-import"), client.WithNotice(notice))
				if err != nil {
					return wrong("%v", err)
				}
				o.To = service
			}
			if quiet {
				o.Log = io.Discard
			}
			return runImport(command, env, o, asJSON, quiet, stop)
		},
	}
	flags := command.Flags()
	flags.StringVar(&url, "url", "", "address of the service, for example https://shop.example (ENTREPOT_URL)")
	flags.StringVar(&key, "key", "", "API key with write:products and write:categories, write:inventory, or write:orders (better in "+
		"ENTREPOT_KEY: arguments are visible to other users)")
	importFlags(flags, &o)
	flags.BoolVar(&asJSON, "json", false, "print the summary as JSON")
	flags.BoolVar(&quiet, "quiet", false, "print only the summary")
	return command
}

// importFlags are the flags that say what the file means and how it is stored.
func importFlags(flags *pflag.FlagSet, o *importer.Options) {
	flags.StringArrayVar(&o.Map, "map", nil, "EXPRESSION=FIELD: what a field is computed from (repeatable)")
	flags.StringArrayVar(&o.Set, "set", nil, "FIELD=VALUE: a constant (repeatable)")
	flags.StringVar(&o.Format, "format", "auto", "auto, csv, shopify, woocommerce, magento, prestashop, jsonl or json")
	flags.StringVar(&o.Delimiter, "delimiter", "auto", "auto, comma, semicolon, tab, pipe, or any one sign")
	flags.StringVar(&o.Sheet, "sheet", "", "the name of the sheet of a workbook; found out where one is filled")
	flags.StringVar(&o.Encoding, "encoding", "auto", "auto, utf-8, utf-16, windows-1252, latin1, iso-8859-15 …")
	flags.StringArrayVar(&o.Decimal, "decimal", nil, "the sign that begins the decimals: comma or point, for all columns or for some "+
		"(price=comma,compareAtPrice=point); found out when not given")
	flags.StringVar(&o.DateOrder, "date-order", "auto", "what 01/02/2026 means in dates of orders, of shipments and of sale prices: auto, dmy or mdy")
	flags.StringVar(&o.TimeZone, "time-zone", "UTC", "where dates and times without a zone are, for example Europe/Paris")
	flags.StringVar(&o.Duplicates, "duplicates", "first", "products: of rows with one SKU take the first or the last, or merge them")
	flags.BoolVar(&o.NoHeader, "no-header", false, "the first line is data; its columns are c1, c2 …")
	flags.IntVar(&o.HeaderRow, "header-row", 0, "the line with the names of the columns, where titles stand above it; found out when "+
		"not given")
	flags.StringSliceVar(&o.Columns, "columns", nil, "names of the columns of a file without header: a,b,c")
	flags.StringVar(&o.ImageBase, "image-base", "", "address put before relative image paths")
	flags.StringVar(&o.Categories, "categories", "", "products of entrepot export: a file of its categories, which are stored before them")
	flags.StringVar(&o.CategorySeparator, "category-separator", "", "signs between two categories in one cell")
	flags.StringVar(&o.PathSeparator, "path-separator", "", "sign between the levels of a category")
	flags.StringVar(&o.Channel, "channel", "", "id of the channel: products are published on it, orders attached to it")
	flags.StringVar((*string)(&o.CreditNotes), "credit-notes", "return", "orders: negative quantities become orders with status RETURNED "+
		"(return) or CANCELLED (cancel), or are reported (report)")
	flags.StringVar(&o.LongOrders, "long-orders", "split", "orders above 500 lines: split or report")
	flags.BoolVar(&o.CreateMissing, "create-missing-products", false, "orders: create products for SKUs that the catalog lacks")
	flags.BoolVar(&o.AcceptJumps, "accept-jumps", false, "products and prices: store prices that change by more than half, too; without it "+
		"an import with such prices stores nothing and lists them")
	flags.BoolVar(&o.DryRun, "dry-run", false, "store nothing; with --url and --key the service says what would change, and which orders "+
		"it would refuse")
	flags.IntVar(&o.Batch, "batch", 0, "products in a request (1000), prices or levels in one (5000), shipments in one (500), or orders in a confirmed step (20)")
	flags.IntVar(&o.Concurrency, "concurrency", 3, "requests in flight")
	flags.StringVar(&o.Report, "report", "", "write every refused row and every note to this file: CSV, or JSON lines if it ends in .jsonl")
	flags.StringVar(&o.State, "state", "", "keep the progress in this file, so that --resume can go on")
	flags.BoolVar(&o.Resume, "resume", false, "go on with the import that --state holds")
}

const importHelp = `Store the products, prices, stock, orders or tracking numbers of a file through the API of a running
service.

The file may be CSV with any delimiter and encoding, a product export of Shopify, WooCommerce or
Magento, JSON lines or a JSON array, each also compressed (.gz), or an Excel workbook (.xlsx), of
which one sheet is imported; "-" is the standard input. What the columns mean is recognised by
their names or said with --map and --set:

  --map 'COLUMN=field'                 a column; field=COLUMN where only that makes sense
  --map 'number+"-"+variant=sku'       columns and constants joined
  --map 'US price|UK price|"0"=price'  the first that is not blank
  --map 'image~/(\d+)_/=sku'           the part of a column that matches
  --set stock.quantity=100             a constant

Prices and stock are lists of products that exist: SKU and price (also the compare-at price and the
currency), or SKU and quantity (also the warehouse). Shipments are rows of order (its number, its
external reference or the platform's number) and tracking number, also carrier, link and date.

Every row ends as stored or refused; --report names each refused row and why. Exit code 0: all
stored; 1: some rows were refused, or the import stopped; 2: wrong call.`

const importExamples = `  entrepot import products catalog.csv --url http://127.0.0.1:8080 --key pk_live_… --report refused.csv
  entrepot import prices spring.csv --url http://127.0.0.1:8080 --key pk_live_… --report refused.csv
  entrepot import prices supplier.xlsx --sheet 'Net prices'
  entrepot import orders orders.csv.gz --map InvoiceNo=externalReference --set currency=GBP --create-missing-products
  entrepot import shipments labels.csv --report refused.csv
  entrepot import products shopify.csv --dry-run
  entrepot import products products.jsonl --categories categories.jsonl   # what entrepot export wrote`

// runImport runs the import and prints the summary, with the first errors if there is no report. ended is called when
// the import has ended and nothing of it was printed yet.
func runImport(command *cobra.Command, env *environment, o importer.Options, asJSON, quiet bool, ended func()) error {
	start := time.Now()
	var first []importer.Fault // shown when no report keeps them
	count := 0
	if o.Report == "" && !quiet {
		o.OnFault = func(f importer.Fault) {
			if count++; len(first) < 20 {
				first = append(first, f)
			}
		}
	}
	summary, err := importer.Run(command.Context(), o)
	ended()
	for _, f := range first {
		fmt.Fprintf(env.stderr, "row %d %s: %s%s %s (%s)\n", f.Row, f.Level, f.Item, colon(f.Item), f.Message, f.Code)
	}
	if count > len(first) {
		fmt.Fprintf(env.stderr, "… and %d more; --report FILE writes all of them\n", count-len(first))
	}
	if call, ok := errors.AsType[*importer.CallError](err); ok {
		if asJSON && summary.Jumps > 0 {
			if err := writeIndented(env.stdout, summary); err != nil {
				return err
			}
		}
		return wrong("%v", call)
	}
	seconds := time.Since(start).Seconds()
	if asJSON {
		if err := writeIndented(env.stdout, struct {
			importer.Summary
			Seconds float64 `json:"seconds"`
		}{summary, seconds}); err != nil {
			return err
		}
	} else {
		printImport(env.stdout, summary, seconds)
	}
	switch {
	case err != nil:
		return err
	case summary.RowsRefused > 0:
		return fmt.Errorf("%d of %d rows were refused%s", summary.RowsRefused, summary.Rows, reportHint(o.Report))
	}
	return nil
}

func reportHint(path string) string {
	if path == "" {
		return "; --report FILE names them all"
	}
	return ", see " + path
}

func colon(item string) string {
	if item == "" {
		return ""
	}
	return ":"
}

// printImport prints the summary for people.
func printImport(w io.Writer, s importer.Summary, seconds float64) {
	verb := "stored"
	if s.DryRun {
		verb = "would be stored"
	}
	fmt.Fprintf(w, "%d rows read in %.1f s (%.0f a second), %d %s, %d refused", s.Rows, seconds, float64(s.Rows)/max(seconds, 0.001),
		s.RowsStored, verb, s.RowsRefused)
	if s.BlankRows > 0 {
		fmt.Fprintf(w, ", %d blank rows passed over", s.BlankRows)
	}
	what := string(s.Kind)
	if s.Kind == importer.Stock {
		what = "levels of stock"
	}
	fmt.Fprintf(w, "\n%d %s %s", s.Stored, what, verb)
	for _, part := range []struct {
		n    int
		text string
	}{
		{s.Created, "created"}, {s.Updated, "updated"}, {s.Unchanged, "unchanged"}, {s.Existing, "there already"},
		{s.Moved, "moved by a credit note"},
	} {
		if part.n > 0 {
			fmt.Fprintf(w, ", %d %s", part.n, part.text)
		}
	}
	fmt.Fprintln(w)
	if s.Categories > 0 {
		fmt.Fprintf(w, "%d categories stored\n", s.Categories)
	}
	if s.Missing > 0 {
		missing := "missing products created"
		if s.DryRun {
			missing = "missing products would be created"
		}
		fmt.Fprintf(w, "%d %s\n", s.Missing, missing)
	}
	for _, code := range slices.Sorted(maps.Keys(s.Codes)) {
		fmt.Fprintf(w, "  %6d × %s\n", s.Codes[code], code)
	}
	if s.Jumps > 0 {
		fmt.Fprintf(w, "%d prices change by more than half, most of all %v\n", s.Jumps, s.PriceJumps[0])
	}
	if len(s.NotImported) > 0 {
		fmt.Fprintf(w, "columns not imported: %s", strings.Join(s.NotImported, ", "))
		if place := map[importer.Kind]string{importer.Products: "attributes", importer.Orders: "paymentMetadata"}[s.Kind]; place != "" {
			fmt.Fprintf(w, " (--map 'COLUMN=%s.NAME' keeps one)", place)
		}
		fmt.Fprintln(w)
	}
	if len(s.Jobs) > 0 {
		fmt.Fprintf(w, "publishing goes on in the background; last job %s\n", s.Jobs[len(s.Jobs)-1])
	}
	if !s.Complete {
		fmt.Fprintln(w, "the file was not imported to its end")
	}
}

// isTerminal reports whether the output is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}
