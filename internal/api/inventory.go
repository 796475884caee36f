package api

import (
	"net/http"

	"entrepot/internal/apijson"
	"entrepot/internal/apperr"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/stock"
)

// inventoryRoutes are stock levels (interface §4.5.5).
var inventoryRoutes = []*route{
	{method: "GET", path: "/api/v1/inventory", name: "listStockLevels", section: "4.5.5", summary: "List stock levels", scope: "read:inventory",
		query: func(q *apijson.Query) { readInventoryFilter(q) }, answer: func(w *apijson.Writer) { writeLevelList(w, sampleLevels(), page{1, 20}, 1) }, serve: (*API).listInventory},
	{method: "GET", path: "/api/v1/inventory/{sku}", name: "getStock", section: "4.5.5", summary: "Read the stock of a SKU", scope: "read:inventory",
		answer: data(func(w *apijson.Writer) {
			writeStockOf(w, catalog.Sellable{SKU: "MUG-BLUE", Product: sampleProduct().ID}, sampleLevels())
		}), serve: (*API).getInventory},
}

// Bounds of the inventory lists.
const (
	inventoryPage    = 20
	maxInventoryPage = 250
)

func readInventoryFilter(q *apijson.Query) (stock.Filter, page) {
	f := stock.Filter{SKU: q.Text("sku"), Warehouse: q.Text("warehouseCode"), Low: q.Bool("low"), Search: q.Text("search")}
	p := readPage(q, inventoryPage, maxInventoryPage)
	f.Limit, f.Offset = p.Limit, p.Offset()
	return f, p
}

// listInventory serves GET /api/v1/inventory: 200, by SKU and warehouse; 400.
func (a *API) listInventory(r *request) (answer, error) {
	q := r.query()
	f, p := readInventoryFilter(q)
	if err := q.Err(); err != nil {
		return answer{}, err
	}
	var list []stock.Row
	var total int64
	err := a.read(r, func(tx *db.Tx) (err error) {
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
	writeLevels(w, "data", list)
	writeMeta(w, p, total, nil)
	w.End()
}

func writeLevels(w *apijson.Writer, name string, list []stock.Row) {
	w.List(name)
	for i := range list {
		w.Record("StockLevel", "")
		writeLevel(w, &list[i])
		w.IntOrNull("threshold", list[i].Threshold)
		w.End()
	}
	w.EndList()
}

// writeLevel writes the members of a stock level that lists and the feed share (interface §2.7).
func writeLevel(w *apijson.Writer, l *stock.Row) {
	apijson.ID(w, "id", l.ID)
	w.Text("sku", l.SKU)
	apijson.ID(w, "productId", l.Product)
	apijson.IDOrNull(w, "variantId", l.Variant)
	w.Text("warehouseCode", l.Warehouse)
	w.Int("quantity", l.OnHand)
	w.Int("reserved", l.Reserved)
	w.Int("available", l.Available())
	w.Stamp("changedAt", l.ChangedAt)
}

// sellable finds what the SKU of the path stands for. Errors: NotFound.
func sellable(tx *db.Tx, r *request) (catalog.Sellable, error) {
	sku := r.http.PathValue("sku")
	found, err := catalog.Resolve(tx, []string{sku})
	if _, ok := found[sku]; !ok && err == nil {
		err = apperr.Missing("SKU")
	}
	return found[sku], err
}

// getInventory serves GET /api/v1/inventory/{sku}: 200, the sums and the levels of all warehouses; 404.
func (a *API) getInventory(r *request) (answer, error) {
	var item catalog.Sellable
	var list []stock.Row
	err := a.read(r, func(tx *db.Tx) (err error) {
		if item, err = sellable(tx, r); err == nil {
			list, _, err = stock.List(tx, stock.Filter{SKU: item.SKU, Limit: maxLevelsOfSKU})
		}
		return err
	})
	if err != nil {
		return answer{}, err
	}
	return one(http.StatusOK, "", func(w *apijson.Writer) { writeStockOf(w, item, list) }), nil
}

// maxLevelsOfSKU bounds the warehouses that one SKU's answer shows; the list has them all.
const maxLevelsOfSKU = 1000

func writeStockOf(w *apijson.Writer, item catalog.Sellable, list []stock.Row) {
	var sum stock.Level
	for _, l := range list {
		sum.OnHand += l.OnHand
		sum.Reserved += l.Reserved
	}
	w.Record("SKUStock", "data")
	w.Text("sku", item.SKU)
	apijson.ID(w, "productId", item.Product)
	apijson.IDOrNull(w, "variantId", item.Variant)
	w.Int("quantity", sum.OnHand)
	w.Int("reserved", sum.Reserved)
	w.Int("available", sum.Available())
	writeLevels(w, "levels", list)
	w.End()
}

func sampleLevels() []stock.Row {
	threshold := int64(5)
	return []stock.Row{{Level: stock.Level{ID: sampleID[id.Level](266), SKU: "MUG-BLUE", Warehouse: "MAIN", Product: sampleID[id.Product](267), OnHand: 40, Reserved: 2, Threshold: &threshold},
		ChangedAt: 1_767_323_045_678_901}}
}
