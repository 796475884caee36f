// Package importer reads files of products, orders, prices and stock, and passes what they hold to a service: to its HTTP API by a key
// (package client), or to the operations of this process (package fileimport).
//
// Begin here: Detect says how a file would be read, a Run with Options.DryRun what importing it would do, and Run imports it. A row passes
// these stages; the files of each begin with its name:
//
//	source   the file: compression, encoding, hash
//	table    the file as rows under named columns: CSV, JSON, JSON lines; its header, cleaned cells
//	format   what is known of the exports of shops: Shopify, WooCommerce, PrestaShop, Magento, entrepot itself
//	mapping  which columns make which field: said, known by the format, or guessed
//	inspect  one reading of the whole file that decides how its numbers and dates are read (value_*)
//	product  rows become products: assembled, with sales, categories and duplicates
//	order    rows become orders: lines, totals, contacts, credit notes
//	list     rows become prices or stock
//	shipment rows become shipments of orders
//	send     pieces are packed into chunks, and several are sent at a time
//	report   outcomes in the order of the file; refused rows; the state by which an import is resumed; the summary
//
// Every row ends as stored or refused, and every refused row is in the report.
//
// The file is read once for its hash, once to decide how its numbers and dates are read, once or twice more if rows
// must be grouped or categories created first, and once to send. Memory does not grow with its rows, except for 20
// bytes for each SKU (to find duplicates), 20 bytes for each order, distinct categories, and orders whose rows are far
// apart.
package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// maker is the part of a productMaker, an orderMaker, a shipmentMaker or a listMaker that Run needs.
type maker interface {
	prepare() error
	survey(ctx context.Context) error
	make(ctx context.Context, out emit) error
	again(ctx context.Context) error // before make is called again
	counted() counter
	untouched() bool
}

func (m *productMaker) counted() counter { return m.rows }
func (m *orderMaker) counted() counter   { return m.rows }

func (m *productMaker) again(ctx context.Context) error {
	if m.gather != nil {
		m.gather.forget()
	}
	if m.asIs {
		return m.surveyOwn(ctx)
	}
	return nil
}

func (m *orderMaker) again(context.Context) error { return nil } // its prices hold on another day

// untouched is true when the objects of the file are passed on as they are.
func (m *productMaker) untouched() bool { return m.asIs }
func (m *orderMaker) untouched() bool   { return m.asIs }

// StoppedError is an import that ended before the end of the file. Settled rows are in the summary, and in the state
// file if there is one.
type StoppedError struct {
	cause error
	hint  string
}

// Error is the cause and how to continue.
func (e *StoppedError) Error() string { return "the import stopped: " + e.cause.Error() + e.hint }

// Unwrap is the cause.
func (e *StoppedError) Unwrap() error { return e.cause }

// Run imports a file. Refused rows are no error: they are in the summary and the report. Errors: *CallError for a
// wrong call or an ambiguous file, before anything was stored; *StoppedError when the service, the file or the context
// ended it early.
func Run(ctx context.Context, o Options) (Summary, error) {
	if err := o.check(); err != nil {
		return Summary{}, err
	}
	src, err := openSource(o)
	if err != nil {
		return Summary{}, err
	}
	defer src.close()
	run := &importRun{Options: o, source: src}
	if err := run.open(ctx); err != nil {
		return Summary{}, err
	}
	err = run.run(ctx)
	return run.summary(), err
}

// importRun is one import under way.
type importRun struct {
	Options
	source *source
	table  *table
	format format
	maker  maker
	header []string // the names of all columns, also of those that are not read
	fields *mapping

	seen     inspection
	jumps    Jumps
	checker  *orderChecker // of a dry run of orders that asks the service
	left     []string      // columns that are not imported
	decimals string        // how numbers are read, for the person to check

	state   state
	resumed bool
	report  *report
}

