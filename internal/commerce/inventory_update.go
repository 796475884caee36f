package commerce

import (
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// StockDraft is one item of a bulk update of levels: a quantity for a SKU in a warehouse, "" for the default one.
type StockDraft struct {
	Index     int // place in the request, from 0
	SKU       string
	Warehouse string
	Quantity  int64
}

// StockUpdate is a bulk update of levels: the valid items, and those that were rejected when they were read.
type StockUpdate struct {
	Drafts []StockDraft
	Errors []ItemError
}

// StockPlan is a stock update after all decisions. It may be made on a snapshot: if the data it was made from has
// changed, Apply has the operation run again. A plan is applied once.
type StockPlan struct {
	Updated
	levels *stock.Snapshot
	plan   *stock.Plan
	events []webhooks.Event
}

// UpdateInventory is the bulk update of stock.
func (s *Service) UpdateInventory(who accounts.Caller, u StockUpdate) *Planned[*StockPlan] {
	return &Planned[*StockPlan]{decide: func(tx *db.Tx) (*StockPlan, error) { return s.PlanInventory(tx, who, u) }}
}

// PlanInventory plans an update of on-hand by SKU and warehouse (interface §4.2). A missing warehouse is created,
// unless the account refuses that. Items that change nothing count as updated, but make no event, ledger row or feed
// entry.
func (s *Service) PlanInventory(tx *db.Tx, who accounts.Caller, u StockUpdate) (*StockPlan, error) {
	levels, settings, out, err := acceptStock(tx, who, u)
	if err != nil {
		return nil, err
	}
	p := &StockPlan{Updated: out, levels: levels, plan: levels.Plan(settings)}
	p.events = StockEvents(tx, p.plan.Changes(), "import")
	return p, nil
}

// Apply queues the plan's writes and events.
func (p *StockPlan) Apply(tx *db.Tx, who accounts.Caller) (Updated, error) {
	if stale, err := p.levels.Stale(tx); err != nil || stale {
		return Updated{}, orRetry(err)
	}
	p.plan.Write(tx, stock.Why{Cause: stock.Import, Actor: who.Actor()})
	webhooks.Record(tx, p.events...)
	return p.Updated, nil
}

// acceptStock checks the drafts of a bulk update and rejects those that cannot be applied: repeated SKU and warehouse,
// unknown SKU, unknown warehouse.
func acceptStock(tx *db.Tx, who accounts.Caller, u StockUpdate) (*stock.Snapshot, []stock.StockInput, Updated, error) {
	settings := make([]stock.StockInput, len(u.Drafts))
	for i := range u.Drafts {
		d := &u.Drafts[i]
		settings[i] = stock.StockInput{SKU: d.SKU, Warehouse: d.Warehouse, Quantity: d.Quantity}
	}
	levels, err := stock.ReadSnapshot(tx, settings)
	if err != nil {
		return nil, nil, Updated{}, err
	}
	known, err := sellables(tx, levels, settings)
	if err != nil {
		return nil, nil, Updated{}, err
	}
	out := Updated{Errors: slices.Clone(u.Errors)}
	seen := make(map[stock.Place]bool, len(settings))
	kept := settings[:0]
	for i, t := range settings {
		d, place := u.Drafts[i], stock.Place{SKU: t.SKU, Warehouse: t.Warehouse}
		item, sold := known[t.SKU]
		switch {
		case seen[place]:
			out.Errors = append(out.Errors, ItemError{d.Index, d.SKU, "sku and warehouseCode stood earlier in this request", "sku", "duplicate_sku"})
		case !sold && !levels.Stocked(t):
			out.NotFound++
			out.Errors = append(out.Errors, unknownSKU(d.Index, d.SKU))
		case who.Settings.StrictWarehouses && !levels.Knows(t.Warehouse):
			out.Errors = append(out.Errors, unknownWarehouse(d.Index, d.SKU, t.Warehouse))
		default:
			t.Product, t.Variant = item.Product, item.Variant
			kept = append(kept, t)
		}
		seen[place] = true
	}
	out.Updated = len(kept)
	sortErrors(out.Errors)
	return levels, kept, out, nil
}

// sellables finds the products of SKUs without a level; SKUs with a level need no look-up.
func sellables(tx *db.Tx, levels *stock.Snapshot, settings []stock.StockInput) (map[string]catalog.Sellable, error) {
	var skus []string
	for _, t := range settings {
		if !levels.Stocked(t) {
			skus = append(skus, t.SKU)
		}
	}
	if len(skus) == 0 {
		return nil, nil
	}
	return catalog.Resolve(tx, skus)
}

func unknownWarehouse(index int, sku, code string) ItemError {
	return ItemError{index, sku, "no warehouse has the code " + code + ", and the account does not make them on the fly", "warehouseCode",
		"unknown_warehouse"}
}
