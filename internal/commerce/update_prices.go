package commerce

import (
	"cmp"
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// PriceUpdate is the items of a price update that may be applied, and those that were rejected when they were read.
type PriceUpdate struct {
	Drafts []catalog.PriceDraft
	Faults []ItemFault
}

// NewPriceUpdate rejects items whose SKU stood earlier in the request.
func NewPriceUpdate(drafts []catalog.PriceDraft, faults []ItemFault) PriceUpdate {
	u := PriceUpdate{Drafts: make([]catalog.PriceDraft, 0, len(drafts)), Faults: faults}
	seen := make(map[string]bool, len(drafts))
	for _, d := range drafts {
		if seen[d.SKU] {
			u.Faults = append(u.Faults, ItemFault{d.Index, d.SKU, "sku stood earlier in this request", "sku", "duplicate_sku"})
			continue
		}
		seen[d.SKU] = true
		u.Drafts = append(u.Drafts, d)
	}
	return u
}

// Updated is the outcome of a bulk update.
type Updated struct {
	Updated  int // items applied, those that changed nothing too
	NotFound int
	Faults   []ItemFault // in the order of the request
}

// UpdatePrices sets prices by SKU, of products and variants alike (interface §4.2). Items that change nothing make no event.
func (s *Service) UpdatePrices(tx *db.Tx, _ accounts.Caller, u PriceUpdate) (Updated, error) {
	list, err := catalog.ReadPrices(tx, u.Drafts)
	if err != nil {
		return Updated{}, err
	}
	out := Updated{Faults: slices.Clone(u.Faults)}
	for i, d := range u.Drafts {
		if !list.Found(i) {
			out.NotFound++
			out.Faults = append(out.Faults, unknownSKU(d.Index, d.SKU))
		}
	}
	out.Updated = len(u.Drafts) - out.NotFound
	sortFaults(out.Faults)
	changed := list.Update(tx)
	events := make([]webhooks.Event, 0, len(changed))
	for _, p := range changed {
		events = append(events, productUpdated(p.ID, p.SKU, p.Name, p.Fields))
	}
	webhooks.Record(tx, events...)
	return out, nil
}

func unknownSKU(index int, sku string) ItemFault {
	return ItemFault{index, sku, "no product or variant has this SKU", "sku", "unknown_sku"}
}

// sortFaults puts rejected items in the order of the request.
func sortFaults(faults []ItemFault) {
	slices.SortStableFunc(faults, func(a, b ItemFault) int { return cmp.Compare(a.Index, b.Index) })
}
