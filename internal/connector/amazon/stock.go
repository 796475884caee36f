package amazon

import (
	"context"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
)

// change is a new price or quantity of a SKU's offer.
type change struct {
	item    connector.Item
	patches []fields
}

func (c *change) write() listingWrite {
	return listingWrite{sku: c.item.SKU, kind: changeListing, body: fields{"productType": typeOf(c.item), "patches": c.patches}}
}

// pricePatches make a listing ask a price.
func (s *session) pricePatches(price money.Amount, before *money.Amount) []fields {
	list := []fields{patch("merge", "purchasable_offer", s.offer(price))}
	if s.full() {
		list = append(list, patch("replace", "list_price", s.listPrice(price, before)))
	}
	return list
}

// SetStock makes Amazon show quantities.
func (s *session) SetStock(ctx context.Context, items []connector.StockItem) ([]connector.Result, error) {
	return s.SetLevels(ctx, items, nil)
}

// SetPrices makes Amazon show prices.
func (s *session) SetPrices(ctx context.Context, items []connector.PriceItem) ([]connector.Result, error) {
	return s.SetLevels(ctx, nil, items)
}

// SetLevels sets quantities and prices on Amazon. The quantity of a SKU that Amazon ships is Amazon's. For a hidden
// SKU neither is set, because the product is pushed whole when it is on sale again.
func (s *session) SetLevels(ctx context.Context, stocks []connector.StockItem, prices []connector.PriceItem) ([]connector.Result, error) {
	var order []string
	changes := map[string]*change{}
	of := func(it connector.Item) *change {
		if changes[it.SKU] == nil {
			changes[it.SKU] = &change{item: it}
			order = append(order, it.SKU)
		}
		return changes[it.SKU]
	}
	for _, it := range stocks {
		if c := of(it.Item); it.IDs.Other[otherFBA] == "" && !it.IDs.Hidden() {
			c.patches = append(c.patches, patch("merge", "fulfillment_availability", availability(it.Quantity)))
		}
	}
	for _, it := range prices {
		if c := of(it.Item); !it.IDs.Hidden() {
			c.patches = append(c.patches, s.pricePatches(it.Price, it.CompareAt)...)
		}
	}
	var results []connector.Result
	var write []*change
	for _, sku := range order {
		if c := changes[sku]; len(c.patches) > 0 {
			write = append(write, c)
		} else {
			results = append(results, connector.Result{SKU: sku, IDs: c.item.IDs, State: connector.Live})
		}
	}
	if len(write) > smallWave {
		sent, err := s.feedLevels(ctx, write)
		return append(results, sent...), err
	}
	for _, c := range write {
		result, err := s.setOne(ctx, c)
		if err != nil {
			return results, err
		}
		results = append(results, result)
	}
	return results, nil
}

// setOne changes one SKU. If it is refused, it may have been deleted.
func (s *session) setOne(ctx context.Context, c *change) (connector.Result, error) {
	result := c.item.Result(connector.Live)
	err := s.write(ctx, c.write())
	f := connector.FailureOf(err)
	switch {
	case f == nil:
		return result, nil
	case f.Kind != connector.Rejected && f.Kind != connector.Missing:
		return result, err
	}
	there, err := s.find(ctx, []string{c.item.SKU})
	if err != nil {
		return result, err
	}
	result.State, result.Error = connector.Failed, f.Error()
	if _, known := there[c.item.SKU]; !known {
		result.State = connector.Gone
	}
	return result, nil
}

func typeOf(it connector.Item) string {
	if t := it.IDs.Other[otherType]; t != "" {
		return t
	}
	return offerType
}

// ReadStock returns the quantities that Amazon shows for what the merchant ships.
func (s *session) ReadStock(ctx context.Context, items []connector.Item) (map[string]int64, error) {
	var skus []string
	for _, it := range items {
		if !it.IDs.Hidden() {
			skus = append(skus, it.SKU)
		}
	}
	there, err := s.find(ctx, skus)
	found := map[string]int64{}
	s.off = map[string]string{}
	for sku, l := range there {
		s.off[sku] = l.suppressed()
		for _, a := range l.FulfillmentAvailability {
			if a.FulfillmentChannelCode == ownChannel {
				found[sku] = a.Quantity
			}
		}
	}
	return found, err
}

// OffSale gives the reasons for which Amazon suppresses what was read last.
func (s *session) OffSale() map[string]string { return s.off }
