package ebay

import (
	"context"
	"slices"

	"entrepot/internal/connector"
)

// SetStock makes eBay show quantities.
func (s *session) SetStock(ctx context.Context, items []connector.StockItem) ([]connector.Result, error) {
	return s.SetLevels(ctx, items, nil)
}

// SetPrices makes eBay show prices, of SKUs that have an offer on sale. One that is put on sale gets its price with it.
func (s *session) SetPrices(ctx context.Context, items []connector.PriceItem) ([]connector.Result, error) {
	return s.SetLevels(ctx, nil, items)
}

// level is what a request changes of a SKU.
type level struct {
	connector.Item
	body, offer fields
	rests       connector.Result // with Rests: its price waits
}

// SetLevels makes eBay show quantities and prices, both in one change of a listing. A price waits when the listing
// has had many changes today; a quantity waits only when eBay has refused it.
func (s *session) SetLevels(ctx context.Context, stocks []connector.StockItem, prices []connector.PriceItem) ([]connector.Result, error) {
	all := map[string]*level{}
	var order []string
	of := func(it connector.Item) *level {
		if all[it.SKU] == nil {
			all[it.SKU] = &level{Item: it, offer: fields{}}
			order = append(order, it.SKU)
		}
		return all[it.SKU]
	}
	for _, it := range stocks {
		l := of(it.Item)
		l.body = fields{"sku": it.SKU, "shipToLocationAvailability": fields{"quantity": it.Quantity}}
		l.offer["availableQuantity"] = it.Quantity
	}
	for _, it := range prices {
		l := of(it.Item)
		if liveOffer(it.Item) == "" {
			continue
		}
		if until, why, waits := s.rest(listingOf(it.Item), priceChanges); waits {
			l.rests.Rest(until, why)
			continue
		}
		if l.body == nil {
			l.body = fields{"sku": it.SKU}
		}
		l.offer["price"] = s.price(it.Price)
	}
	return s.update(ctx, order, all)
}

// update sends quantities and prices. Refused values are in the results.
func (s *session) update(ctx context.Context, order []string, all map[string]*level) ([]connector.Result, error) {
	results := make([]connector.Result, len(order))
	var skus []string
	for i, sku := range order {
		l := all[sku]
		results[i] = l.Result(connector.Live)
		if l.body == nil {
			if !l.rests.Rests.IsZero() {
				results[i].Rest(l.rests.Rests, l.rests.Error)
			}
			continue
		}
		results[i].Rests, results[i].Error = l.rests.Rests, l.rests.Error
		if until, why, waits := s.refused(s.changesToday(listingOf(l.Item))); waits {
			results[i].Rest(until, why)
			continue
		}
		if o := liveOffer(l.Item); o != "" {
			l.offer["offerId"] = o
			l.body["offers"] = []fields{l.offer}
		}
		skus = append(skus, sku)
	}
	done, err := s.bulk(ctx, "/bulk_update_price_quantity", skus, func(sku string) fields { return all[sku].body })
	if err != nil {
		return nil, err
	}
	for i := range results {
		r := &results[i]
		if !slices.Contains(skus, r.SKU) {
			continue
		}
		listing := listingOf(all[r.SKU].Item)
		f := done.of(r.SKU).failure()
		if until, why, waits := s.noteDay(listing, f); waits {
			r.Rest(until, why)
		} else if f != nil {
			r.Fail(f)
		} else {
			s.changed(listing)
		}
	}
	return results, nil
}

// listingOf is the listing that buyers see of a SKU, "" for none.
func listingOf(it connector.Item) string {
	if liveOffer(it) == "" {
		return ""
	}
	return it.IDs.Product
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

// Look finds out which SKUs are not on sale any more: their seller or eBay may end a listing. eBay answers for one
// SKU at a time; Look asks as long as enough of its quota is left.
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
			seen[it.SKU] = there.offSale()
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
