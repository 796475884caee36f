package api

import (
	"net/http"

	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/drafts"
	"entrepot/internal/records"
	"entrepot/internal/stock"
)

// inventoryRoutes are stock levels (interface §4.5.5).
var inventoryRoutes = []*route{
	{method: "GET", path: "/api/v1/inventory", name: "listStockLevels", section: "4.5.5", summary: "List stock levels",
		scope:  "read:inventory",
		query:  func(q *apijson.Query) { readInventoryFilter(q) },
		answer: func(w *apijson.Writer) { writeLevelList(w, records.SampleLevels(), page{1, 20}, 1) }, serve: (*API).listStockLevels},
	{method: "GET", path: "/api/v1/inventory/{sku}", name: "getStock", section: "4.5.5", summary: "Read the stock of a SKU",
		scope: "read:inventory",
		answer: data(func(w *apijson.Writer) {
			records.WriteStock(w, catalog.Sellable{SKU: "MUG-BLUE", Product: records.SampleProduct().ID}, records.SampleLevels())
		}), serve: (*API).getStock},
}

// Bounds of the inventory lists.
const (
	inventoryPage    = 20
	maxInventoryPage = 250
)

func readInventoryFilter(q *apijson.Query) (stock.Filter, page) {
	f := drafts.ReadLevelFilter(q)
	p := readPage(q, inventoryPage, maxInventoryPage)
	f.Limit, f.Offset = p.Limit, p.Offset()
	if last := q.Cursor("inventory", 2); last != nil {
		f.After, f.Offset = &stock.Place{SKU: last[0], Warehouse: last[1]}, 0
	}
	return f, p
}

// listStockLevels serves GET /api/v1/inventory: 200, by SKU and warehouse; 400.
func (a *API) listStockLevels(r *request) (answer, error) {
	q := r.query()
	f, p := readInventoryFilter(q)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	var list []stock.Row
	var total int64
	err := a.readWide(r, func(tx *db.Tx) (err error) {
		list, total, err = stock.List(tx, f)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	w := apijson.NewWriter(256 + 320*len(list))
	writeLevelList(w, list, p, total)
	return answer{status: http.StatusOK, body: w.Bytes()}, nil
}

func writeLevelList(w *apijson.Writer, list []stock.Row, p page, total int64) {
	w.Object("")
	records.WriteLevels(w, "data", list)
	next := behind("inventory", list, p, func(last *stock.Row) []string { return []string{last.SKU, last.Warehouse} })
	writeMeta(w, p, total, nextCursor(next))
	w.End()
}

// sellable finds the product or variant with the SKU of the path. Errors: NotFound.
func sellable(sku string, pending *db.Pending[map[string]catalog.Sellable]) (catalog.Sellable, error) {
	found, err := pending.Wait()
	if _, ok := found[sku]; !ok && err == nil {
		err = apperr.Missing("SKU")
	}
	return found[sku], err
}

// getStock serves GET /api/v1/inventory/{sku}: 200, the sums and the levels of all warehouses; 404.
func (a *API) getStock(r *request) (answer, error) {
	sku := r.http.PathValue("sku")
	var item catalog.Sellable
	var list []stock.Row
	err := a.read(r, func(tx *db.Tx) (err error) {
		tx.Last()
		named, levels := catalog.PrefetchResolve(tx, []string{sku}), stock.PrefetchOfSKU(tx, sku)
		if item, err = sellable(sku, named); err == nil {
			list, err = levels.Wait()
		}
		return err
	})
	if err != nil {
		return answer{}, err
	}
	return one(http.StatusOK, "", func(w *apijson.Writer) { records.WriteStock(w, item, list) }), nil
}
