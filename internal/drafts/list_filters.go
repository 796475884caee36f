package drafts

import (
	"slices"
	"strings"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/customers"
	"entrepot/internal/stock"
)

// ReadProductFilter reads the parameters of the product list except page, limit and cursor (interface §4.5.1).
func ReadProductFilter(q *apijson.Query) catalog.Filter {
	f := catalog.Filter{
		Search:   q.Text("search"),
		SKU:      q.Text("sku"),
		Statuses: apijson.QueryEnums(q, "status", catalog.Statuses...),
		Category: apijson.QueryID[id.Category](q, "categoryId"),
		Channel:  apijson.QueryID[id.Channel](q, "channelId"),
	}
	f.Sort, f.Descending = readProductSort(q)
	if list := q.List("ids"); len(list) > 0 {
		f.IDs = make([]id.Product, 0, len(list))
		for _, text := range list {
			which, ok := id.Parse[id.Product](text)
			switch {
			case !ok:
				q.AddError("ids", "must be UUIDs separated by commas")
			case !slices.Contains(f.IDs, which):
				f.IDs = append(f.IDs, which)
			}
		}
		if len(f.IDs) > 250 {
			q.AddError("ids", "must have at most 250 ids")
		}
	}
	return f
}

// readProductSort reads sort=<field>:<asc|desc>, or sort=<field>&order=<asc|desc>; the default is newest first.
func readProductSort(q *apijson.Query) (field catalog.Sort, descending bool) {
	text, order := q.Text("sort"), q.Text("order")
	name, direction, both := strings.Cut(text, ":")
	if !both {
		direction = order
	}
	field = catalog.Sort(name)
	switch {
	case text == "":
		field, descending = catalog.ByCreation, true
	case !slices.Contains(catalog.Sorts, field):
		q.AddError("sort", "must be name, sku, price, createdAt or updatedAt, with :asc or :desc behind it")
		return field, false
	}
	switch direction = strings.ToLower(direction); {
	case direction == "asc", direction == "desc":
		descending = direction == "desc"
	case both:
		q.AddError("sort", "must end in :asc or :desc")
	case direction != "":
		q.AddError("order", "the direction must be asc or desc")
	}
	return field, descending
}

// ReadLevelFilter reads the parameters of the list of stock levels except page, limit and cursor (interface §4.5.5).
func ReadLevelFilter(q *apijson.Query) stock.Filter {
	return stock.Filter{SKU: q.Text("sku"), Warehouse: q.Text("warehouseCode"), Low: q.Bool("low"), Search: q.Text("search")}
}

// ReadCustomerFilter reads the parameters of the customer list except page, limit and cursor (interface §4.4).
func ReadCustomerFilter(q *apijson.Query) (f customers.Filter, segment id.Segment) {
	f = customers.Filter{Search: q.Text("search"), Email: q.Email("email"), Tag: q.Text("tag"), IncludeInactive: q.Bool("includeInactive")}
	return f, apijson.QueryID[id.Segment](q, "segmentId")
}
