package stock

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// DeleteFor takes the levels of SKUs that no product has any more out of lists and feeds: what is on hand is written off in
// the ledger, and a tombstone stays, which still holds what open orders have reserved. It gives the levels that were live.
func DeleteFor(tx *db.Tx, skus []string, why Why) ([]Change, error) {
	var live []Level
	if err := readLevels(tx, append([]string(nil), skus...), "", func(l Level) {
		if !l.Deleted {
			live = append(live, l)
		}
	}); err != nil {
		return nil, err
	}
	return bury(tx, live, false, why), nil
}

// bury writes levels off and leaves their tombstones; released says that what they have reserved is held elsewhere from now on.
func bury(tx *db.Tx, live []Level, released bool, why Why) []Change {
	changes := make([]Change, 0, len(live))
	steps := make([]step, 0, len(live))
	for _, before := range live {
		after := before
		after.OnHand, after.Threshold, after.Low, after.Deleted = 0, nil, false, true
		if released {
			after.Reserved = 0
		}
		steps = append(steps, step{before, after})
		changes = append(changes, Change{Level: after, PreviousOnHand: before.OnHand})
	}
	offset := tx.Stamps(len(live))
	ledger := movements(tx, nil, steps, offset, why)
	db.Chunks(live, func(piece []Level) error {
		args := make([]any, 0, 4+4*len(piece))
		args = append(args, tx.Tenant, tx.Micros(), offset, released)
		for _, l := range piece {
			args = append(args, l.SKU, l.Warehouse, l.OnHand, l.Reserved)
		}
		offset += int64(len(piece)) * db.StampStep
		tx.Change(buryText.For(len(piece), func(n int) string {
			return `WITH v(sku, warehouse, was, held, at) AS (VALUES ` + rows(n, 5, db.StampStep, "($::TEXT,$::TEXT,$::BIGINT,$::BIGINT,%)") + `)
				UPDATE stock_levels SET on_hand = 0, reserved = CASE WHEN $4::BOOLEAN THEN 0 ELSE reserved END, threshold = NULL, low = FALSE, deleted_at = $2, updated_at = $2, changed_at = ` + db.Clock + ` + $3::BIGINT + v.at
				FROM v WHERE ` + keyed + ` AND stock_levels.on_hand = v.was AND stock_levels.reserved = v.held AND stock_levels.deleted_at IS NULL`
		}), args...).Rows(int64(len(piece)), nil)
		return nil
	})
	insertMovements(tx, ledger, why)
	return changes
}

var buryText db.Text

// Rename moves all stock of a SKU, reservations too, to the SKU that its product or variant has from now on. The ledgers of
// both tell of it. It gives the levels left and the levels entered.
func Rename(tx *db.Tx, from, to string, product id.Product, variant id.Variant, why Why) ([]Change, error) {
	var left []Level
	there := map[Place]Level{}
	err := readLevels(tx, []string{from, to}, "", func(l Level) {
		if l.SKU == to {
			there[l.Place()] = l
		} else if !l.Deleted {
			left = append(left, l)
		}
	})
	if err != nil {
		return nil, err
	}
	var w writes
	for _, old := range left {
		before := there[Place{to, old.Warehouse}]
		after := old
		after.SKU, after.Product, after.Variant = to, product, variant
		after.Reserved += before.Reserved
		after.ID = before.ID
		after.Low = after.below()
		w.add(&before, &after)
		w.changes[len(w.changes)-1].FellLow = after.Low && !old.Low
	}
	changes := bury(tx, left, true, why)
	w.send(tx, why)
	return append(changes, w.changes...), nil
}
