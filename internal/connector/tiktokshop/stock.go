package tiktokshop

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"entrepot/internal/connector"
)

// held is how much of a SKU can be sold, by warehouse.
type held struct {
	total      int64
	warehouses map[string]int64
}

// inventory reads what the shop shows of SKUs, by TikTok's ids; those that it does not have are left out. It is nil
// where the app may not read it.
func (s *session) inventory(ctx context.Context, skuIDs []string) (map[string]held, error) {
	found := map[string]held{}
	if len(skuIDs) == 0 {
		return found, nil
	}
	var out struct {
		Inventory []struct {
			SKUs []struct {
				ID         connector.ID `json:"id"`
				Total      int64        `json:"total_available_quantity"`
				Warehouses []struct {
					ID        connector.ID `json:"warehouse_id"`
					Available int64        `json:"available_quantity"`
				} `json:"warehouse_inventory"`
			} `json:"skus"`
		} `json:"inventory"`
	}
	if _, err := s.call(connector.Repeatable(ctx), request{method: http.MethodPost, path: "/product/202309/inventory/search",
		body: fields{"sku_ids": skuIDs}}, &out); connector.Is(err, connector.Forbidden, connector.Missing) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	for _, p := range out.Inventory {
		for _, k := range p.SKUs {
			h := held{total: k.Total, warehouses: map[string]int64{}}
			for _, w := range k.Warehouses {
				h.warehouses[string(w.ID)] = w.Available
			}
			found[string(k.ID)] = h
		}
	}
	return found, nil
}

// SetStock sets quantities: all of them in the channel's warehouse, none in the shop's others. Each request is about
// one product. Where TikTok refuses a change of the others, the channel's warehouse is set alone.
func (s *session) SetStock(ctx context.Context, items []connector.StockItem) ([]connector.Result, error) {
	sells, err := s.salesWarehouse(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(items))
	for _, it := range items {
		if it.IDs.Variant != "" {
			ids = append(ids, it.IDs.Variant)
		}
	}
	shown, err := s.inventory(ctx, ids)
	if err != nil {
		return nil, err
	}
	others := map[string][]fields{}
	for id, h := range shown {
		if others[id], err = s.emptied(ctx, h, sells); err != nil {
			return nil, err
		}
	}
	set := func(items []connector.StockItem) ([]connector.Result, error) {
		return s.eachProduct(ctx, "inventory/update", len(items), func(i int) (connector.Item, fields, bool) {
			it := items[i]
			_, there := shown[it.IDs.Variant]
			list := append([]fields{{"warehouse_id": sells, "quantity": it.Quantity}}, others[it.IDs.Variant]...)
			return it.Item, fields{"id": it.IDs.Variant, "inventory": list}, it.IDs.Variant != "" && (there || shown == nil)
		})
	}
	results, err := set(items)
	if err != nil {
		return results, err
	}
	var alone []connector.StockItem
	at := map[string]int{}
	for i, r := range results {
		if r.State == connector.Failed && len(others[items[i].IDs.Variant]) > 0 {
			others[items[i].IDs.Variant] = nil
			alone, at[r.SKU] = append(alone, items[i]), i
		}
	}
	again, err := set(alone)
	for _, r := range again {
		results[at[r.SKU]] = r
	}
	return results, err
}

// emptied sets a SKU's stock in the shop's other warehouses to zero. TikTok requires all warehouses of the SKU to be
// named; stock in TikTok's own warehouses is left to TikTok.
func (s *session) emptied(ctx context.Context, h held, sells string) (list []fields, err error) {
	for _, other := range slices.Sorted(maps.Keys(h.warehouses)) {
		if other == sells {
			continue
		}
		own, err := s.isOwn(ctx, other)
		if err != nil {
			return nil, err
		}
		if own {
			list = append(list, fields{"warehouse_id": other, "quantity": 0})
		}
	}
	return list, nil
}

// isOwn reports whether a warehouse is the shop's own. Where the app may not list warehouses, all are taken for that.
func (s *session) isOwn(ctx context.Context, id string) (bool, error) {
	if s.unlisted {
		return true, nil
	}
	there, err := s.warehouses(ctx)
	if connector.Is(err, connector.Forbidden, connector.Missing) {
		s.unlisted = true
		return true, nil
	}
	return slices.ContainsFunc(there, func(w warehouse) bool { return string(w.ID) == id && w.Type == forSales }), err
}

