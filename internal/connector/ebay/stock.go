package ebay

import (
	"context"

	"entrepot/internal/connector"
)

// SetStock makes eBay show quantities.
func (s *session) SetStock(ctx context.Context, items []connector.StockItem) ([]connector.Result, error) {
	results := make([]connector.Result, len(items))
	requests := map[string]fields{}
	for i, it := range items {
		results[i] = it.Result(connector.Live)
		requests[it.SKU] = fields{"sku": it.SKU, "shipToLocationAvailability": fields{"quantity": it.Quantity}}
		if o := liveOffer(it.Item); o != "" {
			requests[it.SKU]["offers"] = []fields{{"offerId": o, "availableQuantity": it.Quantity}}
		}
	}
	return s.update(ctx, requests, results)
}

// SetPrices makes eBay show prices, of SKUs that have an offer on sale. One that is put on sale gets its price with it.
func (s *session) SetPrices(ctx context.Context, items []connector.PriceItem) ([]connector.Result, error) {
	results := make([]connector.Result, len(items))
	requests := map[string]fields{}
	for i, it := range items {
		results[i] = it.Result(connector.Live)
		if o := liveOffer(it.Item); o != "" {
			requests[it.SKU] = fields{"sku": it.SKU, "offers": []fields{{"offerId": o, "price": s.price(it.Price)}}}
		}
	}
	return s.update(ctx, requests, results)
}

// update sends quantities or prices, and notes in the results what was refused of them.
func (s *session) update(ctx context.Context, requests map[string]fields, results []connector.Result) ([]connector.Result, error) {
	var skus []string
	for _, r := range results {
		if requests[r.SKU] != nil {
			skus = append(skus, r.SKU)
		}
	}
	done, err := s.bulk(ctx, "/bulk_update_price_quantity", skus, func(sku string) fields { return requests[sku] })
	if err != nil {
		return nil, err
	}
	for i := range results {
		r := &results[i]
		if requests[r.SKU] == nil {
			continue
		}
		if f := done.of(r.SKU).failure(); f != nil {
			r.Fail(f)
		}
	}
	return results, nil
}

// ReadStock gives the quantities that eBay shows.
func (s *session) ReadStock(ctx context.Context, items []connector.Item) (map[string]int64, error) {
	skus := make([]string, len(items))
	for i, it := range items {
		skus[i] = it.SKU
	}
	found, err := s.items(ctx, skus)
	shown := map[string]int64{}
	for sku, e := range found {
		if e.failure() == nil {
			shown[sku] = e.InventoryItem.quantity()
		}
	}
	return shown, err
}

// Look finds out which SKUs are not on sale any more: their seller or eBay may end a listing. eBay says that of one SKU at a time, as long
// as enough of its quota is left.
func (s *session) Look(ctx context.Context, items []connector.Item) (map[string]string, error) {
	seen := map[string]string{}
	for _, it := range items {
		if s.spare(ctx, inventoryAPI) != nil {
			return seen, nil
		}
		if liveOffer(it) == "" {
			continue
		}
		there, err := s.offersOf(ctx, it.SKU)
		switch f := connector.FailureOf(err); {
		case f == nil:
			seen[it.SKU] = there.ended()
		case f.Kind == connector.Missing && notThere[f.Code]:
			seen[it.SKU] = offer{}.ended()
		case f.Kind == connector.Missing || f.Kind == connector.Forbidden || f.Kind == connector.Rejected: // it cannot be known
			return seen, nil
		default:
			return seen, err
		}
	}
	return seen, nil
}
