// Package stock holds warehouses, stock levels and their ledger (interface §2.7, §4.3, §4.5).
//
//	Warehouse   a place that holds stock; one of an account is the default
//	Level       one SKU in one warehouse: on hand, reserved, available = on hand − reserved
//	Movement    one row of the ledger; the sum of a level's movements is its on-hand, always
//	Shift       a difference for a level: orders reserve, release and ship; ShiftPlan.Add decides, Store writes
//	StockInput  a quantity to set: imports and bulk updates
//	Snapshot    the warehouses and levels that Set must have read; Plan is what Set would write
package stock

import (
	"cmp"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Place identifies a level.
type Place struct{ SKU, Warehouse string }

// compare sorts places by SKU, the order in which every operation locks levels.
func (p Place) compare(other Place) int {
	return cmp.Or(cmp.Compare(p.SKU, other.SKU), cmp.Compare(p.Warehouse, other.Warehouse))
}

// Level is one SKU in one warehouse.
type Level struct {
	ID        id.Level
	SKU       string
	Warehouse string // its code
	Product   id.Product
	Variant   id.Variant
	OnHand    int64
	Reserved  int64
	Threshold *int64 // stock.low is emitted below it; nil until stock was ever set
	Low       bool   // stock.low was emitted and available has not recovered
	Deleted   bool   // its product or warehouse was deleted; open orders may still have reservations
}

// Place returns the level's SKU and warehouse.
func (l Level) Place() Place { return Place{l.SKU, l.Warehouse} }

// exists returns false for the zero Level, which stands for a missing level.
func (l Level) exists() bool { return l.Product != "" }

// living reports whether lists show the level.
func (l *Level) living() bool { return l.exists() && !l.Deleted }

// Available returns how many units can still be sold; below 0 when oversold.
func (l Level) Available() int64 { return l.OnHand - l.Reserved }

// out reports whether nothing of a level is available.
func (l Level) out() bool { return l.Available() <= 0 }

// below reports whether available is below the threshold.
func (l Level) below() bool {
	return !l.Deleted && l.Threshold != nil && l.Available() < *l.Threshold
}

// Cause is the reason of a movement, as the ledger names it (interface §2.7.6).
type Cause string

// The causes.
const (
	Import          Cause = "import"
	Receive         Cause = "receive"
	Adjustment      Cause = "adjustment"
	Transfer        Cause = "transfer"
	Shipment        Cause = "shipment"
	ShipmentDeleted Cause = "shipment_deleted"
	Return          Cause = "return"
	FromChannel     Cause = "channel"
)

// Why is the ledger's record about an operation.
type Why struct {
	Cause         Cause
	ReferenceType string // "order", "shipment" …
	ReferenceID   string
	Note          string
	Actor         string
}

// readLevels reads the levels of some SKUs in every warehouse, deleted ones too.
func readLevels(r db.Reader, skus []string, each func(Level)) error {
	return db.WaitAll(prefetchLevels(r, skus, "", each))
}

// prefetchLevels is readLevels as pending reads, in every warehouse ("") or in one. It sorts the SKUs.
func prefetchLevels(r db.Reader, skus []string, warehouse string, each func(Level)) []*db.PendingRead {
	slices.Sort(skus)
	skus = slices.Compact(skus)
	scan, of, head := rowScanner(), levelsOf, []any(nil)
	if warehouse != "" {
		of, head = levelsIn, []any{warehouse}
	}
	return db.PrefetchOf(r, of, skus, func(rows db.Rows) error {
		row, err := scan(rows)
		if err == nil {
			each(row.Level)
		}
		return err
	}, head...)
}

// levelsOf and levelsIn read the levels of SKUs, in every warehouse or in one.
var (
	levelsOf = db.KeyedBy(levelTable.Select(""), "sku", "")
	levelsIn = &db.Keyed{Build: func(n int) string {
		return levelTable.Select("") + " WHERE tenant_id = $1 AND warehouse_code = $2 AND sku IN " + db.In(n, 3)
	}}
)
