package woocommerce

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/connector"
)

// SetStock writes quantities: one call for simple products and one for each product with variations. They are
// absolute, so writing them twice does no harm.
func (s *session) SetStock(ctx context.Context, items []connector.StockItem) ([]connector.Result, error) {
	wanted := map[string]int64{}
	var rows []row
	for _, i := range items {
		wanted[i.SKU] = i.Quantity
		rows = append(rows, row{i.Item, map[string]any{"manage_stock": true, "stock_quantity": i.Quantity}})
	}
	return s.updateRows(ctx, rows, func(item connector.Item, f found) string {
		if n, known := f.quantity(); !known || n != wanted[item.SKU] {
			return "the shop took the quantity and kept its own: stock management is switched off there (WooCommerce, Settings, Products, " +
				"Inventory)"
		}
		return ""
	})
}

// quantity is the stock that the shop counts, which it may write with decimals; known is false if it counts none.
func (f found) quantity() (n int64, known bool) {
	v, err := strconv.ParseFloat(string(f.Quantity), 64)
	return int64(math.Floor(v)), err == nil
}

// SetPrices writes prices.
func (s *session) SetPrices(ctx context.Context, items []connector.PriceItem) ([]connector.Result, error) {
	var rows []row
	for _, i := range items {
		body := map[string]any{}
		prices(body, i.Price, i.CompareAt, i.Currency)
		rows = append(rows, row{i.Item, body})
	}
	return s.updateRows(ctx, rows, func(connector.Item, found) string { return "" })
}

// row is one change of a product or variation.
type row struct {
	connector.Item
	body map[string]any
}

// updateRows writes rows, by address; check returns the error of what the shop stored for one.
func (s *session) updateRows(
	ctx context.Context,
	rows []row,
	check func(connector.Item, found) string,
) (out []connector.Result, err error) {
	byPath := map[string][]row{}
	var paths []string
	for _, r := range rows {
		path := "/products/batch"
		if r.IDs.Variant != "" {
			path = "/products/" + r.IDs.Product + "/variations/batch"
		}
		if byPath[path] == nil {
			paths = append(paths, path)
		}
		byPath[path] = append(byPath[path], r)
	}
	size := batchRows.Of(s.link.Facts, s.link.Now())
	for _, path := range paths {
		for piece := range slices.Chunk(byPath[path], size) {
			some, err := s.updatePiece(ctx, path, piece, check)
			if out = append(out, some...); err != nil {
				return out, batchRows.Failed(s.link.Facts, s.link.Now(), len(piece), err)
			}
		}
	}
	return out, nil
}

// batchRows is how many rows are written at once.
var batchRows = connector.PageSize{Most: 100, Least: 10, Fact: "rows"}

// updatePiece writes some rows below one address by one call.
func (s *session) updatePiece(ctx context.Context, path string, rows []row, check func(connector.Item, found) string) (
	out []connector.Result, err error) {
	var update []map[string]any
	for _, r := range rows {
		r.body["id"] = flexible(r.external()).number()
		update = append(update, r.body)
	}
	answer, err := s.batch(connector.Repeatable(ctx), path, nil, update, nil)
	if connector.Is(err, connector.Missing) { // the product above the variations is gone
		for _, r := range rows {
			out = append(out, r.Result(connector.Gone))
		}
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	for i, r := range rows {
		out = append(out, rowResult(r, entryAt(answer.Update, i), check))
	}
	return out, nil
}

// external is the id by which a row is written.
func (r row) external() string {
	if r.IDs.Variant != "" {
		return r.IDs.Variant
	}
	return r.IDs.Product
}

func rowResult(r row, f found, check func(connector.Item, found) string) connector.Result {
	result := r.Result(connector.Live)
	switch {
	case f.Error != nil && strings.HasSuffix(f.Error.Code, "_invalid_id"):
		result.State, result.Error = connector.Gone, f.Error.text()
	case f.Error != nil:
		result.State, result.Error = connector.Failed, f.Error.text()
	case f.Status == "trash": // what is in the bin can be written, but not bought
		result.State, result.Error = connector.Gone, "it is in the shop's bin"
	default:
		if wrong := check(r.Item, f); wrong != "" {
			result.State, result.Error = connector.Failed, wrong
		}
	}
	return result
}

// ReadStock reads quantities by SKU, which also finds variations, and those that have another SKU in the shop by
// their ids. Items whose stock the shop does not manage are left out.
func (s *session) ReadStock(ctx context.Context, items []connector.Item) (map[string]int64, error) {
	var skus []string
	byID := map[string]string{}
	for _, i := range items {
		skus = append(skus, i.SKU)
		byID[(row{Item: i}).external()] = i.SKU
	}
	there, err := s.bySKU(ctx, skus)
	if err != nil {
		return nil, err
	}
	out, seen := map[string]int64{}, map[string]bool{}
	take := func(there map[string]found) {
		for _, f := range there {
			sku, ours := byID[string(f.ID)]
			n, known := f.quantity()
			if seen[sku] = true; ours && known && f.Managed == "true" {
				out[sku] = n
			}
		}
	}
	take(there)
	others, err := s.byIDs(ctx, slices.DeleteFunc(slices.Clone(items), func(i connector.Item) bool { return seen[i.SKU] }))
	take(others)
	return out, err
}
