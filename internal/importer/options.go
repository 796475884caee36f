package importer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"

	"entrepot/internal/importer/client"
	"entrepot/internal/limits"
)

// Kind is the kind of records in a file.
type Kind string

// Kinds of imports.
const (
	Products Kind = "products"
	Orders   Kind = "orders"
	Prices   Kind = "prices" // of products that exist
	Stock    Kind = "stock"  // likewise

	Shipments Kind = "shipments" // carriers and tracking numbers of orders that exist
)

// kinds are what the importer knows of each kind.
var kinds = map[Kind]struct {
	fields      []field
	formats     []format // shop exports that are known
	guesses     []demand
	own         func(*table) bool // the objects have the API's own shape
	most, usual int               // how much is sent at once
}{
	Products:  {productFields, productFormats, guesses, isOwnShape, limits.MaxImport, limits.MaxImport},
	Orders:    {orderFields, orderFormats, orderGuesses, isOwnOrder, 1_000, 20},
	Prices:    {priceFields, nil, priceGuesses, never, limits.MaxUpdates, limits.MaxUpdates},
	Shipments: {shipmentFields, nil, shipmentGuesses, never, limits.MaxBulkShip, limits.MaxBulkShip},
	Stock:     {stockFields, nil, stockGuesses, never, limits.MaxUpdates, limits.MaxUpdates},
}

func never(*table) bool { return false }

// Catalog receives the products that an import reads: a client of the HTTP API, or something that runs the operations.
// Results are as in interface §4.2; a refused request is a *client.Error.
type Catalog interface {
	ImportProducts(ctx context.Context, body []byte, wait bool) (client.Imported, error)
	ImportCategories(ctx context.Context, categories []client.Category) (client.CategoriesImported, error)
}

// Shop receives the orders that an import reads, and answers what a dry run asks: a client of the HTTP API, or
// something that runs the operations. A refusal is a *client.Error.
type Shop interface {
	Catalog
	CreateOrder(ctx context.Context, body []byte, idempotencyKey string) (replayed bool, err error)
	FindOrder(ctx context.Context, externalReference string) (order client.OrderRead, found bool, err error)
	MoveOrder(ctx context.Context, id, status, note string) error
	EachReference(ctx context.Context, do func(externalReference string) error) error
	Customer(ctx context.Context, id string) (client.Customer, error)
	CreateCustomer(ctx context.Context, customer client.Customer, idempotencyKey string) (client.Customer, error)
	ChangeCustomer(ctx context.Context, id string, changes client.Customer) (client.Customer, error)
}

// Keeper stores the progress of an import, so that it can be continued.
type Keeper interface {
	Load() (progress []byte, err error) // nil before the first Save
	Save(progress []byte) error         // after each confirmed chunk; its error ends the import
}

// Content opens something to import at its beginning. It is called more than once.
type Content func() (io.ReadCloser, error)

// Options configure one import. Zero values mean the defaults named here; docs/import.md explains each.
type Options struct {
	Kind  Kind
	File  string         // path, .gz or not; "-" is Stdin
	Name  string         // what messages call the file; "" = File
	Stdin io.Reader      //
	To    *client.Client // nil in a dry run: nothing is asked of a service

	Content Content // reads what is imported instead of File; nil for the file

	Catalog Catalog // where products and categories go; nil: Shop
	Shop    Shop    // where orders go; nil: To
	Lists   Lists   // where prices and stock go; nil: To, except in a dry run
	Shipper Shipper // where shipments go; nil: To, except in a dry run
	Keeper  Keeper  // stores the progress instead of a state file, and continues from what it has; nil: State

	Format    string   // auto (default), csv, shopify, woocommerce, magento, prestashop, jsonl, json
	Delimiter string   // auto (default), one sign, or comma, semicolon, tab, pipe
	Sheet     string   // of a workbook: the name of the one that is imported; "": the only filled one
	Encoding  string   // auto (default), utf-8, windows-1252 …
	Decimal   []string // signs of decimals: comma, point, or per column price=comma,compareAtPrice=point; none = found out
	DateOrder string   // of orders and shipments: auto (default), dmy or mdy
	TimeZone  string   // of orders: where times without a zone are; "" = UTC
	NoHeader  bool     // the first line is data; columns are c1, c2 …
	HeaderRow int      // the line with the names of the columns; 0: found out
	Columns   []string // names for a file without header
	Map       []string // "expression=field"
	Set       []string // "field=constant"
	Default   []string // "field=constant" of rows for which no column says it
	Ignore    []string // columns that are not read; the one of WriteRefusedRows never is
	Guess     bool     // Detect also maps columns whose names only resemble a field's, for a person to confirm
	MostText  int64    // bytes that the file may have when it is unpacked; 0 = no bound

	Categories        string // path of a file of categories that export wrote, for products that it wrote; "" = none
	ImageBase         string // address before relative image paths
	CategorySeparator string // signs between categories in one cell
	PathSeparator     string // sign between the levels of a category

	Channel       string      // id of the channel to publish on, or to attach orders to
	Duplicates    string      // products: first (default), last or merge
	CreditNotes   CreditNotes // default return
	LongOrders    string      // split (default) or report
	AcceptJumps   bool        // products and prices: prices that change by more than half are meant
	CreateMissing bool        // orders: create products for SKUs the catalog lacks

	DryRun      bool
	Batch       int    // products in a request (1,000), orders in a confirmed step (20)
	Concurrency int    // requests in flight, 3
	Report      string // path of the report, "" = none
	State       string // path of the state file, "" = none
	Resume      bool

	Log      io.Writer        // what was detected, warnings; nil = nobody
	Progress func(Progress)   // how far the import is; nil = nobody
	Now      func() time.Time // the clock; nil = the machine's
	OnFault  func(Fault)      // every line of the report, as it is settled; nil = nobody
	// the carrier that has numbers of this form, "" for none; nil = carriers are not recognised
	CarrierOf func(number string) string
	OnNew     func([]byte) // in a dry run with a service: every order that would be created, as JSON, one at a time; nil = nobody
}

