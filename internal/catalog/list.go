package catalog

import (
	"strings"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Filter chooses products; zero values choose all (interface §4.5.1).
type Filter struct {
	IDs           []id.Product
	Search        string // part of SKU or name, in any case
	SKU           string // its own or a variant's
	Statuses      []Status
	Category      id.Category
	Channel       id.Channel // published there
	Sort          Sort
	Descending    bool
	Limit, Offset int
}

// Sort is a field to order products by.
type Sort string

// The orders. Ids grow with time, so ordering by creation is ordering by id.
const (
	ByCreation Sort = "createdAt"
	ByUpdate   Sort = "updatedAt"
	ByName     Sort = "name"
	BySKU      Sort = "sku"
	ByPrice    Sort = "price"
)

// Sorts lists them.
var Sorts = []Sort{ByName, BySKU, ByPrice, ByCreation, ByUpdate}

var sortColumns = map[Sort]string{ByCreation: "p.id", ByUpdate: "p.changed_at", ByName: "p.name", BySKU: "k.sku", ByPrice: "p.price"}

// Everything reports whether the filter chooses every product.
func (f Filter) Everything() bool {
	return f.IDs == nil && f.Search == "" && f.SKU == "" && len(f.Statuses) == 0 && f.Category == "" && f.Channel == ""
}

// where gives the conditions, and the tables that they speak of.
func (f Filter) where(tx *db.Tx) (from string, w *db.Where) {
	from, w = "products p", db.NewWhere(tx, "p").And("p.deleted_at IS NULL")
	if f.IDs != nil {
		db.AndIn(w, "p.id", db.Padded(f.IDs))
	}
	if f.Sort == BySKU { // the SKUs' own order is there already
		from = "skus k JOIN products p ON p.tenant_id = $1 AND p.id = k.product_id"
		w.And("k.tenant_id = $1 AND k.variant_id IS NULL")
	}
	db.AndGiven(w, "p.id IN (SELECT product_id FROM skus WHERE tenant_id = $1 AND sku = ?)", f.SKU)
	if f.Search != "" {
		w.AndContains("p.search", strings.ToLower(f.Search))
	}
	if len(f.Statuses) > 0 {
		db.AndIn(w, "p.status", f.Statuses)
	}
	db.AndGiven(w, "p.id IN (SELECT product_id FROM product_categories WHERE tenant_id = $1 AND category_id = ?::UUID)", f.Category)
	db.AndGiven(w, "p.id IN (SELECT product_id FROM publications WHERE tenant_id = $1 AND channel_id = ?::UUID)", f.Channel)
	return from, w
}

// Count reports how many products a filter chooses.
func Count(tx *db.Tx, f Filter) (total int64, err error) {
	f.Sort = ""
	from, w := f.where(tx)
	err = tx.Row("SELECT count(*) FROM "+from+" WHERE "+w.String(), w.Args(), &total)
	return total, err
}

// IDs reads which products a page has. Equal ones are ordered by id.
func IDs(tx *db.Tx, f Filter) ([]id.Product, error) {
	from, w := f.where(tx)
	direction := " ASC"
	if f.Descending {
		direction = " DESC"
	}
	order := sortColumns[f.Sort] + direction
	if f.Sort != ByCreation {
		order += ", p.id" + direction
	}
	return db.List(tx, func(r db.Rows) (product id.Product, err error) { return product, r.Scan((*string)(&product)) },
		"SELECT p.id FROM "+from+" WHERE "+w.String()+" ORDER BY "+order+
			" LIMIT "+w.Bind(f.Limit)+"::BIGINT OFFSET "+w.Bind(f.Offset)+"::BIGINT", w.Args()...)
}
