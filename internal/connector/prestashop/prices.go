package prestashop

import (
	"context"
	"slices"

	"entrepot/internal/base/money"
	"entrepot/internal/connector"
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

// netPrice is the price that the shop stores and its reduction, which is a row of its own there.
func netPrice(p money.Amount, before *money.Amount) (base, reduction money.Amount) {
	if before != nil && *before > p {
		return *before, *before - p
	}
	return p, 0
}

// reduceProduct sets the row with the reduced price of a product without variants. For a product with variants, each
// of which has its own, it removes the row that it had without them, which the shop would apply to all variants
// without a row.
func (s *session) reduceProduct(ctx context.Context, p *connector.Product, rows []*node, id string, reduction money.Amount) error {
	if len(p.Variants) > 0 {
		if row := reductionOf(rows, "0"); row == nil || row.get("reduction_type") != "amount" {
			return nil
		}
		reduction = 0
	}
	return s.reduce(ctx, rows, id, "0", reduction)
}

// reduce sets the row with a reduced price: there is one for a product or combination that applies to all customers
// without end, or none. rows are those of the product.
func (s *session) reduce(ctx context.Context, rows []*node, product, combination string, reduction money.Amount) error {
	row := reductionOf(rows, combination)
	switch {
	case row == nil && reduction == 0:
		return nil
	case row == nil:
		_, err := s.create(ctx, "specific_prices", "specific_price", value("id_shop_group", "0"), value("id_shop", "0"), value("id_cart", "0"),
			value("id_product", product), value("id_product_attribute", combination), value("id_currency", "0"), value("id_country", "0"),
			value("id_group", "0"), value("id_customer", "0"), value("price", "-1"), value("from_quantity", "1"), price("reduction", reduction),
			value("reduction_tax", "0"), value("reduction_type", "amount"), value("from", noTime), value("to", noTime))
		return err
	case reduction == 0:
		return s.remove(ctx, "specific_prices", row.get("id"))
	case row.amount("reduction") == reduction && row.get("reduction_type") == "amount":
		return nil
	}
	return s.patch(ctx, "specific_prices", "specific_price", row.get("id"), price("reduction", reduction), value("reduction_type", "amount"),
		value("reduction_tax", "0"))
}

// noTime is the shop's value for no time.
const noTime = "0000-00-00 00:00:00"

func forEverybody(r *node) bool {
	for _, name := range []string{"id_cart", "id_currency", "id_country", "id_group", "id_customer"} {
		if r.id(name) != "" {
			return false
		}
	}
	return r.int("from_quantity") <= 1 && (r.get("to") == noTime || r.get("to") == "")
}

// reductionOf is the row with the reduced price of a product or combination that applies to all customers without end.
func reductionOf(rows []*node, combination string) *node {
	at := slices.IndexFunc(rows, func(r *node) bool { return r.get("id_product_attribute") == combination && forEverybody(r) })
	if at < 0 {
		return nil
	}
	return rows[at]
}

// readReductions reads the rows of reduced prices of products.
func (s *session) readReductions(ctx context.Context, products []string) (map[string][]*node, error) {
	rows, err := s.inChunks(ctx, "specific_prices", "specific_price", "id_product", products, full)
	by := map[string][]*node{}
	for _, r := range rows {
		by[r.get("id_product")] = append(by[r.get("id_product")], r)
	}
	return by, ignoreForbidden(err) // without it a product with a reduced price is refused when that is written
}