// check sets what is left out, and refuses options that are invalid or do not go together.
func (o *Options) check() error {
	known, ok := kinds[o.Kind]
	if !ok {
		return wrongCall("import what? products, prices, stock, orders or shipments")
	}
	if err := o.checkWords(); err != nil {
		return err
	}
	o.Batch, o.Concurrency = cmp.Or(o.Batch, known.usual), cmp.Or(o.Concurrency, 3)
	switch {
	case o.Batch < 1 || o.Batch > known.most:
		return wrongCall("--batch is from 1 to %d", known.most)
	case o.Concurrency < 1 || o.Concurrency > 64:
		return wrongCall("--concurrency is from 1 to 64")
	}
	if err := o.checkTogether(); err != nil {
		return err
	}
	o.setTargets()
	return nil
}

// checkWords checks options that are one of a few words; the first is the default.
func (o *Options) checkWords() error {
	oneOf := func(flag string, value *string, allowed ...string) error {
		if *value == "" {
			*value = allowed[0]
		}
		if !slices.Contains(allowed, *value) {
			return wrongCall("--%s %s is not known; use %s", flag, *value, strings.Join(allowed, ", "))
		}
		return nil
	}
	credit := string(o.CreditNotes)
	for _, err := range []error{
		oneOf("format", &o.Format, "auto", "csv", "shopify", "woocommerce", "magento", "prestashop", "jsonl", "json"),
		oneOf("date-order", &o.DateOrder, "auto", string(dayFirst), string(monthFirst)),
		oneOf("credit-notes", &credit, string(CreditReturn), string(CreditCancel), string(CreditReport)),
		oneOf("duplicates", &o.Duplicates, duplicatesFirst, duplicatesLast, duplicatesMerge),
		oneOf("long-orders", &o.LongOrders, "split", "report"),
	} {
		if err != nil {
			return err
		}
	}
	o.CreditNotes = CreditNotes(credit)
	return nil
}

// checkTogether refuses options that have no meaning for the kind of records or with each other.
func (o *Options) checkTogether() error {
	switch {
	case o.Kind == Orders && o.Duplicates != duplicatesFirst:
		return wrongCall("--duplicates is for products; lines of one order may have the same SKU")
	case o.Kind != Products && o.Duplicates != duplicatesFirst:
		return wrongCall("--duplicates is for products; of a list the first row of a SKU counts")
	case (o.Kind.isList() || o.Kind == Shipments) && (o.Format != "auto" && o.Format != "csv" && o.Format != "jsonl" && o.Format != "json"):
		return wrongCall("--format %s is for products and orders; of a list it is csv, jsonl or json", o.Format)
	case o.Kind != Products && o.Categories != "":
		return wrongCall("--categories is for products")
	case (o.Kind.isList() || o.Kind == Shipments) && o.Channel != "":
		return wrongCall("--channel is for products and orders")
	case o.To == nil && !o.receives() && !o.DryRun:
		return wrongCall("the service's address and an API key are needed: --url and --key, or ENTREPOT_URL and ENTREPOT_KEY")
	case o.Resume && o.State == "":
		return wrongCall("--resume needs --state FILE")
	case o.DryRun && o.State != "":
		return wrongCall("a dry run stores nothing to resume: leave --state out")
	case o.State != "" && o.File == "-":
		return wrongCall("the standard input cannot be resumed: import from a file, or leave --state out")
	case o.HeaderRow < 0 || o.HeaderRow > mostTitleRows+1:
		return wrongCall("--header-row is from 1 to %d", mostTitleRows+1)
	case o.HeaderRow > 0 && (o.NoHeader || len(o.Columns) > 0):
		return wrongCall("--header-row is for files with a header; leave --no-header and --columns out")
	case o.PathSeparator != "" && strings.TrimSpace(o.PathSeparator) == "":
		return wrongCall("--path-separator is a sign, not a blank")
	}
	return nil
}