// SetPrices sets prices. TikTok Shop has reductions only as campaigns, so the price is what buyers pay. It takes none
// of a product that is not on sale: its price comes with it when it is.
func (s *session) SetPrices(ctx context.Context, items []connector.PriceItem) ([]connector.Result, error) {
	var shown []connector.PriceItem
	var results []connector.Result
	for _, it := range items {
		if it.IDs.Hidden() {
			results = append(results, it.Result(connector.Live))
		} else {
			shown = append(shown, it)
		}
	}
	set, err := s.eachProduct(ctx, "prices/update", len(shown), func(i int) (connector.Item, fields, bool) {
		it := shown[i]
		return it.Item, fields{"id": it.IDs.Variant, "price": fields{"amount": it.Price.Text(it.Currency), "currency": it.Currency}},
			it.IDs.Variant != ""
	})
	return append(results, set...), err
}

// eachProduct sends a change of items product by product; missing items are Gone. If a request fails, the results so
// far are returned with the failure.
func (s *session) eachProduct(ctx context.Context, what string, n int, change func(int) (connector.Item, fields, bool)) (
	[]connector.Result, error) {
	var results []connector.Result
	for i := 0; i < n; {
		var of []connector.Result
		var body []fields
		first, _, _ := change(i)
		for ; i < n; i++ {
			it, one, there := change(i)
			if it.IDs.Product != first.IDs.Product {
				break
			}
			r := it.Result(connector.Live)
			if there {
				body = append(body, one)
			} else {
				r.State = connector.Gone
			}
			of = append(of, r)
		}
		if len(body) > 0 {
			if err := s.change(ctx, first.IDs.Product, what, body, of); err != nil {
				return results, err
			}
		}
		results = append(results, of...)
	}
	return results, nil
}

// change sends a change of a product's SKUs and stores refusals in their results; a refusal without SKU applies to
// all of them.
func (s *session) change(ctx context.Context, product, what string, body []fields, results []connector.Result) error {
	var refused itemErrors
	_, err := s.call(connector.Repeatable(ctx), request{method: http.MethodPost,
		path: productsPath + "/" + url.PathEscape(product) + "/" + what, body: fields{"skus": body}}, &refused)
	if f := connector.FailureOf(err); f != nil && f.Kind != connector.Rejected && f.Kind != connector.Missing {
		return err
	}
	for i := range results {
		r := &results[i]
		if r.State == connector.Live && err != nil {
			r.State, r.Error = connector.Failed, err.Error()
		}
		if text, is := refused.of(r.IDs.Variant); is && r.State != connector.Gone {
			r.State, r.Error = connector.Failed, text
		}
	}
	return nil
}

// ReadStock gives the quantities that the shop shows, without those in TikTok's own warehouses.
func (s *session) ReadStock(ctx context.Context, items []connector.Item) (map[string]int64, error) {
	ids, skus, names := []string{}, map[string]string{}, []string{}
	for _, it := range items {
		if it.IDs.Variant != "" {
			ids, skus[it.IDs.Variant], names = append(ids, it.IDs.Variant), it.SKU, append(names, it.SKU)
		}
	}
	shown, err := s.inventory(ctx, ids)
	if err != nil {
		return nil, err
	}
	found := map[string]int64{}
	for id, h := range shown {
		for place, n := range h.warehouses {
			own, err := s.isOwn(ctx, place)
			if err != nil {
				return nil, err
			}
			if !own {
				h.total -= n
			}
		}
		found[skus[id]] = h.total
	}
	return found, s.watch(ctx, skus, names)
}

// watch notes which of some SKUs, by TikTok's ids and by their names, TikTok has taken off sale. Where that cannot be
// known their stock still is.
func (s *session) watch(ctx context.Context, skus map[string]string, names []string) error {
	s.off = map[string]string{}
	there, err := s.search(ctx, names)
	if connector.Is(err, connector.Forbidden, connector.Missing) || connector.Is(err, connector.Rejected) {
		return nil
	}
	if err != nil {
		return err
	}
	for i := range there {
		p := &there[i]
		if p.offSale() {
			if p, err = s.whole(ctx, string(p.ID)); connector.Is(err, connector.Missing) {
				continue
			}
			if err != nil {
				return err
			}
		}
		for _, k := range p.SKUs {
			if name, asked := skus[string(k.ID)]; asked && p.offSale() {
				s.off[name] = p.reasons()
			} else if asked {
				s.off[name] = ""
			}
		}
	}
	return nil
}

// OffSale gives the reasons for which TikTok took off sale what was read last.
func (s *session) OffSale() map[string]string { return s.off }
