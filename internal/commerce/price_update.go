package commerce

import (
	"cmp"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/records"
	"entrepot/internal/webhooks"
)

// PriceUpdate is a price update: the valid items, and those that were rejected when they were read.
type PriceUpdate struct {
	Drafts []catalog.PriceDraft
	Errors []records.ItemError

	products []id.Product // of the drafts, "" for an unknown SKU; nil for one piece

	before *Updated // the outcome so far; nil for the first piece
	more   bool     // other pieces follow
}

// NewPriceUpdate rejects items whose SKU occurred earlier in the request.
func NewPriceUpdate(drafts []catalog.PriceDraft, errs []records.ItemError) PriceUpdate {
	u := PriceUpdate{Drafts: make([]catalog.PriceDraft, 0, len(drafts)), Errors: errs}
	seen := make(map[string]bool, len(drafts))
	for _, d := range drafts {
		if seen[d.SKU] {
			u.Errors = append(u.Errors, records.ItemError{Index: d.Index, Key: d.SKU, Field: "sku", Code: "duplicate_sku",
				Error: "sku stood earlier in this request"})
			continue
		}
		seen[d.SKU] = true
		u.Drafts = append(u.Drafts, d)
	}
	return u
}

// Group puts the items of each product next to each other, so that one piece stores all of them and the product has
// one event, however many pieces there are. A single piece needs no such order.
func (u *PriceUpdate) Group(tx *db.Tx) error {
	if len(u.Drafts) <= pricesAtOnce {
		return nil
	}
	skus := make([]string, len(u.Drafts))
	for i, d := range u.Drafts {
		skus[i] = d.SKU
	}
	products, err := catalog.ProductsOf(tx, skus)
	if err != nil {
		return err
	}
	first := make(map[id.Product]int, len(products))
	place := func(d catalog.PriceDraft) int {
		if product := products[d.SKU]; product != "" {
			return first[product]
		}
		return d.Index
	}
	for _, d := range slices.Backward(u.Drafts) {
		first[products[d.SKU]] = d.Index
	}
	slices.SortStableFunc(u.Drafts, func(a, b catalog.PriceDraft) int { return cmp.Compare(place(a), place(b)) })
	u.products = make([]id.Product, len(u.Drafts))
	for i, d := range u.Drafts {
		u.products[i] = products[d.SKU]
	}
	return nil
}

// cut ends the piece that begins at an item after all items of a product.
func (u *PriceUpdate) cut(from, times int) (to int) {
	to = min(from+pricesAtOnce*times, len(u.Drafts))
	for to < len(u.products) && u.products[to] != "" && u.products[to] == u.products[to-1] {
		to++
	}
	return to
}

// Updated is the outcome of a bulk update.
type Updated struct {
	Updated  int // items applied, including unchanged ones
	NotFound int
	Errors   []records.ItemError // in the order of the request; nil before the last piece

	rejected rejected
}

// outcome is the outcome before any draft of a piece: that of the earlier pieces, or the items rejected when they
// were read.
func outcome(before *Updated, errs []records.ItemError) Updated {
	if before == nil {
		return Updated{rejected: rejected{errs}}
	}
	return Updated{Updated: before.Updated, NotFound: before.NotFound, rejected: before.rejected}
}

// reject adds the errors of a piece; with the last one all are put in order.
func (u *Updated) reject(errs []records.ItemError, more bool) {
	u.rejected = u.rejected.and(errs)
	if !more {
		u.Errors = u.rejected.inOrder()
	}
}

// PricePlan is a price update after all decisions. It may be made on a snapshot: if the data it was made from has
// changed, Apply makes the operation run again. A plan is applied once.
type PricePlan struct {
	Updated
	changes *catalog.PriceChanges
	events  []webhooks.Event
}

// UpdatePrices is the bulk update of prices.
func (s *Service) UpdatePrices(u PriceUpdate) *Bulk[*PricePlan] {
	decide := func(tx *db.Tx, p piece, before *PricePlan) (*PricePlan, error) {
		part := PriceUpdate{Drafts: u.Drafts[p.from:p.to], Errors: u.Errors, more: !p.last}
		if before != nil {
			part.before = &before.Updated
		}
		return s.PlanPrices(tx, part)
	}
	rest := func(p *PricePlan) *PricePlan { return &PricePlan{Updated: p.Updated} }
	return &Bulk[*PricePlan]{items: len(u.Drafts), cut: u.cut, decide: decide, rest: rest}
}

// PlanPrices plans a price update by SKU, of products and variants alike (interface §4.2). Items that change nothing
// make no event.
func (s *Service) PlanPrices(tx *db.Tx, u PriceUpdate) (*PricePlan, error) {
	list, err := catalog.ReadPrices(tx, u.Drafts)
	if err != nil {
		return nil, err
	}
	p := &PricePlan{Updated: outcome(u.before, u.Errors)}
	var errs []records.ItemError
	for i, d := range u.Drafts {
		if list.Found(i) {
			p.Updated.Updated++
			continue
		}
		p.NotFound++
		errs = append(errs, unknownSKU(d.Index, d.SKU))
	}
	p.reject(errs, u.more)
	p.changes = list.Diff()
	p.events = make([]webhooks.Event, len(p.changes.Products))
	for i, c := range p.changes.Products {
		p.events[i] = productUpdated(c.ID, c.SKU, c.Name, c.Fields)
	}
	return p, nil
}

// Apply queues the plan's writes and events.
func (p *PricePlan) Apply(tx db.Writer) Updated {
	p.changes.Save(tx)
	webhooks.Record(tx, p.events...)
	return p.Updated
}

func unknownSKU(index int, sku string) records.ItemError {
	return records.ItemError{Index: index, Key: sku, Field: "sku", Code: "unknown_sku", Error: "no product or variant has this SKU"}
}
