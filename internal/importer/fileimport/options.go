// Package fileimport imports files of products, prices, stock, orders and tracking numbers that users upload in the dashboard (docs/import.md). It runs
// package importer over a file, with the operations in place of the HTTP API.
//
//	options.go  how a file is to be read, and what is detected of it
//	start.go    start of a dry run or an import, and its continuation
//	run.go      the work itself, in a job that a worker holds
//	catalog.go  stores products and categories by the operations
//	orders.go   stores orders likewise
//	shipments.go ships orders likewise
//	lists.go    stores prices and stock likewise
//	keeper.go   the progress, stored with the refused rows
//	refused_rows.go the refused rows, as a file to correct
package fileimport

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/importer"
	"entrepot/internal/imports"
)

// Bounds of a file.
const (
	MaxFile    = 64 << 20  // bytes
	MaxText    = 256 << 20 // bytes when it is unpacked
	MaxColumns = 500
)

// Options say how a file is to be read; zero values are detected.
type Options struct {
	// by their names: the fields that were chosen, "" for columns that are left out
	Columns    map[string]string `json:"columns,omitempty"`
	NoHeader   bool              `json:"noHeader,omitempty"`
	HeaderRow  int               `json:"headerRow,omitempty"` // the line with the names of the columns
	Delimiter  string            `json:"delimiter,omitempty"`
	Sheet      string            `json:"sheet,omitempty"` // of a workbook
	Encoding   string            `json:"encoding,omitempty"`
	Decimal    string            `json:"decimal,omitempty"` // comma, point
	Duplicates string            `json:"duplicates,omitempty"`
	ImageBase  string            `json:"imageBase,omitempty"`
	Channel    id.Channel        `json:"channel,omitempty"` // products are published there, orders are attached to it

	// Of orders.
	Currency      string `json:"currency,omitempty"`  // of orders whose rows have none
	Status        string `json:"status,omitempty"`    // likewise
	DateOrder     string `json:"dateOrder,omitempty"` // dmy, mdy
	TimeZone      string `json:"timeZone,omitempty"`  // of times without one; "" for UTC
	CreditNotes   string `json:"creditNotes,omitempty"`
	CreateMissing bool   `json:"createMissing,omitempty"` // products that the catalog lacks are created
}

// ReadOptions are an import's.
func ReadOptions(i imports.Import) (o Options, err error) {
	return o, json.Unmarshal([]byte(i.Options), &o)
}

// ReadFound returns what was detected of an import's file.
func ReadFound(i imports.Import) (f importer.Found, err error) {
	return f, json.Unmarshal([]byte(i.Found), &f)
}

// Put stores options and what was detected with them in an import.
func Put(i *imports.Import, o Options, f importer.Found) error {
	options, err := json.Marshal(o)
	if err != nil {
		return err
	}
	found, err := json.Marshal(f)
	i.Options, i.Found = string(options), string(found)
	return err
}

// importer are the options of the importer for a content; messages use its name.
func (o Options) importer(kind imports.Kind, content importer.Content, name string) importer.Options {
	out := importer.Options{Kind: importer.Kind(kind), Content: content, Name: name, MostText: MaxText, NoHeader: o.NoHeader,
		HeaderRow: o.HeaderRow,
		Sheet:     o.Sheet, Delimiter: o.Delimiter, Encoding: o.Encoding, Duplicates: o.Duplicates, ImageBase: o.ImageBase,
		Channel: string(o.Channel)}
	switch kind {
	case imports.Orders:
		o.ofOrders(&out)
	case imports.Shipments:
		out.DateOrder, out.TimeZone = o.DateOrder, o.TimeZone
	}
	if o.Decimal != "" {
		out.Decimal = []string{o.Decimal}
	}
	// in sorted order: a resumed import must have the same options
	for _, column := range slices.Sorted(maps.Keys(o.Columns)) {
		field := o.Columns[column]
		switch {
		case field == "":
			out.Ignore = append(out.Ignore, column)
		case strings.HasSuffix(field, "."):
			out.Map = append(out.Map, importer.ColumnName(column)+"="+field+column)
		default:
			out.Map = append(out.Map, importer.ColumnName(column)+"="+field)
		}
	}
	return out
}

// ofOrders adds what only orders have.
func (o Options) ofOrders(out *importer.Options) {
	out.DateOrder, out.TimeZone = o.DateOrder, o.TimeZone
	out.CreditNotes, out.CreateMissing = importer.CreditNotes(o.CreditNotes), o.CreateMissing
	if o.Currency != "" {
		out.Default = append(out.Default, "currency="+o.Currency)
	}
	if o.Status != "" {
		out.Default = append(out.Default, "initialStatus="+o.Status)
	}
}

// Look detects how the file at a path would be read; with guess, columns whose names only resemble a field's are
// guessed. Errors: Invalid for a file that cannot be imported with any options.
func (o Options) Look(ctx context.Context, kind imports.Kind, content importer.Content, name string, guess bool) (importer.Found, error) {
	options := o.importer(kind, content, name)
	options.Guess = guess
	found, err := importer.Detect(ctx, options)
	if call, ok := errors.AsType[*importer.CallError](err); ok {
		return found, apperr.New(apperr.Invalid, "unreadable_file", "%s", call.Words())
	}
	switch n := len(found.Columns); {
	case err != nil:
		return found, err
	case n == 0:
		return found, apperr.New(apperr.Invalid, "unreadable_file", "%s holds no rows that can be read", name)
	case n > MaxColumns:
		return found, apperr.New(apperr.Invalid, "too_many_columns", "%s has %d columns; %d is the most", name, n, MaxColumns)
	}
	return found, nil
}
