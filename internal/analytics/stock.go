package analytics

import (
	"entrepot/internal/base/id"
	"entrepot/internal/base/money"
	"entrepot/internal/db"
	"entrepot/internal/stockvalue"
)

// Stock is the stock of all warehouses now; a level is one SKU in one warehouse.
type Stock struct {
	Warehouses []Warehouse
	Low        []Level // below their threshold, the lowest first
}

// Warehouse is the stock of one warehouse.
type Warehouse struct {
	Code       string
	Name       string
	SKUs       int64
	OnHand     int64
	Reserved   int64
	OutOfStock int64 // levels with nothing available
	Low        int64 // levels below their threshold
	Value      money.Total
}

// Available is what is on hand and not reserved.
func (w Warehouse) Available() int64 { return w.OnHand - w.Reserved }

// Level is one SKU in one warehouse.
type Level struct {
	SKU       string
	Product   id.Product
	Name      string
	Warehouse string
	OnHand    int64
	Reserved  int64
	Threshold int64
}

// lowLevels limits the list of low levels.
const lowLevels = 50

// ReadStock reads the account's stock. Value is on-hand times the selling price of product or variant; a negative
// on-hand counts as 0.
func ReadStock(tx *db.Tx) (out Stock, err error) {
	if out.Warehouses, err = countedWarehouses(tx); err != nil {
		return out, err
	}
	values, err := stockvalue.Read(tx)
	if err != nil {
		return out, err
	}
	for i := range out.Warehouses {
		w := &out.Warehouses[i]
		w.Value = values[w.Code]
	}
	out.Low, err = LowLevels(tx, lowLevels)
	return out, err
}

// countedWarehouses reads every warehouse with its stored counts.
func countedWarehouses(tx *db.Tx) ([]Warehouse, error) {
	counted := db.PrefetchTallies(tx, "levels", "on hand", "reserved", "out of stock", "low")
	list, err := db.List(tx, func(r db.Rows) (w Warehouse, err error) { return w, r.Scan(&w.Code, &w.Name) },
		"SELECT code, name FROM warehouses WHERE tenant_id = $1 ORDER BY code", tx.Tenant)
	if err != nil {
		return nil, err
	}
	kept, err := counted.Wait()
	for i := range list {
		w := &list[i]
		w.SKUs, w.OnHand, w.Reserved = kept["levels"][w.Code], kept["on hand"][w.Code], kept["reserved"][w.Code]
		w.OutOfStock, w.Low = kept["out of stock"][w.Code], kept["low"][w.Code]
	}
	return list, err
}

// living are the levels that are not deleted, in a form that leads SQLite to the indexes of low and oversold levels:
// without statistics it needs a bound of the column that follows the account's.
const living = "tenant_id = $1 AND deleted_at IS NULL AND sku > ''"

// LowLevels are the levels below their threshold, the lowest first, at most limit of them.
func LowLevels(tx *db.Tx, limit int) ([]Level, error) {
	return readLevels(tx, limit, "low = TRUE", "on_hand - reserved - threshold")
}

// Oversold are the levels with more reserved than on hand, the largest difference first, at most limit of them, and
// how many there are.
func Oversold(tx *db.Tx, limit int) (list []Level, total int64, err error) {
	const oversold = "CASE WHEN on_hand < reserved THEN 1 ELSE 0 END = 1" // written as in its index
	if list, err = readLevels(tx, limit, oversold, "on_hand - reserved"); err != nil || len(list) < limit {
		return list, int64(len(list)), err
	}
	return list, total, count(tx, &total, "SELECT count(*) FROM stock_levels WHERE "+living+" AND "+oversold)
}

// readLevels reads the first levels that match a condition, without deleted ones. Their products are read afterwards.
func readLevels(tx *db.Tx, limit int, condition, order string) ([]Level, error) {
	return db.List(tx, func(r db.Rows) (l Level, err error) {
		return l, r.Scan(&l.SKU, &l.Product, &l.Name, &l.Warehouse, &l.OnHand, &l.Reserved, &l.Threshold)
	}, `SELECT l.sku, l.product_id, coalesce(p.name, ''), l.warehouse_code, l.on_hand, l.reserved, l.threshold
		FROM (SELECT sku, product_id, warehouse_code, on_hand, reserved, coalesce(threshold, 0) AS threshold, `+order+` AS place
			FROM stock_levels WHERE `+living+" AND "+condition+`
			ORDER BY place, sku, warehouse_code LIMIT $2::BIGINT) l
		LEFT JOIN products p ON p.tenant_id = $1 AND p.id = l.product_id ORDER BY l.place, l.sku, l.warehouse_code`, tx.Tenant, limit)
}
