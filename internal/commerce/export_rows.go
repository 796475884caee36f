package commerce

import (
	"cmp"
	"context"
	"io"
	"slices"
	"time"

	"entrepot/internal/accounts"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/base/regional"
	"entrepot/internal/base/workbook"
	"entrepot/internal/catalog"
	"entrepot/internal/customers"
	"entrepot/internal/db"
	"entrepot/internal/exports"
	"entrepot/internal/orders"
	"entrepot/internal/records"
	"entrepot/internal/stock"
)

// ExportFilter selects the records of an export as the list of its kind does. Of its members the one of the kind counts.
type ExportFilter struct {
	Orders    *orders.Filter    `json:"orders,omitempty"`
	Products  *catalog.Filter   `json:"products,omitempty"`
	Inventory *stock.Filter     `json:"inventory,omitempty"`
	Customers *customers.Filter `json:"customers,omitempty"`
	Segment   id.Segment        `json:"segment,omitempty"` // of customers
}

// ByCreation has the rows come in the order of their creation: by it none is missed that is changed while they are read. Levels
// come by SKU and warehouse.
func (f *ExportFilter) ByCreation() {
	if f.Orders != nil {
		f.Orders.Sort = orders.ByCreatedAt
	}
	if f.Products != nil {
		f.Products.Sort = catalog.ByCreation
	}
}

// exportAtOnce is how many records are read at once: a page of a file is in memory, and other reads wait for no more.
const exportAtOnce = 500

func (f ExportFilter) count(tx *db.Tx, kind exports.Kind) (total int64, err error) {
	switch kind {
	case exports.Orders:
		only := *f.Orders
		only.After, only.Offset, only.Limit = nil, 0, 1
		_, total, err = orders.ListHeads(tx, only)
	case exports.Products:
		only := *f.Products
		only.After, only.Offset, only.Limit = "", 0, 1
		_, total, err = catalog.Page(tx, only)
	case exports.Inventory:
		only := *f.Inventory
		only.After, only.Offset, only.Limit = nil, 0, 1
		_, total, err = stock.List(tx, only)
	case exports.Customers:
		only := *f.Customers
		only.After, only.Offset, only.Limit = "", 0, 1
		var none bool
		if none, err = f.segment(tx, &only); err == nil && !none {
			_, total, err = customers.List(tx, only)
		}
	}
	return total, err
}

// segment reads the segment of a filter; none says that it is gone, and so has no customers.
func (f ExportFilter) segment(tx *db.Tx, to *customers.Filter) (none bool, err error) {
	if f.Segment == "" {
		return false, nil
	}
	to.Segment, err = customers.SegmentByID(tx, f.Segment)
	if apperr.Is(err, apperr.NotFound) {
		return true, nil
	}
	return false, err
}

// ExportRows writes the rows of an export, page by page, each in a read of its own, so that it holds no snapshot.
type ExportRows struct {
	Store  *db.DB
	Tenant id.Tenant
	Draft  ExportDraft
	Names  map[id.User]string        // of the users who may be named
	Done   func(records int64) error // called after each page with the records so far; nil: not called

	currency string
	out      *exports.Table
	cells    [][]workbook.Value // rows of the page
	lines    [][]byte           // or its lines
	records  int64
	rows     int64
}

