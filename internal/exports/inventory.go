package exports

import (
	"strconv"
	"time"

	"entrepot/internal/base/workbook"
	"entrepot/internal/stock"
)

// LevelColumns are the columns of stock levels. As a stock list the importer reads sku, quantity and warehouseCode.
var LevelColumns = []string{"sku", "warehouseCode", "quantity", "reserved", "available", "threshold", "changedAt"}

// Level are the cells of a stock level.
func Level(l *stock.Row) []workbook.Value {
	threshold := workbook.Count("")
	if l.Threshold != nil {
		threshold = workbook.Count(strconv.FormatInt(*l.Threshold, 10))
	}
	return []workbook.Value{workbook.Text(l.SKU), workbook.Text(l.Warehouse), count(l.OnHand), count(l.Reserved), count(l.Available()), threshold,
		workbook.Moment(time.UnixMicro(l.ChangedAt))}
}
