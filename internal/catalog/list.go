package catalog

import (
	"strconv"
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

// where writes the conditions.
func (f Filter) where(tenant id.Tenant) (from, where string, args []any) {
	from, args = "products p", []any{tenant}
	clauses := []string{"p.tenant_id = $1", "p.deleted_at IS NULL"}
	bind := func(v any) string {
		args = append(args, v)
		return "$" + placeholder(len(args))
	}
	if f.IDs != nil {
		list := db.Padded(f.IDs)
		first := len(args) + 1
		args = append(args, list...)
		clauses = append(clauses, "p.id IN "+db.In(len(list), first))
	}
	if f.Sort == BySKU { // the SKUs' own order is there already
		from = "skus k JOIN products p ON p.tenant_id = $1 AND p.id = k.product_id"
		clauses = append(clauses, "k.tenant_id = $1", "k.variant_id IS NULL")
	}
	if f.SKU != "" {
		clauses = append(clauses, "p.id IN (SELECT product_id FROM skus WHERE tenant_id = $1 AND sku = "+bind(f.SKU)+")")
	}
	if f.Search != "" {
		clauses = append(clauses, "p.search LIKE "+bind(contains(strings.ToLower(f.Search)))+` ESCAPE '\'`)
	}
	if len(f.Statuses) > 0 {
		marks := make([]string, len(f.Statuses))
		for i, s := range f.Statuses {
			marks[i] = bind(string(s))
		}
		clauses = append(clauses, "p.status IN ("+strings.Join(marks, ",")+")")
	}
	if f.Category != "" {
		clauses = append(clauses, "p.id IN (SELECT product_id FROM product_categories WHERE tenant_id = $1 AND category_id = "+bind(string(f.Category))+")")
	}
	if f.Channel != "" {
		clauses = append(clauses, "p.id IN (SELECT product_id FROM publications WHERE tenant_id = $1 AND channel_id = "+bind(string(f.Channel))+")")
	}
	return from, strings.Join(clauses, " AND "), args
}

// Count reports how many products a filter chooses.
func Count(tx *db.Tx, f Filter) (total int64, err error) {
	f.Sort = ""
	from, where, args := f.where(tx.Tenant)
	err = tx.Row("SELECT count(*) FROM "+from+" WHERE "+where, args, &total)
	return total, err
}

// List reads a page of products with their variants and links. Equal ones are ordered by id.
func List(tx *db.Tx, f Filter) ([]*Product, error) {
	from, where, args := f.where(tx.Tenant)
	direction := " ASC"
	if f.Descending {
		direction = " DESC"
	}
	order := sortColumns[f.Sort] + direction
	if f.Sort != ByCreation {
		order += ", p.id" + direction
	}
	args = append(args, f.Limit, f.Offset)
	limits := " LIMIT $" + placeholder(len(args)-1) + "::BIGINT OFFSET $" + placeholder(len(args)) + "::BIGINT"
	c := newCollector(true, f.Limit)
	if err := tx.Each(c.add, "SELECT "+productColumns+" FROM "+from+" WHERE "+where+" ORDER BY "+order+limits, args...); err != nil {
		return nil, err
	}
	return c.list, c.fetch(tx)
}

func placeholder(n int) string { return strconv.Itoa(n) }
