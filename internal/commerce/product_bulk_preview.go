package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
)

// Bounds of a preview: it answers as fast as a page.
const (
	previewedProducts = 1000
	previewedOutcomes = 5 // shown of each outcome
)

// ProductsPreview is what a bulk change would do (interface §4.5.1).
type ProductsPreview struct {
	Total     int64    // chosen products
	Missing   []string // ids that the account does not have
	Examined  int64    // products that were examined: all, or the first previewedProducts
	Changed   int64    // of those examined
	Unchanged int64
	Refused   int64
	Jumps     int64        // of those examined: prices, variants' too, that would change by more than half
	Largest   int64        // the largest of these jumps, in percent, without its sign
	Samples   []SampleItem // some products of each outcome
}

// SampleItem is a product of a preview.
type SampleItem struct {
	jobs.Product
	Name string
}

// Partial reports whether some products were not examined.
func (p ProductsPreview) Partial() bool { return p.Examined < p.Total }

// PreviewProducts says what ChangeProducts would do, and stores nothing. Of a change of prices by an amount it examines
// the cheapest products first, because their prices change most. Errors: those of ChangeProducts.
func (s *Service) PreviewProducts(tx *db.Tx, who accounts.Caller, c ProductChange, choice ProductChoice) (p ProductsPreview, err error) {
	if err := checkProductChange(tx, c); err != nil {
		return p, err
	}
	if p.Total, p.Missing, err = choice.count(tx); err != nil {
		return p, err
	}
	if p.Total == 0 {
		return p, noProducts()
	}
	ids, err := choice.first(tx, c)
	if err != nil {
		return p, err
	}
	items := make([]bulkItem, len(ids))
	for i, product := range ids {
		items[i].product = product
	}
	plan, err := s.planProducts(tx, who, c, items)
	if err == nil {
		p.add(plan)
	}
	return p, err
}

// first reads the products that a preview examines.
func (c ProductChoice) first(tx *db.Tx, change ProductChange) ([]id.Product, error) {
	if c.IDs != nil || change.Action != ProductPrice || change.Percent {
		return c.next(tx, "", previewedProducts)
	}
	f := c.Filter
	f.Sort, f.Descending, f.Offset, f.Limit = catalog.ByPrice, false, 0, previewedProducts
	list, _, err := catalog.Page(tx, f)
	return list, err
}

func (p *ProductsPreview) add(plan *bulkPlan) {
	shown := map[jobs.Outcome]int{}
	p.Examined = int64(len(plan.outcomes))
	for _, o := range plan.outcomes {
		switch o.Outcome {
		case jobs.Done:
			p.Changed++
		case jobs.Refused:
			p.Refused++
		default:
			p.Unchanged++
		}
		p.jump(o)
		if shown[o.Outcome] < previewedOutcomes {
			shown[o.Outcome]++
			p.Samples = append(p.Samples, SampleItem{o, plan.names[o.ID]})
		}
	}
}

// jump counts the prices of a product that change by more than half. A price that was 0 does not jump.
func (p *ProductsPreview) jump(o jobs.Product) {
	after := ReadProductPart(o.After).Prices
	for sku, text := range ReadProductPart(o.Before).Prices {
		from, _ := money.Parse(text)
		to, _ := money.Parse(after[sku])
		if difference := max(to-from, from-to); from > 0 && difference*2 > from {
			p.Jumps++
			p.Largest = max(p.Largest, int64(difference*100/from))
		}
	}
}
