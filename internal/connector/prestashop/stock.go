package prestashop

import (
	"context"
	"slices"

	"entrepot/internal/connector"
)

// A quantity is a row of its own, one for each product (combination 0) and each combination; the shop creates the
// rows and sums the row of a product with combinations. Shops that share their stock have one row for all of them,
// and still the rows that each had before; a setting of the shops says which one counts.

// stockRows reads the rows of products, by product and combination.
func (s *session) stockRows(ctx context.Context, products []string) (map[stockPlace][]*node, error) {
	rows, err := s.inChunks(ctx, "stock_availables", "stock_available", "id_product", products, full)
	if err != nil {
		return nil, err
	}
	found := map[stockPlace][]*node{}
	for _, r := range rows {
		at := stockPlace{r.get("id_product"), r.id("id_product_attribute")}
		found[at] = append(found[at], r)
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
		results[i] = item.Result(connector.Live)
		own := rows[stockPlaceOf(item.IDs)]
		if len(own) == 0 {
			results[i].State = connector.Gone
		}
		for _, row := range own {
			if row.int("quantity") != item.Quantity {
				changes = append(changes, []field{value("id", row.get("id")), number("quantity", item.Quantity)})
				at = append(at, i)
			}
		}
	}
	err = s.patchAll(ctx, "stock_availables", "stock_available", changes, func(k int, f *connector.Failure) {
		results[at[k]].Fail(f)
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// rowsPerCall is how many rows are changed in one request.
const rowsPerCall = 100

// patchAll changes many rows of one kind. If the shop refuses one of a request, it has written those before it; then
// each of these is sent alone, and writing it twice does no harm. So are those that the answer leaves out, because
// something before the shop, or a module of it, takes one row at a time. failed is called for refused rows.
func (s *session) patchAll(ctx context.Context, resource, kind string, rows [][]field, failed func(int, *connector.Failure)) error {
	for from := 0; from < len(rows); from += rowsPerCall {
		piece := rows[from:min(from+rowsPerCall, len(rows))]
		written, err := s.change(ctx, resource, kind, piece...)
		f := connector.FailureOf(err)
		if f == nil && len(piece) > 1 {
			err = s.patchEach(ctx, resource, kind, piece, written, func(k int, f *connector.Failure) { failed(from+k, f) })
		}
		if f != nil && f.Lasting() && f.Kind != connector.Unauthorized && f.Kind != connector.Forbidden {
			err = s.patchEach(ctx, resource, kind, piece, nil, func(k int, f *connector.Failure) { failed(from+k, f) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// patchEach changes rows one by one, without those that are written already.
func (s *session) patchEach(ctx context.Context, resource, kind string, rows [][]field, written []string,
	failed func(int, *connector.Failure)) error {
	for k, row := range rows {
		if slices.Contains(written, row[0].value) {
			continue
		}
		_, err := s.change(ctx, resource, kind, row)
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

// ReadStock gives the quantities that the shop shows, without those of which it has several that differ.
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
		own := rows[stockPlaceOf(item.IDs)]
		if len(own) > 0 && !slices.ContainsFunc(own, func(r *node) bool { return r.int("quantity") != own[0].int("quantity") }) {
			found[item.SKU] = own[0].int("quantity")
		}
	}
	return found, nil
}

// firstStock sets the quantities of what was not in the shop before, as far as the caller knew, before it is enabled.
func (s *session) firstStock(ctx context.Context, list []*upsert) error {
	var items []connector.StockItem
	of := map[string]*upsert{} // by SKU
	add := func(u *upsert, sku, combination string, quantity int64) {
		items = append(items, connector.StockItem{Quantity: quantity,
			Item: connector.Item{SKU: sku, IDs: connector.IDs{Product: u.id(), Variant: combination}}})
		of[sku] = u
	}
	for _, u := range list {
		if len(u.Variants) == 0 && u.Known.Product != u.id() && u.Quantity != connector.NotOurs {
			add(u, u.SKU, "", u.Quantity)
		}
		for _, v := range u.Variants {
			if at := u.combinations[v.SKU]; v.Known.Variant != at && v.Quantity != connector.NotOurs {
				add(u, v.SKU, at, v.Quantity)
			}
		}
	}
	if len(items) == 0 {
		return nil
	}
	results, err := s.SetStock(ctx, items)
	for _, r := range results {
		if r.State == connector.Failed || r.State == connector.Gone {
			of[r.SKU].fail(0, connector.Failf(connector.Rejected, "its quantity could not be set: %s", r.Error), r.Again)
		}
	}
	return err
}
