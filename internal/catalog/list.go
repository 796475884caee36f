package catalog

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/lists"
	"entrepot/internal/search"
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
	After         id.Product // the last product of the page before, in place of Offset; of a list by creation only
	Limit, Offset int
	Uncounted     bool // the caller needs no total: it is counted only where finding the page depends on it
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

// sorts are the columns of the sorts.
var sorts = map[Sort]lists.Sort{ByCreation: lists.ByID, ByUpdate: {Column: "changed_at", Unique: true}, ByName: {Column: "name", Text: true},
	BySKU: {Column: "sku", Text: true, Unique: true}, ByPrice: {Column: "price"}}

// listed are products as lists read them.
var listed = &lists.Noun{Rows: "products p", ID: "p.id", Living: "p.deleted_at IS NULL", Search: search.Products, Text: "search"}

// counted is the name of the maintained counts of products, by status; deleted products are not counted.
const counted = "products"

// Counts reads how many products there are, by status, without deleted ones.
func Counts(r db.Reader) (map[Status]int64, error) {
	return db.Tallies[Status](r, counted)
}

// Page reads the ids of a page's products, in order, and how many match in all.
func Page(tx *db.Tx, f Filter) (list []id.Product, total int64, err error) {
	q, err := f.query(tx)
	if err != nil {
		return nil, 0, err
	}
	keys, total, err := lists.Keys(tx, q)
	return lists.IDs[id.Product](keys), total, err
}

// query adds the filters, and the indexes that have products by these filters and in the order of the sort.
func (f Filter) query(tx *db.Tx) (q lists.Query, err error) {
	q = lists.Query{Noun: listed, Search: f.Search, Sort: sorts[f.Sort], Descending: f.Descending, Offset: f.Offset, Limit: f.Limit,
		Uncounted: f.Uncounted}
	if f.After != "" {
		q.After = &lists.Key{ID: string(f.After)}
	}
	counts, err := Counts(tx)
	if err != nil {
		return q, err
	}
	all := int64(0)
	for _, n := range counts {
		all += n
	}
	q.All = lists.Known(all)
	if len(f.Statuses) > 0 {
		status := lists.In("status", f.Statuses)
		status.Rest = byStatus(counts, slices.DeleteFunc(slices.Clone(Statuses), func(s Status) bool { return slices.Contains(f.Statuses, s) }))
		q.Add(status, byStatus(counts, f.Statuses))
	}
	if f.Category != "" {
		in, err := CountProducts(tx, []id.Category{f.Category})
		if err != nil {
			return q, err
		}
		q.Add(lists.Members("product_categories m", "product_id", "category_id", "::UUID", f.Category, in[f.Category]))
	}
	if f.Channel != "" {
		on, err := CountPublications(tx)
		if err != nil {
			return q, err
		}
		q.Add(lists.Members("publications m", "product_id", "channel_id", "::UUID", f.Channel, on[f.Channel].All()))
	}
	if f.SKU != "" {
		q.Add(lists.Members("skus m", "product_id", "sku", "", f.SKU, 1))
		q.Indexes[len(q.Indexes)-1].Most = true
	}
	if f.IDs != nil {
		q.Add(lists.In("id", f.IDs), &lists.Index{From: listed.Rows, ID: listed.ID, Size: lists.Known(int64(len(f.IDs))), Most: true})
	}
	q.Indexes = append(q.Indexes, inOrder(f.Sort, counts, all))
	return q, nil
}

// byStatus returns the index of the products that have one of some statuses.
func byStatus(counts map[Status]int64, statuses []Status) *lists.Index {
	x := &lists.Index{From: listed.Rows, ID: listed.ID, Has: []string{"status"}, Bounds: []lists.Bound{}, Sort: "id"}
	size := int64(0)
	for _, s := range statuses {
		if counts[s] > 0 {
			size += counts[s]
			x.Bounds = append(x.Bounds, lists.Bound{Where: "p.status = ?", Args: []any{string(s)}})
		}
	}
	x.Size = lists.Known(size)
	return x
}

// inOrder returns the index of all products in the order of a sort.
func inOrder(sort Sort, counts map[Status]int64, all int64) *lists.Index {
	x := &lists.Index{Has: []string{sorts[sort].Column}, Bounds: []lists.Bound{{}}, Sort: sorts[sort].Column, Size: lists.Known(all)}
	switch sort {
	case ByCreation:
		return byStatus(counts, Statuses)
	case BySKU:
		x.From, x.ID, x.Bounds[0].Where, x.Scattered = "skus k", "k.product_id", "k.variant_id IS NULL", true
	case ByUpdate:
		x.From, x.ID = listed.Rows, listed.ID
	default:
		x.From, x.ID, x.Changed, x.Scattered = "product_sorts s", "s.product_id", changedSinceSorts, true
		x.Has = append(x.Has, "status")
	}
	return x
}

// LastRecorded finds the newest products that contain a term, at most n, for searches of everything.
func LastRecorded(tx *db.Tx, term string, n int) ([]id.Product, error) {
	found, err := search.Newest(tx, search.Products, term, n, nil)
	list := make([]id.Product, len(found))
	for i := range found {
		list[i] = id.Product(found[i].String())
	}
	return list, err
}
