package commerce

import (
	"maps"
	"slices"

	"entrepot/internal/accounts"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/records"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// StockDraft is one item of a bulk update of levels: a quantity for a SKU in a warehouse, "" for the default one.
type StockDraft struct {
	Index     int // position in the request, from 0
	SKU       string
	Warehouse string
	Quantity  int64
}

// StockUpdate is a bulk update of levels: the valid items, and those that were rejected when they were read.
type StockUpdate struct {
	Drafts []StockDraft
	Errors []records.ItemError

	thresholds bool // the quantities are thresholds

	before *Updated             // the outcome so far; nil for the first piece
	places map[stock.Place]bool // of the items of earlier pieces
	more   bool                 // other pieces follow
}

// StockPlan is a stock update after all decisions. It may be made on a snapshot: Apply decides again if levels have
// changed since. A plan is applied once.
type StockPlan struct {
	stockItems
	plan   *stock.Plan
	kept   []stock.StockInput // what the plan sets
	events []webhooks.Event
}

// UpdateInventory is the bulk update of stock.
func (s *Service) UpdateInventory(who accounts.Caller, u StockUpdate) *Bulk[*StockPlan] {
	decide := func(tx *db.Tx, p piece, before *StockPlan) (*StockPlan, error) {
		part := StockUpdate{Drafts: u.Drafts[p.from:p.to], Errors: u.Errors, thresholds: u.thresholds, more: !p.last}
		if before != nil {
			part.before, part.places = &before.Updated, before.update.places
		}
		return s.PlanInventory(tx, who, part)
	}
	rest := func(p *StockPlan) *StockPlan {
		return &StockPlan{stockItems: stockItems{Updated: p.Updated, update: StockUpdate{places: p.places()}}}
	}
	return &Bulk[*StockPlan]{items: len(u.Drafts), cut: cutEvery(levelsAtOnce, len(u.Drafts)), decide: decide, rest: rest}
}

// PlanInventory plans an update of on-hand by SKU and warehouse (interface §4.2). A missing warehouse is created,
// unless the account refuses that. Items that change nothing count as updated, but make no event, ledger row or feed
// entry.
func (s *Service) PlanInventory(tx *db.Tx, who accounts.Caller, u StockUpdate) (*StockPlan, error) {
	items, err := readStockItems(tx, u)
	if err != nil {
		return nil, err
	}
	p := &StockPlan{stockItems: *items}
	return p, p.decide(tx, who)
}

func (p *StockPlan) decide(tx *db.Tx, who accounts.Caller) error {
	settings, err := p.accept(tx, who)
	if err != nil {
		return err
	}
	p.kept = settings
	if p.update.thresholds {
		p.plan = p.levels.PlanThresholds(settings)
	} else {
		p.plan = p.levels.Plan(settings)
	}
	p.events = stockEvents(tx, p.plan.Changes(), string(p.cause()))
	return nil
}

// Preview shows on-hand of each accepted item before and after the plan, and the codes of the warehouses that the
// plan creates.
func (p *StockPlan) Preview() (levels []LevelChange, warehouses []string) {
	for _, t := range p.kept {
		l := LevelChange{SKU: t.SKU, Warehouse: t.Warehouse, To: t.Quantity}
		if p.levels.Stocked(t) {
			onHand := p.levels.OnHand(t)
			l.From = &onHand
		}
		if levels = append(levels, l); !p.levels.Knows(t.Warehouse) && !slices.Contains(warehouses, t.Warehouse) {
			warehouses = append(warehouses, t.Warehouse)
		}
	}
	return levels, warehouses
}

// cause is why levels change, for their events and the ledger. A threshold changes no quantity and has no row there.
func (p *StockPlan) cause() stock.Cause {
	if p.update.thresholds {
		return stock.Adjustment
	}
	return stock.Import
}

// Apply queues the plan's writes and events.
func (p *StockPlan) Apply(tx *db.Tx, who accounts.Caller) (Updated, error) {
	moved, err := p.levels.Refresh(tx)
	if err == nil && moved {
		err = p.decide(tx, who)
	}
	if err != nil {
		return Updated{}, err
	}
	p.plan.Write(tx, stock.Why{Cause: p.cause(), Actor: who.Actor()})
	webhooks.Record(tx, p.events...)
	return p.Updated, nil
}

// stockItems are the items of an update of levels with what the account has of them.
type stockItems struct {
	Updated
	update StockUpdate
	levels *stock.Snapshot
	inputs []stock.StockInput   // of all items
	seen   map[stock.Place]bool // their positions
}

func readStockItems(tx *db.Tx, u StockUpdate) (p *stockItems, err error) {
	p = &stockItems{update: u, inputs: make([]stock.StockInput, len(u.Drafts))}
	for i := range u.Drafts {
		d := &u.Drafts[i]
		p.inputs[i] = stock.StockInput{SKU: d.SKU, Warehouse: d.Warehouse, Quantity: d.Quantity}
	}
	p.levels, err = stock.ReadSnapshot(tx, p.inputs)
	return p, err
}

// accept returns the inputs to be applied and rejects the others: repeated SKU and warehouse, unknown SKU, unknown
// warehouse.
func (p *stockItems) accept(tx *db.Tx, who accounts.Caller) ([]stock.StockInput, error) {
	known, err := sellables(tx, p.levels, p.inputs)
	if err != nil {
		return nil, err
	}
	out := outcome(p.update.before, p.update.Errors)
	p.seen = make(map[stock.Place]bool, len(p.inputs))
	kept := make([]stock.StockInput, 0, len(p.inputs))
	var errs []records.ItemError
	for i, t := range p.inputs {
		d, place := p.update.Drafts[i], stock.Place{SKU: t.SKU, Warehouse: t.Warehouse}
		item, sold := known[t.SKU]
		switch {
		case p.seen[place], p.update.places[place]:
			errs = append(errs, records.ItemError{Index: d.Index, Key: d.SKU, Field: "sku",
				Code: "duplicate_sku", Error: "sku and warehouseCode stood earlier in this request"})
		case !sold && !p.levels.Stocked(t):
			out.NotFound++
			errs = append(errs, unknownSKU(d.Index, d.SKU))
		case who.Settings.StrictWarehouses && !p.levels.Knows(t.Warehouse):
			errs = append(errs, unknownWarehouse(d.Index, d.SKU, t.Warehouse))
		default:
			t.Product, t.Variant = item.Product, item.Variant
			kept = append(kept, t)
			out.Updated++
		}
		p.seen[place] = true
	}
	out.reject(errs, p.update.more)
	p.Updated = out
	return kept, nil
}

// places are the levels that the items of this piece and earlier ones name.
func (p *stockItems) places() map[stock.Place]bool {
	if p.update.places == nil {
		p.update.places = map[stock.Place]bool{}
	}
	maps.Copy(p.update.places, p.seen)
	return p.update.places
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

func unknownWarehouse(index int, sku, code string) records.ItemError {
	return records.ItemError{Index: index, Key: sku, Field: "warehouseCode", Code: "unknown_warehouse",
		Error: "no warehouse has the code " + code + ", and the account does not make them on the fly"}
}
