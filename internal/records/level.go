package records

import (
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/stock"
)

// WriteLevels writes a list of stock levels (interface §2.7.5).
func WriteLevels(w *apijson.Writer, name string, list []stock.Row) {
	w.List(name)
	for i := range list {
		WriteLevel(w, &list[i])
	}
	w.EndList()
}

// WriteLevel writes a stock level as lists show it.
func WriteLevel(w *apijson.Writer, l *stock.Row) {
	w.Record("StockLevel", "")
	writeLevelMembers(w, l)
	w.IntOrNull("threshold", l.Threshold)
	w.End()
}

// writeLevelMembers writes the members of a stock level that lists and the feed share (interface §2.7.5).
func writeLevelMembers(w *apijson.Writer, l *stock.Row) {
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

// WriteChangedLevel writes a level as the feed shows it; deleted says that tombstones were requested.
func WriteChangedLevel(w *apijson.Writer, l *stock.Row, deleted bool) {
	w.Record("ChangedStockLevel", "")
	writeLevelMembers(w, l)
	if deleted {
		w.MicrosOrNull("deletedAt", l.DeletedAt)
	}
	w.End()
}

// WriteStock writes the stock of one SKU: the sums over its levels, and the levels.
func WriteStock(w *apijson.Writer, item catalog.Sellable, list []stock.Row) {
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
	WriteLevels(w, "levels", list)
	w.End()
}

// WriteStockUpdatedData is the data of stock.updated (interface §6.1).
func WriteStockUpdatedData(w *apijson.Writer, c stock.Change, reason string, at int64) {
	w.Record("StockUpdatedData", "")
	w.Text("reason", reason)
	w.Text("sku", c.SKU)
	apijson.ID(w, "productId", c.Product)
	apijson.IDOrNull(w, "variantId", c.Variant)
	w.Text("warehouseCode", c.Warehouse)
	w.Int("previousQuantity", c.PreviousOnHand)
	w.Int("quantity", c.OnHand)
	w.Int("reserved", c.Reserved)
	w.Int("available", c.Available())
	w.Micros("updatedAt", at)
	w.End()
}

// WriteStockLowData is the data of stock.low (interface §6.1).
func WriteStockLowData(w *apijson.Writer, l stock.Level) {
	w.Record("StockLowData", "")
	w.Text("sku", l.SKU)
	apijson.ID(w, "productId", l.Product)
	apijson.IDOrNull(w, "variantId", l.Variant)
	w.Text("warehouseCode", l.Warehouse)
	w.Int("quantity", l.OnHand)
	w.Int("available", l.Available())
	w.IntOrNull("threshold", l.Threshold)
	w.End()
}

// SampleLevels are the stock levels that describe the answers.
func SampleLevels() []stock.Row {
	threshold := int64(5)
	return []stock.Row{{Level: stock.Level{ID: SampleID[id.Level](266), SKU: "MUG-BLUE", Warehouse: "MAIN", Product: SampleID[id.Product](267),
		OnHand: 40, Reserved: 2, Threshold: &threshold},
		ChangedAt: 1_767_323_045_678_901}}
}
