package catalog

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Filter selects products; zero values select all (interface §4.5.1).
type Filter struct {
	IDs           []id.Product
	Search        string // part of SKU or name, in any case
	SKU           string // its own or a variant's
	Statuses      []Status
	Category      id.Category
	Channel       id.Channel // published there
	Sort          Sort
	Descending    bool
	After         id.Product // the last one of the page before, in place of Offset; of a list by creation only
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

// key is the SQL that each sort orders products p by; equal values are ordered by id.
var key = map[Sort]string{ByCreation: "p.id", ByUpdate: "p.changed_at", ByName: `p.name COLLATE "C"`, BySKU: "p.sku", ByPrice: "p.price"}

// counted is the name of the kept counts of products, by status; deleted products are not counted.
const counted = "products"

// Counts reads how many products there are, by status, without deleted ones.
func Counts(r db.Reader) (map[Status]int64, error) {
	return db.Tallies[Status](r, counted)
}

// Page reads the ids of a page's products, and how many match in all. It chooses the query plan (list_ways.go).
func Page(tx *db.Tx, f Filter) (list []id.Product, total int64, err error) {
	switch {
	case f.IDs != nil || f.SKU != "":
		return f.pageOfNamed(tx)
	case f.Search != "":
		return f.pageOfFound(tx)
	case f.Category != "" || f.Channel != "":
		return f.pageOfMembers(tx)
	}
	counts, err := Counts(tx)
	if err != nil {
		return nil, 0, err
	}
	return f.pageOfAll(tx, counts)
}

// asked is how many products have the statuses of the filter, or any if it has none.
func (f Filter) asked(counts map[Status]int64) (n int64) {
	for status, one := range counts {
		if len(f.Statuses) == 0 || slices.Contains(f.Statuses, status) {
			n += one
		}
	}
	return n
}

// pageOfAll reads a page of all products, or of those with the filter's statuses; counts are those of all products.
func (f Filter) pageOfAll(tx *db.Tx, counts map[Status]int64) (list []id.Product, total int64, err error) {
	total = f.asked(counts)
	if int64(f.Offset) >= total {
		return []id.Product{}, total, nil
	}
	list, err = f.fromNearerEnd(total, func(f Filter) ([]id.Product, error) { return f.pageByStatus(tx, total, counts) })
	return list, total, err
}
