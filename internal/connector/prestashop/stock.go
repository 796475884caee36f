package prestashop

import (
	"context"
	"net/http"

	"entrepot/internal/connector"
	"entrepot/internal/money"
)

// A quantity is a row of its own, one for each product (combination 0) and each combination; the shop creates the rows
// and sums that of a product with combinations.

// stockRows reads the rows of products, by product and combination.
func (s *session) stockRows(ctx context.Context, products []string) (map[stockPlace]*node, error) {
	rows, err := s.inChunks(ctx, "stock_availables", "stock_available", "id_product", products, full)
	if err != nil {
		return nil, err
	}
	found := map[stockPlace]*node{}
	for _, r := range rows {
		found[stockPlace{r.get("id_product"), r.id("id_product_attribute")}] = r
	}
	return found, nil
}

// stockPlace is where a thing has its row.
type stockPlace struct{ product, combination string }

func stockPlaceOf(ids connector.IDs) stockPlace { return stockPlace{ids.Product, ids.Variant} }

// SetStock sets quantities. Rows that have them already are left alone; the others are sent in one request, and one by
// one if the shop refuses that.
func (s *session) SetStock(ctx context.Context, items []connector.StockItem) ([]connector.Result, error) {
	var products []string
	for _, item := range items {
		if item.IDs.Product != "" {
			products = append(products, item.IDs.Product)
		}
	}
	rows, err := s.stockRows(ctx, products)
	if err != nil {
		return nil, err
	}
	results := make([]connector.Result, len(items))
	var changes [][]field
	var at []int
	for i, item := range items {
		results[i] = connector.Result{SKU: item.SKU, IDs: item.IDs, State: connector.Live}
		row := rows[stockPlaceOf(item.IDs)]
		switch {
		case row == nil:
			results[i].State = connector.Gone
		case row.int("quantity") != item.Quantity:
			changes = append(changes, []field{value("id", row.get("id")), number("quantity", item.Quantity)})
			at = append(at, i)
		}
	}
	err = s.patchAll(ctx, "stock_availables", "stock_available", changes, func(k int, f *connector.Failure) {
		r := &results[at[k]]
		if r.State, r.Error, r.Again = connector.Failed, f.Error(), !f.Lasting(); f.Kind == connector.Missing {
			r.State = connector.Gone
		}
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// patchAll changes many rows of one kind. If the shop refuses one of them, it has written those before it; then each
// is sent alone, and writing it twice does no harm. failed is called for refused rows.
func (s *session) patchAll(ctx context.Context, resource, kind string, rows [][]field, failed func(int, *connector.Failure)) error {
	if len(rows) == 0 {
		return nil
	}
	_, _, err := s.call(connector.Repeatable(ctx), http.MethodPatch, resource, nil, document(kind, rows...))
	if f := connector.FailureOf(err); f == nil || !f.Lasting() || f.Kind == connector.Unauthorized || f.Kind == connector.Forbidden {
		return err
	}
	for k, row := range rows {
		_, _, err := s.call(connector.Repeatable(ctx), http.MethodPatch, resource+"/"+row[0].value, nil, document(kind, row))
		f := connector.FailureOf(err)
		if f == nil {
			continue
		}
		if !f.Lasting() {
			return err
		}
		failed(k, f)
	}
	return nil
}

// ReadStock gives the quantities that the shop shows.
func (s *session) ReadStock(ctx context.Context, items []connector.Item) (map[string]int64, error) {
	var products []string
	for _, item := range items {
		if item.IDs.Product != "" {
			products = append(products, item.IDs.Product)
		}
	}
	rows, err := s.stockRows(ctx, products)
	if err != nil {
		return nil, err
	}
	found := map[string]int64{}
	for _, item := range items {
		if row := rows[stockPlaceOf(item.IDs)]; row != nil {
			found[item.SKU] = row.int("quantity")
		}
	}
	return found, nil
}

// firstStock sets the quantities of what was not in the shop before, as far as the caller knew, before it is enabled.
func (s *session) firstStock(ctx context.Context, p *connector.Product, id string, combinations map[string]string) error {
	var items []connector.StockItem
	if len(p.Variants) == 0 && p.Known.Product != id {
		items = append(items, connector.StockItem{Item: connector.Item{SKU: p.SKU, IDs: connector.IDs{Product: id}}, Quantity: p.Quantity})
	}
	for _, v := range p.Variants {
		if v.Known.Variant != combinations[v.SKU] {
			items = append(items, connector.StockItem{Item: connector.Item{SKU: v.SKU,
				IDs: connector.IDs{Product: id, Variant: combinations[v.SKU]}},
				Quantity: v.Quantity})
		}
	}
	if len(items) == 0 {
		return nil
	}
	results, err := s.SetStock(ctx, items)
	if err != nil {
		return err
	}
	for _, r := range results {
		if r.State == connector.Failed {
			return connector.Failf(connector.Rejected, "its quantity could not be set: %s", r.Error)
		}
	}
	return nil
}

// SetPrices sets prices. A combination's price is stored as the difference to its product's, a reduced one as a separate row.
func (s *session) SetPrices(ctx context.Context, items []connector.PriceItem) ([]connector.Result, error) {
	var products []string
	for _, item := range items {
		if item.IDs.Product != "" {
			products = append(products, item.IDs.Product)
		}
	}
	rows, err := s.inChunks(ctx, "products", "product", "id", products, func() query { return display("id", "price") })
	if err != nil {
		return nil, err
	}
	base := map[string]*node{}
	for _, r := range rows {
		base[r.get("id")] = r
	}
	results := make([]connector.Result, len(items))
	for i, item := range items {
		results[i] = connector.Result{SKU: item.SKU, IDs: item.IDs, State: connector.Live}
		product := base[item.IDs.Product]
		if product == nil {
			results[i].State = connector.Gone
			continue
		}
		switch f := connector.FailureOf(s.setPrice(ctx, item, product)); {
		case f == nil:
		case f.Kind == connector.Missing:
			results[i].State = connector.Gone
		case !f.Lasting(), f.Kind == connector.Unauthorized:
			return results[:i], f
		default:
			results[i].State, results[i].Error = connector.Failed, f.Error()
		}
	}
	return results, nil
}

// setPrice sets one price; product is as the shop has it and is updated, because combinations depend on their product's price.
func (s *session) setPrice(ctx context.Context, item connector.PriceItem, product *node) error {
	own, reduction := netPrice(item.Price, item.CompareAt)
	combination, now := "0", product.amount("price")
	if item.IDs.Variant == "" {
		if now != own {
			if err := s.patch(ctx, "products", "product", item.IDs.Product, price("price", own)); err != nil {
				return err
			}
			if err := s.keepCombinations(ctx, item.IDs.Product, now-own); err != nil {
				return err
			}
			product.at("price").text = own.String()
		}
	} else {
		combination = item.IDs.Variant
		if err := s.patch(ctx, "combinations", "combination", combination, price("price", own-now)); err != nil {
			return err
		}
	}
	return s.reduce(ctx, item.IDs.Product, combination, reduction, false)
}

// keepCombinations changes the differences of a product's combinations, so that their prices stay when the product's changes.
func (s *session) keepCombinations(ctx context.Context, product string, by money.Amount) error {
	rows, err := s.list(ctx, "combinations", "combination", display("id", "price").any("id_product", product))
	if err != nil {
		return err
	}
	var changes [][]field
	for _, r := range rows {
		changes = append(changes, []field{value("id", r.get("id")), price("price", r.amount("price")+by)})
	}
	var last *connector.Failure
	if err := s.patchAll(ctx, "combinations", "combination", changes, func(_ int, f *connector.Failure) { last = f }); err != nil {
		return err
	}
	if last != nil {
		return last
	}
	return nil
}
