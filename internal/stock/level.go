// Package stock holds warehouses, stock levels and their ledger (interface §2.7, §4.3, §4.5).
//
//	Level     one SKU in one warehouse: on hand, reserved, available = on hand − reserved
//	Movement  one row of the ledger; the sum of a level's movements is its on-hand, always
//	Shift     what an operation does to a level by difference: orders reserve, release and ship; movements and transfers
//	StockInput   what an operation makes a level's on-hand be: imports and bulk updates
//	Snapshot     what Set needs to have read: the warehouses and the levels of some SKUs
package stock

import (
	"slices"
	"strconv"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Bounds of a told quantity and of what a single movement may move; sums of them stay far from the end of BIGINT.
const (
	MaxQuantity  = 1_000_000_000
	MaxThreshold = MaxQuantity
)

// Place names a level.
type Place struct{ SKU, Warehouse string }

// Level is one SKU in one warehouse.
type Level struct {
	ID        id.Level
	SKU       string
	Warehouse string // its code
	Product   id.Product
	Variant   id.Variant
	OnHand    int64
	Reserved  int64
	Threshold *int64 // stock.low below it; nil until stock was ever told
	Low       bool   // stock.low was sent and available has not recovered
	Deleted   bool   // its product or warehouse is gone; open orders may still hold it
}

// Place is where the level stands.
func (l Level) Place() Place { return Place{l.SKU, l.Warehouse} }

// exists tells a level from the zero Level, which stands for none.
func (l Level) exists() bool { return l.Product != "" }

// Available is what can still be sold; below 0 when oversold.
func (l Level) Available() int64 { return l.OnHand - l.Reserved }

// below reports whether a level is under its threshold.
func (l Level) below() bool {
	return !l.Deleted && l.Threshold != nil && l.Available() < *l.Threshold
}

// Cause says why on-hand moved; it stands in the ledger (interface §2.7).
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

// Why is what the ledger keeps of an operation.
type Why struct {
	Cause         Cause
	ReferenceType string // "order", "shipment" …
	ReferenceID   string
	Note          string
	Actor         string
}

// levelColumns are what scanLevel takes.
const levelColumns = "id, sku, warehouse_code, product_id, coalesce(variant_id::TEXT, ''), on_hand, reserved, coalesce(threshold, -1), low, deleted_at IS NOT NULL"

func scanLevel(r db.Rows) (Level, error) {
	var l Level
	var threshold int64
	err := r.Scan((*string)(&l.ID), &l.SKU, &l.Warehouse, (*string)(&l.Product), (*string)(&l.Variant), &l.OnHand, &l.Reserved, &threshold, &l.Low, &l.Deleted)
	l.Threshold = thresholdOf(threshold)
	return l, err
}

// readLevels reads the levels of some SKUs, deleted ones too, in every warehouse or only in one.
func readLevels(tx *db.Tx, skus []string, warehouse string, each func(Level)) error {
	return db.WaitAll(prefetchLevels(tx, skus, warehouse, each))
}

// prefetchLevels is readLevels as a question. It sorts the SKUs.
func prefetchLevels(tx *db.Tx, skus []string, warehouse string, each func(Level)) []*db.PendingRead {
	asked := make([]*db.PendingRead, 0, 1)
	slices.Sort(skus)
	skus = slices.Compact(skus)
	for len(skus) > 0 {
		piece := skus[:min(256, len(skus))]
		skus = skus[len(piece):]
		padded := db.Padded(piece)
		args, text := append([]any{tx.Tenant}, padded...), &levelsText
		if warehouse != "" {
			args, text = append(args, warehouse), &levelsInText
		}
		asked = append(asked, tx.Prefetch(func(r db.Rows) error {
			l, err := scanLevel(r)
			if err == nil {
				each(l)
			}
			return err
		}, text.For(len(padded), func(n int) string {
			sql := "SELECT " + levelColumns + " FROM stock_levels WHERE tenant_id = $1 AND sku IN "
			if warehouse != "" {
				return sql + db.In(n, 2) + " AND warehouse_code = $" + strconv.Itoa(n+2)
			}
			return sql + db.In(n, 2)
		}), args...))
	}
	return asked
}

var levelsText, levelsInText db.Text