// Write writes the file and returns how many rows it has, without the header. Errors: those of the store, of to and of Done.
func (x *ExportRows) Write(ctx context.Context, to io.Writer) (rows int64, err error) {
	zone := time.UTC
	err = x.Store.Read(ctx, x.Tenant, func(tx *db.Tx) error {
		account, err := accounts.Own(tx)
		x.currency = account.Currency
		if found, ok := regional.Zone(cmp.Or(x.Draft.Zone, account.Settings.TimeZone, "UTC")); ok {
			zone = found
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	kind := map[exports.Kind]struct {
		sheet   string
		columns []string
		write   func(context.Context) error
	}{
		exports.Orders:    {"Orders", exports.OrderColumns, x.orders},
		exports.Products:  {"Products", exports.ProductColumns, x.products},
		exports.Inventory: {"Stock", exports.LevelColumns, x.levels},
		exports.Customers: {"Customers", exports.CustomerColumns, x.customers},
	}[x.Draft.Kind]
	if x.out, err = exports.NewTable(x.Draft.Format, to, kind.sheet, zone, kind.columns); err != nil {
		return 0, err
	}
	if err := kind.write(ctx); err != nil {
		return 0, err
	}
	return x.rows, x.out.Close()
}

// eachPage reads pages of size records, to the last one. read renders the records of a page, which are written after its
// snapshot has ended; next goes on behind the last one.
func eachPage[T any](ctx context.Context, x *ExportRows, size int, read func(tx *db.Tx) ([]T, error), next func(last *T)) error {
	for {
		var list []T
		err := x.Store.ReadWide(ctx, x.Tenant, func(tx *db.Tx) (err error) {
			x.cells, x.lines = x.cells[:0], x.lines[:0]
			list, err = read(tx)
			return err
		})
		if err == nil {
			err = x.writePage(len(list))
		}
		if err != nil || len(list) < size {
			return err
		}
		next(&list[len(list)-1])
	}
}

// writePage writes the rendered rows of a page of records.
func (x *ExportRows) writePage(records int) error {
	for _, cells := range x.cells {
		if err := x.out.Row(cells...); err != nil {
			return err
		}
	}
	for _, line := range x.lines {
		if err := x.out.Line(line); err != nil {
			return err
		}
	}
	x.rows += int64(len(x.cells) + len(x.lines))
	if x.records += int64(records); x.Done == nil {
		return nil
	}
	return x.Done(x.records)
}

func (x *ExportRows) row(cells []workbook.Value) { x.cells = append(x.cells, cells) }

func (x *ExportRows) line(write func(w *apijson.Writer)) {
	w := apijson.NewWriter(1024)
	write(w)
	x.lines = append(x.lines, w.Bytes())
}

func (x *ExportRows) orders(ctx context.Context) error {
	f := *x.Draft.Orders
	f.After, f.Offset, f.Limit, f.Uncounted = nil, 0, exportAtOnce, true
	read := func(tx *db.Tx) ([]orders.Order, error) {
		list, _, err := orders.ListSummaries(tx, f)
		found := make([]orders.Order, len(list))
		for i := range list {
			x.row(exports.Order(&list[i], x.Names))
			found[i] = list[i].Order
		}
		return found, err
	}
	if x.out.Lines() {
		read = func(tx *db.Tx) ([]orders.Order, error) {
			shown := false
			show := func(list []orders.Order) error {
				shown = true
				for i := range list {
					x.line(func(w *apijson.Writer) { records.WriteOrderRow(w, &list[i]) })
				}
				return nil
			}
			list, _, err := orders.List(tx, f, show)
			if err == nil && !shown {
				err = show(list)
			}
			return list, err
		}
	}
	return eachPage(ctx, x, f.Limit, read, func(last *orders.Order) {
		cursor := f.CursorOf(last)
		f.After = &cursor
	})
}

func (x *ExportRows) products(ctx context.Context) error {
	f := *x.Draft.Products
	f.After, f.Offset, f.Limit, f.Uncounted = "", 0, exportAtOnce, true
	return eachPage(ctx, x, f.Limit, func(tx *db.Tx) ([]id.Product, error) {
		page, _, err := catalog.Page(tx, f)
		if err != nil {
			return nil, err
		}
		list, err := catalog.ByIDs(tx, page)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(list, func(a, b *catalog.Product) int { return slices.Index(page, a.ID) - slices.Index(page, b.ID) })
		if !x.out.Lines() {
			for _, p := range list {
				x.cells = append(x.cells, exports.Product(p)...)
			}
			return page, nil
		}
		shown, err := ProductRecords(tx, x.currency, list)
		for _, p := range list {
			x.line(func(w *apijson.Writer) { shown.Write(w, "", p) })
		}
		return page, err
	}, func(last *id.Product) { f.After = *last })
}

func (x *ExportRows) levels(ctx context.Context) error {
	f := *x.Draft.Inventory
	f.After, f.Offset, f.Limit, f.Uncounted = nil, 0, exportAtOnce, true
	return eachPage(ctx, x, f.Limit, func(tx *db.Tx) ([]stock.Row, error) {
		list, _, err := stock.List(tx, f)
		for i := range list {
			if x.out.Lines() {
				x.line(func(w *apijson.Writer) { records.WriteLevel(w, &list[i]) })
			} else {
				x.row(exports.Level(&list[i]))
			}
		}
		return list, err
	}, func(last *stock.Row) { f.After = &stock.Place{SKU: last.SKU, Warehouse: last.Warehouse} })
}

func (x *ExportRows) customers(ctx context.Context) error {
	f := *x.Draft.Customers
	f.After, f.Offset, f.Limit, f.Uncounted = "", 0, exportAtOnce, true
	return eachPage(ctx, x, f.Limit, func(tx *db.Tx) ([]customers.Customer, error) {
		none, err := x.Draft.segment(tx, &f)
		if none || err != nil {
			return nil, err
		}
		list, _, err := customers.List(tx, f)
		if err != nil {
			return nil, err
		}
		if !x.out.Lines() {
			for i := range list {
				x.row(exports.Customer(&list[i], x.currency))
			}
			return list, nil
		}
		shown, err := CustomerRecords(tx, list)
		for _, c := range shown {
			x.line(func(w *apijson.Writer) { records.WriteCustomer(w, "", c) })
		}
		return list, err
	}, func(last *customers.Customer) { f.After = last.ID })
}
