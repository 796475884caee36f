package commerce

import (
	"cmp"
	"slices"

	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// PriceUpdate is a price update: the valid items, and those that were rejected when they were read.
type PriceUpdate struct {
	Drafts []catalog.PriceDraft
	Errors []ItemError
}

// NewPriceUpdate rejects items whose SKU occurred earlier in the request.
func NewPriceUpdate(drafts []catalog.PriceDraft, faults []ItemError) PriceUpdate {
	u := PriceUpdate{Drafts: make([]catalog.PriceDraft, 0, len(drafts)), Errors: faults}
	seen := make(map[string]bool, len(drafts))
	for _, d := range drafts {
		if seen[d.SKU] {
			u.Errors = append(u.Errors, ItemError{d.Index, d.SKU, "sku stood earlier in this request", "sku", "duplicate_sku"})
			continue
		}
		seen[d.SKU] = true
		u.Drafts = append(u.Drafts, d)
	}
	return u
}

// Updated is the outcome of a bulk update.
type Updated struct {
	Updated  int // items applied, including unchanged ones
	NotFound int
	Errors   []ItemError // in the order of the request
}

// PricePlan is a price update after all decisions. It may be made on a snapshot: if the data it was made from has
// changed, Apply has the operation run again. A plan is applied once.
type PricePlan struct {
	Updated
	changes *catalog.PriceChanges
	events  []webhooks.Event
}

// UpdatePrices is the bulk update of prices.
func (s *Service) UpdatePrices(u PriceUpdate) *Planned[*PricePlan] {
	return &Planned[*PricePlan]{decide: func(tx *db.Tx) (*PricePlan, error) { return s.PlanPrices(tx, u) }}
}

// PlanPrices plans a price update by SKU, of products and variants alike (interface §4.2). Items that change nothing
// make no event.
func (s *Service) PlanPrices(tx *db.Tx, u PriceUpdate) (*PricePlan, error) {
	list, err := catalog.ReadPrices(tx, u.Drafts)
	if err != nil {
		return nil, err
	}
	p := &PricePlan{Updated: Updated{Errors: slices.Clone(u.Errors)}}
	for i, d := range u.Drafts {
		if !list.Found(i) {
			p.NotFound++
			p.Errors = append(p.Errors, unknownSKU(d.Index, d.SKU))
		}
	}
	p.Updated.Updated = len(u.Drafts) - p.NotFound
	sortErrors(p.Errors)
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

func unknownSKU(index int, sku string) ItemError {
	return ItemError{index, sku, "no product or variant has this SKU", "sku", "unknown_sku"}
}

// sortErrors sorts rejected items in the order of the request.
func sortErrors(faults []ItemError) {
	slices.SortStableFunc(faults, func(a, b ItemError) int { return cmp.Compare(a.Index, b.Index) })
}
