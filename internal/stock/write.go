package stock

import (
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/db"
	"entrepot/internal/id"
)

// writes gathers what an act does to levels, sorted by the statement that does it. Every one of them holds a level to how it
// was read: if it moved meanwhile, the act runs again.
type writes struct {
	counted bool // somebody counted: levels without a threshold get one, and so can fall low from now on
	changes []Change
	made    []step // new rows
	revived []step // rows of deleted levels, live again
	moved   []step // on-hand moved, perhaps reserved too
	buried  []step // the same of deleted levels
	told    []step // only the threshold is another one
	ledger  []Movement
}

// step is a level before and after.
type step struct{ before, after Level }

// add takes a level as it was read and as it shall be. Before is the zero Level for one that is not there.
func (w *writes) add(before, after *Level) {
	s := step{*before, *after}
	switch {
	case !before.exists():
		if s.after.ID == "" {
			s.after.ID = id.New[id.Level]()
		}
		w.made = append(w.made, s)
	case before.Deleted && !after.Deleted:
		w.revived = append(w.revived, s)
	case after.Deleted:
		w.buried = append(w.buried, s)
	case before.OnHand == after.OnHand && before.Reserved == after.Reserved:
		w.told = append(w.told, s)
	default:
		w.moved = append(w.moved, s)
	}
	w.changes = append(w.changes, Change{Level: s.after, PreviousOnHand: before.OnHand, FellLow: after.Low && !before.Low})
}

// send queues the statements and the ledger of what moved.
func (w *writes) send(tx *db.Tx, why Why) {
	for _, kind := range []struct {
		list  []step
		write func(*db.Tx, []step) (offset int64)
	}{
		{w.made, insertLevels},
		{w.revived, reviveLevels},
		{w.moved, func(tx *db.Tx, list []step) int64 { return moveLevels(tx, list, w.counted, false) }},
		{w.buried, func(tx *db.Tx, list []step) int64 { return moveLevels(tx, list, false, true) }},
	} {
		if len(kind.list) > 0 {
			w.ledger = slices.Grow(w.ledger, len(kind.list))
			w.ledger = movements(tx, w.ledger, kind.list, kind.write(tx, kind.list), why)
		}
	}
	tellLevels(tx, w.told)
	insertMovements(tx, w.ledger, why)
}

// rows repeats a row of a VALUES list n times: each $ becomes the next placeholder from $first on, # is a $ that
// keeps its number, and % the row's place times step. The casts of the first row are left out in the others.
func rows(n, first, step int, row string) string {
	var b strings.Builder
	for r := range n {
		if r == 1 {
			row = withoutCasts.Replace(row)
		}
		if r > 0 {
			b.WriteByte(',')
		}
		for i := range len(row) {
			switch row[i] {
			case '$':
				b.WriteByte('$')
				b.WriteString(strconv.Itoa(first))
				first++
			case '#':
				b.WriteByte('$')
			case '%':
				b.WriteString(strconv.Itoa(r * step))
			default:
				b.WriteByte(row[i])
			}
		}
	}
	return b.String()
}

var withoutCasts = strings.NewReplacer("::UUID", "", "::TEXT", "", "::BIGINT", "", "::BOOLEAN", "")

// keyed joins v to the levels by their key. The additions of nothing keep SQLite on that key: without them it would, from some
// 200 rows on, index v and walk all levels there are.
const keyed = "stock_levels.tenant_id = $1 AND stock_levels.sku = v.sku || '' AND stock_levels.warehouse_code = v.warehouse || ''"

// moveLevels writes levels of which on-hand, and perhaps reserved, moved.
func moveLevels(tx *db.Tx, list []step, counted, deleted bool) int64 {
	text, state := &moveText, "NULL"
	if deleted {
		text, state = &moveBuriedText, "NOT NULL"
	}
	first := tx.Stamps(len(list))
	offset := first
	db.Chunks(list, func(piece []step) error {
		args := make([]any, 0, 4+7*len(piece))
		args = append(args, tx.Tenant, tx.Micros(), offset, counted)
		for _, s := range piece {
			args = append(args, s.after.SKU, s.after.Warehouse, s.before.OnHand, s.before.Reserved, s.after.OnHand, s.after.Reserved, s.after.Low)
		}
		offset += int64(len(piece)) * db.StampStep
		tx.Change(text.For(len(piece), func(n int) string {
			return `WITH v(sku, warehouse, was, held, on_hand, reserved, low, at) AS (VALUES ` +
				rows(n, 5, db.StampStep, "($::TEXT,$::TEXT,$::BIGINT,$::BIGINT,$::BIGINT,$::BIGINT,$::BOOLEAN,%)") + `)
				UPDATE stock_levels SET on_hand = v.on_hand, reserved = v.reserved, threshold = CASE WHEN $4::BOOLEAN THEN coalesce(threshold, 0) ELSE threshold END,
					low = v.low, updated_at = $2, changed_at = ` + db.Clock + ` + $3::BIGINT + v.at
				FROM v WHERE ` + keyed + ` AND stock_levels.on_hand = v.was AND stock_levels.reserved = v.held AND stock_levels.deleted_at IS ` + state + `
					AND coalesce(CASE WHEN $4::BOOLEAN THEN coalesce(threshold, 0) ELSE threshold END > v.on_hand - v.reserved, FALSE) = v.low`
		}), args...).Rows(int64(len(piece)), nil)
		return nil
	})
	return first
}