// setTargets makes the service the target of everything that has no other one.
func (o *Options) setTargets() {
	if o.Shop == nil && o.To != nil {
		o.Shop = o.To
	}
	if o.Catalog == nil && o.Shop != nil {
		o.Catalog = o.Shop
	}
	if o.Lists == nil && o.To != nil && !o.DryRun { // the API has no dry run of its bulk updates
		o.Lists = o.To
	}
	if o.Shipper == nil && o.To != nil && !o.DryRun { // likewise of bulk-ship
		o.Shipper = o.To
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

// isList reports whether the file has figures of products that exist.
func (k Kind) isList() bool { return k == Prices || k == Stock }

// receives reports whether a target other than the API takes the records.
func (o *Options) receives() bool {
	switch o.Kind {
	case Products:
		return o.Catalog != nil
	case Orders:
		return o.Shop != nil
	case Shipments:
		return o.Shipper != nil
	}
	return o.Lists != nil
}

// fingerprint is a hash of everything that decides which rows become which items, in which order.
func (o *Options) fingerprint() string {
	deciding := []any{
		o.Kind, o.Format, o.Delimiter, o.Encoding, o.Decimal, o.DateOrder, o.TimeZone, o.Duplicates, o.NoHeader, o.Columns, o.Map, o.Set,
		o.Ignore, o.ImageBase,
		o.CategorySeparator, o.PathSeparator, o.Channel, o.CreditNotes, o.LongOrders, o.CreateMissing,
	}
	if len(o.Default) > 0 { // state files of imports without defaults stay valid
		deciding = append(deciding, o.Default)
	}
	if o.Categories != "" { // likewise of those without
		deciding = append(deciding, "categories", o.Categories)
	}
	if o.HeaderRow > 0 {
		deciding = append(deciding, "header", o.HeaderRow)
	}
	if o.Sheet != "" {
		deciding = append(deciding, "sheet", o.Sheet)
	}
	text, err := json.Marshal(deciding)
	if err != nil {
		panic(err) // strings and booleans always marshal
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// explicit is the mapping a person gave by Map and Set.
func (o *Options) explicit(t *table) (*mapping, error) {
	m := newMapping(kinds[o.Kind].fields)
	given := map[string]bool{}
	add := func(flag, text, field string, e expression) error {
		if given[strings.ToLower(field)] {
			return wrongCall("--%s %s: the field %s is given twice; alternatives go into one expression, A|B=%s", flag, text, field, field)
		}
		given[strings.ToLower(field)] = true
		if err := m.set(field, e); err != nil {
			return wrongCall("--%s %s: %v", flag, text, err)
		}
		return nil
	}
	for _, text := range o.Map {
		e, field, err := parseExpression(text, t.column)
		if err != nil || !m.takes(field) {
			if turned, of, ok := m.turned(text, t.column); ok {
				e, field, err = turned, of, nil
			}
		}
		if _, unknown := err.(unknownColumn); unknown {
			return nil, wrongCall("--map %s: %v; it has %s", text, err, columnList(t.header))
		}
		if err != nil {
			return nil, wrongCall("--map %s: %v", text, err)
		}
		if err := add("map", text, field, e); err != nil {
			return nil, err
		}
	}
	for _, text := range o.Set {
		field, value, found := strings.Cut(text, "=")
		if !found {
			return nil, wrongCall("--set %s: it wants FIELD=VALUE", text)
		}
		if err := add("set", text, strings.TrimSpace(field), constant(value)); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// byDefault adds the constants of Default to a complete mapping: each counts in rows where nothing else gives its
// field.
func (o *Options) byDefault(m *mapping) error {
	for _, text := range o.Default {
		field, value, _ := strings.Cut(text, "=")
		e := m.exact[field]
		if e == nil {
			if err := m.set(field, constant(value)); err != nil {
				return wrongCall("the default %s: %v", text, err)
			}
			continue
		}
		last := constant(value)
		e.alternatives = append(e.alternatives, last.alternatives...)
		e.text += "|" + last.text
	}
	return nil
}