// open detects everything about the file that does not need the service.
func (r *importRun) open(ctx context.Context) (err error) {
	defer func() {
		if err != nil && len(r.source.sheets) > 1 { // what is wrong may be right in another sheet
			err = cmp.Or(r.source.unclear, err)
		}
	}()
	if r.table, err = newTable(r.source, r.tableOptions()); err != nil {
		return err
	}
	r.header = slices.Clone(r.table.header)
	r.table.ignore(r.Ignore)
	mapping, err := r.explicit(r.table)
	if err != nil {
		return err
	}
	r.fields = mapping
	if r.format = r.table.chooseFormat(r.Format, kinds[r.Kind].formats); r.table.container != delimited && !r.table.shopify {
		r.format = plainFormat
		r.format.name = string(r.table.container)
	}
	if r.source.sheet != "" && r.format.name == plainFormat.name {
		r.format.name = "xlsx"
	}
	if r.maker, err = r.newMaker(mapping); err != nil {
		return err
	}
	if err := r.maker.prepare(); err != nil {
		return err
	}
	var unread []string
	if !r.maker.untouched() {
		unread = r.unreadColumns(mapping)
	}
	r.table.nameColumns(mapping, unread)
	if r.source.unclear != nil {
		return r.source.unclear
	}
	if !r.maker.untouched() {
		if err := r.byDefault(mapping); err != nil {
			return err
		}
		if err := r.inspect(ctx, mapping); err != nil {
			return err
		}
	}
	r.announce(mapping)
	return r.openState()
}

// newMaker makes records of the kind from rows.
func (r *importRun) newMaker(mapping *mapping) (maker, error) {
	plain := len(r.Map) == 0 && len(r.Set) == 0
	switch {
	case r.Kind.isList():
		return &listMaker{table: r.table, mapping: mapping, stock: r.Kind == Stock}, nil
	case r.Kind == Shipments:
		return &shipmentMaker{table: r.table, mapping: mapping, carrierOf: r.CarrierOf}, nil
	case r.Kind == Products:
		m := &productMaker{
			table: r.table, mapping: mapping, format: r.format, imageBase: r.ImageBase, twice: r.Duplicates,
			between: r.CategorySeparator, nesting: r.PathSeparator, exported: plain && isExported(r.table, Products),
		}
		m.asIs = m.exported || plain && isOwnShape(r.table)
		zone, err := zoneNamed(r.TimeZone)
		if err != nil {
			return nil, err
		}
		m.sales = saleDates{now: r.Now(), zone: zone, order: dateOrder(r.DateOrder)}
		m.moved, err = readCategories(r.Categories, m.exported)
		return m, err
	}
	m := &orderMaker{
		table: r.table, mapping: mapping, format: r.format, channel: r.Channel, creditNotes: r.CreditNotes,
		split: r.LongOrders == "split", exported: plain && isExported(r.table, Orders),
	}
	m.asIs = m.exported || plain && isOwnOrder(r.table)
	if r.CreateMissing || r.DryRun && r.Shop != nil {
		m.missing = newCandidates()
	}
	return m, nil
}

// announce prints what was detected, so that the person can check it.
func (r *importRun) announce(m *mapping) {
	what := r.source.charset.name
	if r.source.sheet != "" {
		what = "sheet " + r.source.sheet
	} else if r.table.container == delimited {
		what += fmt.Sprintf(", cells separated by %q", r.table.delimiter)
	}
	if r.table.headerLine > 0 {
		what += fmt.Sprintf(", names of columns in line %d", r.table.headerLine)
	}
	fmt.Fprintf(r.Log, "%s: %s (%s)\n", r.source.name, r.format.name, what)
	if text := m.describe(); text != "" {
		fmt.Fprintf(r.Log, "mapping: %s\n", text)
	} else {
		fmt.Fprintln(r.Log, "mapping: none, the objects have the API's shape")
		if m, products := r.maker.(*productMaker); products && !m.exported {
			r.left = foreign(r.table)
		}
		return
	}
	if r.decimals != "" {
		fmt.Fprintf(r.Log, "numbers: %s\n", r.decimals)
	}
	r.left = r.notImported(m)
	if id := m.exact["customerId"]; id != nil && !m.has("customerEmail") && len(id.alternatives) == 1 && len(id.alternatives[0]) == 1 {
		id := ColumnName(id.columnNames(0, r.table.header))
		fmt.Fprintf(r.Log, "customers: the file has ids but no e-mails, so that the orders are not linked to customer records; --map "+
			"'%s+\"@customers.invalid\"=customerEmail' links the orders of one id\n", id)
	}
	if len(r.table.unseen) > 0 {
		fmt.Fprintf(r.Log, "warning: the first objects have no %s\n", strings.Join(r.table.unseen, ", "))
	}
}