var moveText, moveBuriedText db.Text

// tellLevels writes levels of which only the threshold is another one, and whether they are low by it. No feed shows that, so
// there are no stamps.
func tellLevels(tx *db.Tx, list []step) {
	db.Chunks(list, func(piece []step) error {
		args := make([]any, 0, 1+7*len(piece))
		args = append(args, tx.Tenant)
		for _, s := range piece {
			args = append(args, s.after.SKU, s.after.Warehouse, s.after.OnHand, s.after.Reserved, orNone(s.before.Threshold), orNone(s.after.Threshold), s.after.Low)
		}
		tx.Change(tellText.For(len(piece), func(n int) string {
			return `WITH v(sku, warehouse, on_hand, reserved, was, threshold, low) AS (VALUES ` +
				rows(n, 2, 0, "($::TEXT,$::TEXT,$::BIGINT,$::BIGINT,$::BIGINT,$::BIGINT,$::BOOLEAN)") + `)
				UPDATE stock_levels SET threshold = v.threshold, low = v.low FROM v
				WHERE ` + keyed + ` AND stock_levels.on_hand = v.on_hand AND stock_levels.reserved = v.reserved
					AND coalesce(stock_levels.threshold, -1) = v.was AND stock_levels.deleted_at IS NULL`
		}), args...).Rows(int64(len(piece)), nil)
		return nil
	})
}

// orNone is a threshold, or -1 for none.
func orNone(threshold *int64) int64 {
	if threshold == nil {
		return -1
	}
	return *threshold
}

var tellText db.Text

// reviveLevels makes deleted levels live again, for the product that has the SKU now.
func reviveLevels(tx *db.Tx, list []step) int64 {
	first := tx.Stamps(len(list))
	offset := first
	db.Chunks(list, func(piece []step) error {
		args := make([]any, 0, 3+10*len(piece))
		args = append(args, tx.Tenant, tx.Micros(), offset)
		for _, s := range piece {
			args = append(args, s.after.SKU, s.after.Warehouse, s.before.OnHand, s.before.Reserved, s.after.OnHand, s.after.Reserved, s.after.Threshold, s.after.Low,
				s.after.Product, db.Null(s.after.Variant))
		}
		offset += int64(len(piece)) * db.StampStep
		tx.Change(reviveText.For(len(piece), func(n int) string {
			return `WITH v(sku, warehouse, was, held, on_hand, reserved, threshold, low, product_id, variant_id, at) AS (VALUES ` +
				rows(n, 4, db.StampStep, "($::TEXT,$::TEXT,$::BIGINT,$::BIGINT,$::BIGINT,$::BIGINT,$::BIGINT,$::BOOLEAN,$::UUID,$::UUID,%)") + `)
				UPDATE stock_levels SET on_hand = v.on_hand, reserved = v.reserved, threshold = v.threshold, low = v.low, product_id = v.product_id,
					variant_id = v.variant_id, deleted_at = NULL, updated_at = $2, changed_at = ` + db.Clock + ` + $3::BIGINT + v.at
				FROM v WHERE ` + keyed + ` AND stock_levels.on_hand = v.was AND stock_levels.reserved = v.held AND stock_levels.deleted_at IS NOT NULL
					AND EXISTS (SELECT 1 FROM warehouses WHERE warehouses.tenant_id = $1 AND warehouses.code = v.warehouse)`
		}), args...).Rows(int64(len(piece)), nil)
		return nil
	})
	return first
}

var reviveText db.Text

// insertLevels writes new levels; their warehouses must be there.
func insertLevels(tx *db.Tx, list []step) int64 {
	first := tx.Stamps(len(list))
	offset := first
	db.Chunks(list, func(piece []step) error {
		args := make([]any, 0, 3+9*len(piece))
		args = append(args, tx.Tenant, tx.Micros(), offset)
		for _, s := range piece {
			args = append(args, s.after.SKU, s.after.Warehouse, s.after.ID, s.after.Product, db.Null(s.after.Variant), s.after.OnHand, s.after.Reserved, s.after.Threshold, s.after.Low)
		}
		offset += int64(len(piece)) * db.StampStep
		tx.Change(insertText.For(len(piece), func(n int) string {
			return `WITH v(sku, warehouse, id, product_id, variant_id, on_hand, reserved, threshold, low, at) AS (VALUES ` +
				rows(n, 4, db.StampStep, "($::TEXT,$::TEXT,$::UUID,$::UUID,$::UUID,$::BIGINT,$::BIGINT,$::BIGINT,$::BOOLEAN,%)") + `)
				INSERT INTO stock_levels (tenant_id, sku, warehouse_code, id, product_id, variant_id, on_hand, reserved, threshold, low, updated_at, changed_at)
				SELECT $1::BIGINT, sku, warehouse, id, product_id, variant_id, on_hand, reserved, threshold, low, $2::BIGINT, ` + db.Clock + ` + $3::BIGINT + at FROM v
				WHERE EXISTS (SELECT 1 FROM warehouses WHERE warehouses.tenant_id = $1 AND warehouses.code = v.warehouse)`
		}), args...).Rows(int64(len(piece)), nil)
		return nil
	})
	return first
}

var insertText db.Text
