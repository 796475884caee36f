package drafts

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/commerce"
	"entrepot/internal/exports"
)

// ReadExport reads a request for a file (interface §4.3). Its filter has the parameters of the list of its kind.
func ReadExport(o *apijson.Object) (d commerce.ExportDraft) {
	o.Record("CreateExport")
	d.Kind = apijson.Enum(o, "kind", true, exports.Kinds...).Value
	d.Format = apijson.Enum(o, "format", true, exports.Formats...).Value
	o.Query("filter", "the parameters of the list of the kind but page, limit, cursor and sort; several values of one as an array or "+
		"separated by commas", func(q *apijson.Query) { d.ExportFilter = ReadExportFilter(d.Kind, q) })
	return d
}

// ReadExportFilter reads the parameters of the list of a kind. The rows come in the order of their creation, whatever the list's
// order is.
func ReadExportFilter(kind exports.Kind, q *apijson.Query) (f commerce.ExportFilter) {
	switch kind {
	case exports.Orders:
		read := ReadOrderFilter(q)
		f.Orders = &read
	case exports.Products:
		read := ReadProductFilter(q)
		f.Products = &read
	case exports.Inventory:
		read := ReadLevelFilter(q)
		f.Inventory = &read
	case exports.Customers:
		read, segment := ReadCustomerFilter(q)
		f.Customers, f.Segment = &read, segment
	}
	f.ByCreation()
	return f
}