func (r *importRun) openState() error {
	fresh := state{Version: stateVersion, Kind: r.Kind, File: r.File, SHA256: r.source.sha256, Options: r.fingerprint()}
	r.state = fresh
	if r.Keeper != nil {
		text, err := r.Keeper.Load()
		if err == nil && len(text) > 0 {
			r.state, err = readState(text, "the progress kept", fresh)
			r.resumed = true
		}
		if err != nil {
			return err
		}
	} else if r.State != "" {
		have, found, err := loadState(r.State, fresh)
		switch {
		case err != nil && (r.Resume || !found):
			return err
		case found && !r.Resume && (err != nil || !have.Done):
			return wrongCall("%s holds an import that is not finished; --resume goes on with it, or remove the file to begin anew", r.State)
		case found && r.Resume:
			r.state, r.resumed = have, true
		}
	}
	if r.Report == "" {
		return nil
	}
	if info, err := os.Stat(r.Report); r.resumed && (err != nil || info.Size() < r.state.ReportBytes) {
		return wrongCall("the report %s of the import to be resumed is gone or shorter than it was", r.Report)
	}
	var err error
	r.report, err = openReport(r.Report, r.state.ReportBytes)
	return err
}

// run sends the file.
func (r *importRun) run(ctx context.Context) (err error) {
	defer func() {
		if r.report != nil {
			err = errors.Join(err, r.report.close())
		}
	}()
	if r.state.Done {
		fmt.Fprintln(r.Log, "this import is complete already")
		return nil
	}
	if err := r.maker.survey(ctx); err != nil {
		return r.stopped(err)
	}
	if err := r.findCurrency(ctx); err != nil {
		return r.stopped(err)
	}
	err = r.checkJumps(ctx)
	if err == nil {
		err = r.store(ctx)
	}
	if err != nil {
		if call, wrong := errors.AsType[*CallError](err); wrong {
			return call
		}
		return r.stopped(err)
	}
	if err := r.pump(ctx); err != nil {
		return r.stopped(err)
	}
	r.state.Done = true
	r.state.Rows, r.state.BlankRows = r.maker.counted().rows, r.maker.counted().blank
	return r.saveState()
}

func (r *importRun) stopped(cause error) error {
	hint := ""
	if r.State != "" {
		hint = "; the same command with --resume goes on with row " + fmt.Sprint(r.state.NextRow)
	}
	return &StoppedError{cause: cause, hint: hint}
}

func (r *importRun) saveState() error {
	if r.report != nil {
		length, err := r.report.flush()
		if err != nil {
			return err
		}
		r.state.ReportBytes = length
	}
	if r.Keeper != nil {
		text, err := json.Marshal(r.state)
		if err != nil {
			return err
		}
		return r.Keeper.Save(text)
	}
	if r.State == "" {
		return nil
	}
	return r.state.save(r.State)
}

func (r *importRun) summary() Summary {
	s := Summary{
		Kind: r.Kind, File: r.File, SHA256: r.source.sha256, Format: r.format.name, Encoding: r.source.charset.name,
		DryRun: r.DryRun, Resumed: r.resumed, Complete: r.state.Done, Rows: max(r.state.Rows, r.maker.counted().rows),
		BlankRows: max(r.state.BlankRows, r.maker.counted().blank), Counts: r.state.Counts,
		NotImported: r.left, Jumps: r.jumps.Count, PriceJumps: r.jumps.List[:min(len(r.jumps.List), toldJumps)],
	}
	if r.To != nil {
		s.Requests, s.Repeats = r.To.Requests()
	}
	return s
}
