package stock

import (
	"cmp"
	"slices"

	"entrepot/internal/db"
)

// DeleteFor removes the levels of SKUs that no product has any more from lists and feeds. The ledger writes off the
// units on hand; a tombstone remains, with the reservations of open orders. DeleteFor returns the levels that were not
// deleted before, by SKU and warehouse.
func DeleteFor(tx *db.Tx, skus []string, why Why) ([]Change, error) {
	var live []Level
	if err := readLevels(tx, slices.Clone(skus), func(l Level) {
		if !l.Deleted {
			live = append(live, l)
		}
	}); err != nil {
		return nil, err
	}
	slices.SortFunc(live, func(a, b Level) int { return cmp.Or(cmp.Compare(a.SKU, b.SKU), cmp.Compare(a.Warehouse, b.Warehouse)) })
	return remove(tx, live, why, false), nil
}

// remove writes levels off and leaves tombstones, which keep thresholds other than 0 if keep is set.
func remove(q db.Writer, live []Level, why Why, keep bool) []Change {
	var w writes
	for i := range live {
		after := live[i]
		after.OnHand, after.Threshold, after.Low, after.Deleted = 0, nil, false, true
		w.add(&live[i], &after)
	}
	w.enter(q, w.deleted, deleteLevels(keep))
	insertMovements(q, w.ledger, why)
	w.counts.tally(q)
	return w.changes
}

func deleteLevels(keep bool) func(db.Writer, []Change, []int, int64) {
	return func(q db.Writer, changes []Change, list []int, offset int64) {
		db.Chunks(list, func(piece []int) error {
			args := make([]any, 0, 4+5*len(piece))
			args = append(args, q.TenantID(), q.Micros(), offset, keep)
			for _, at := range piece {
				c := &changes[at]
				args = append(args, c.SKU, c.Warehouse, c.PreviousOnHand, c.held, c.wasLow)
			}
			offset += int64(len(piece)) * db.StampStep
			q.Change(deleteText.For(len(piece), func(n int) string {
				return `WITH v(tenant, sku, warehouse_code, was, held, was_low, at) AS (VALUES ` +
					rows(n, 5, db.StampStep, "(#::BIGINT,$::TEXT,$::TEXT,$::BIGINT,$::BIGINT,$::BOOLEAN,%)") + `)
					UPDATE stock_levels SET on_hand = 0, threshold = CASE WHEN $4::BOOLEAN THEN nullif(threshold, 0) END, low = FALSE,
						deleted_at = $2, updated_at = $2, changed_at = ` + db.Clock + ` + $3::BIGINT + v.at
					FROM v WHERE ` + keyed + ` AND stock_levels.on_hand = v.was + 0 AND stock_levels.reserved = v.held + 0 AND ` + live + `
						AND NOT stock_levels.low <> v.was_low`
			}), args...).Rows(int64(len(piece)), nil)
			return nil
		})
	}
}

var deleteText db.Text
