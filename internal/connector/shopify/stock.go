package shopify

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"entrepot/internal/base/id"
	"entrepot/internal/connector"
)

// SetStock makes the shop show quantities, all in one request. An item that is not kept at the location yet is made
// to be.
func (s *session) SetStock(ctx context.Context, items []connector.StockItem) ([]connector.Result, error) {
	f, err := s.readShop(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]connector.Result, len(items))
	var at []int
	for i, item := range items {
		list[i] = item.Result(connector.Live)
		if item.IDs.Other[itemID] == "" {
			list[i].State = connector.Gone
			continue
		}
		at = append(at, i)
	}
	for range 3 {
		if len(at) == 0 {
			return list, nil
		}
		refused, err := s.setQuantities(ctx, f, items, at)
		if err != nil {
			return nil, err
		}
		if len(refused) == 0 {
			return list, nil
		}
		var again []int
		for k, i := range at {
			e, wrong := refused[k]
			switch {
			case !wrong: // one that is refused keeps all others from being set
				again = append(again, i)
			case e.Code == "ITEM_NOT_STOCKED_AT_LOCATION":
				if failed := connector.FailureOf(s.activate(ctx, items[i].IDs.Other[itemID], f.location)); failed != nil {
					list[i].State, list[i].Error, list[i].Again = connector.Failed, failed.Message, !failed.Lasting()
				} else {
					again = append(again, i)
				}
			case e.Code == "INVALID_INVENTORY_ITEM":
				list[i].State = connector.Gone
			default:
				list[i].State, list[i].Error = connector.Failed, connector.Line(e.Message)
			}
		}
		at = again
	}
	for _, i := range at {
		list[i].State, list[i].Error, list[i].Again = connector.Failed, "the shop would not set its quantity", true
	}
	return list, nil
}

type refusal struct{ Message, Code string }

// setQuantities sets the quantities of some items and gives what is refused, by their place among these. Each request
// has a key of its own, under which the shop does it once however often it is repeated.
func (s *session) setQuantities(ctx context.Context, f *shop, items []connector.StockItem, at []int) (map[int]refusal, error) {
	quantities := make([]vars, len(at))
	for k, i := range at {
		quantities[k] = vars{"inventoryItemId": items[i].IDs.Other[itemID], "locationId": f.location, "quantity": items[i].Quantity,
			"changeFromQuantity": nil}
	}
	var a struct {
		InventorySetQuantities struct{ UserErrors userErrors }
	}
	_, err := s.call(reading(ctx), mutateStock,
		vars{"input": vars{"name": "available", "reason": "correction", "quantities": quantities}, "key": id.New[string]()}, &a)
	if err != nil {
		return nil, err
	}
	refused := map[int]refusal{}
	for _, e := range a.InventorySetQuantities.UserErrors {
		k := -1
		for _, part := range e.Field {
			if n, err := strconv.Atoi(part); err == nil {
				k = n
			}
		}
		if k < 0 || k >= len(at) {
			return nil, a.InventorySetQuantities.UserErrors.err()
		}
		refused[k] = refusal{e.Message, e.Code}
	}
	return refused, nil
}

func (s *session) activate(ctx context.Context, item, location string) error {
	var a struct {
		InventoryActivate struct{ UserErrors userErrors }
	}
	if _, err := s.call(reading(ctx), mutateActivate, vars{"item": item, "location": location, "key": id.New[string]()}, &a); err != nil {
		return err
	}
	return a.InventoryActivate.UserErrors.err()
}

// ReadStock gives the quantities that the shop shows.
func (s *session) ReadStock(ctx context.Context, items []connector.Item) (map[string]int64, error) {
	f, err := s.readShop(ctx)
	if err != nil {
		return nil, err
	}
	ids, skus := []string{}, map[string]string{}
	for _, item := range items {
		if at := item.IDs.Other[itemID]; at != "" {
			ids, skus[at] = append(ids, at), item.SKU
		}
	}
	var a struct {
		Nodes []*struct {
			ID             string
			InventoryLevel *struct{ Quantities []struct{ Quantity int64 } }
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	if _, err := s.call(reading(ctx), queryStock, vars{"ids": ids, "location": f.location}, &a); err != nil {
		return nil, err
	}
	found := map[string]int64{}
	for _, n := range a.Nodes {
		if n == nil || n.InventoryLevel == nil {
			continue
		}
		for _, q := range n.InventoryLevel.Quantities {
			found[skus[n.ID]] = q.Quantity
		}
	}
	return found, nil
}

// SetPrices makes the shop show prices, of several products in one request. Results of the products that were reached
// stand beside a failure.
func (s *session) SetPrices(ctx context.Context, items []connector.PriceItem) ([]connector.Result, error) {
	var results []connector.Result
	byProduct := map[string][]connector.PriceItem{}
	var products []string
	for _, item := range items {
		of := item.IDs.Product
		if item.IDs.Variant == "" { // a product with variants has no price of its own here
			results = append(results, item.Result(connector.Live))
			continue
		}
		if byProduct[of] == nil {
			products = append(products, of)
		}
		byProduct[of] = append(byProduct[of], item)
	}
	for piece := range slices.Chunk(products, mostFields) {
		objects := make([]vars, len(piece))
		for k, product := range piece {
			objects[k] = vars{"product": product, "variants": s.prices(byProduct[product])}
		}
		said, err := s.changeMany(ctx, mutatePrices, objects)
		if err != nil {
			return results, err
		}
		for k, product := range piece {
			one, ok := said[k]
			if !ok {
				return results, errUnsaid
			}
			results = append(results, priceResults(byProduct[product], one.UserErrors)...)
		}
	}
	return results, nil
}

// prices are the prices of a product's variants.
func (s *session) prices(items []connector.PriceItem) []vars {
	variants := make([]vars, len(items))
	for i, item := range items {
		currency := cmp.Or(s.link.Facts.Fact(currencyFact), item.Currency)
		variants[i] = vars{"id": item.IDs.Variant, "price": priceIn(currency, item.Price), "compareAtPrice": nil}
		if before := item.CompareAt; before != nil && *before > item.Price {
			variants[i]["compareAtPrice"] = priceIn(currency, *before)
		}
	}
	return variants
}

// priceResults says what became of the prices of a product's variants.
func priceResults(items []connector.PriceItem, refused userErrors) []connector.Result {
	results := make([]connector.Result, len(items))
	for i, item := range items {
		results[i] = item.Result(connector.Live)
	}
	for _, e := range refused {
		for i := range results {
			if len(e.Field) > 1 && e.Field[1] != strconv.Itoa(i) {
				continue
			}
			results[i].State, results[i].Error = connector.Failed, connector.Line(e.Message)
			if e.Code == "PRODUCT_DOES_NOT_EXIST" || e.Code == "PRODUCT_VARIANT_DOES_NOT_EXIST" {
				results[i].State = connector.Gone
			}
		}
	}
	return results
}
