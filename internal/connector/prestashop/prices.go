package prestashop

import (
	"context"

	"entrepot/internal/connector"
	"entrepot/internal/money"
)

// priceChanges are the rows with prices that a push changes, and the items that they are of, by their place.
type priceChanges struct {
	products, combinations     [][]field
	ofProducts, ofCombinations []int
}

// shownPrices are the prices that the shop has of some products, and rows of reduced prices.
type shownPrices struct {
	products     map[string]money.Amount            // absent: the shop does not have it
	combinations map[string]map[string]money.Amount // differences, by product and combination
	reductions   map[string][]*node
}

// SetPrices sets prices. A combination's price is stored as the difference to its product's, a reduced one as a
// separate row. What the shop has is read first, and prices that differ are sent in one request for the products and
// one for the combinations.
func (s *session) SetPrices(ctx context.Context, items []connector.PriceItem) ([]connector.Result, error) {
	shown, err := s.readPrices(ctx, items)
	if err != nil {
		return nil, err
	}
	results := make([]connector.Result, len(items))
	var changes priceChanges
	for i, item := range items {
		results[i] = item.Result(connector.Live)
		if !shown.change(&changes, i, item) {
			results[i].State = connector.Gone
		}
	}
	note := func(of []int) func(int, *connector.Failure) {
		return func(k int, f *connector.Failure) { results[of[k]].Fail(f) }
	}
	if err := s.patchAll(ctx, "products", "product", changes.products, note(changes.ofProducts)); err != nil {
		return nil, err
	}
	if err := s.patchAll(ctx, "combinations", "combination", changes.combinations, note(changes.ofCombinations)); err != nil {
		return nil, err
	}
	for i, item := range items {
		if results[i].State != connector.Live {
			continue
		}
		_, reduction := netPrice(item.Price, item.CompareAt)
		combination := item.IDs.Variant
		if combination == "" {
			combination = "0"
		}
		switch f := connector.FailureOf(s.reduce(ctx, shown.reductions[item.IDs.Product], item.IDs.Product, combination, reduction)); {
		case f == nil:
		case !f.Lasting(), f.Kind == connector.Unauthorized:
			return results[:i], f
		default:
			results[i].State, results[i].Error = connector.Failed, f.Error()
		}
	}
	return results, nil
}

// readPrices reads the prices that the shop has.
func (s *session) readPrices(ctx context.Context, items []connector.PriceItem) (*shownPrices, error) {
	var ids []string
	for _, item := range items {
		if item.IDs.Product != "" {
			ids = append(ids, item.IDs.Product)
		}
	}
	products, err := s.inChunks(ctx, "products", "product", "id", ids, func() query { return display("id", "price") })
	if err != nil {
		return nil, err
	}
	combinations, err := s.inChunks(ctx, "combinations", "combination", "id_product", ids,
		func() query { return display("id", "id_product", "price") })
	if err != nil {
		return nil, err
	}
	out := &shownPrices{products: map[string]money.Amount{}, combinations: map[string]map[string]money.Amount{}}
	for _, n := range products {
		out.products[n.get("id")] = n.amount("price")
		out.combinations[n.get("id")] = map[string]money.Amount{}
	}
	for _, n := range combinations {
		if of := out.combinations[n.get("id_product")]; of != nil {
			of[n.get("id")] = n.amount("price")
		}
	}
	out.reductions, err = s.readReductions(ctx, ids)
	return out, err
}

// change adds what one price changes, the i-th of a push; false if the shop does not have the item. When a product's
// price changes, the differences of its combinations do so, too: their own prices stay.
func (p *shownPrices) change(c *priceChanges, i int, item connector.PriceItem) bool {
	own, _ := netPrice(item.Price, item.CompareAt)
	product := item.IDs.Product
	base, there := p.products[product]
	if !there {
		return false
	}
	set := func(combination string, difference money.Amount) {
		p.combinations[product][combination] = difference
		c.combinations = append(c.combinations, []field{value("id", combination), price("price", difference)})
		c.ofCombinations = append(c.ofCombinations, i)
	}
	if at := item.IDs.Variant; at != "" {
		now, there := p.combinations[product][at]
		if there && now != own-base {
			set(at, own-base)
		}
		return there
	}
	if own == base {
		return true
	}
	p.products[product] = own
	c.products = append(c.products, []field{value("id", product), price("price", own)})
	c.ofProducts = append(c.ofProducts, i)
	for _, combination := range sortedKeys(p.combinations[product]) {
		set(combination, p.combinations[product][combination]+base-own)
	}
	return true
}
