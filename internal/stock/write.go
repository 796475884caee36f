package stock

import (
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
	told    []step // told what they were already: they only get their threshold
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
	insertLevels(tx, w.made)
	reviveLevels(tx, w.revived)
	moveLevels(tx, w.moved, w.counted, false)
	moveLevels(tx, w.buried, false, true)
	tellLevels(tx, w.told)
	w.ledger = make([]Movement, 0, len(w.changes))
	for _, c := range w.changes {
		if c.OnHand != c.PreviousOnHand {
			w.ledger = append(w.ledger, NewMovement(tx, c, why))
		}
	}
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
func moveLevels(tx *db.Tx, list []step, counted, deleted bool) {
	text, state := &moveText, "NULL"
	if deleted {
		text, state = &moveBuriedText, "NOT NULL"
	}
	offset := tx.Stamps(len(list))
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
}

var moveText, moveBuriedText db.Text

// tellLevels writes levels that were told what they are already, for the first time.
func tellLevels(tx *db.Tx, list []step) {
	db.Chunks(list, func(piece []step) error {
		args := make([]any, 0, 1+5*len(piece))
		args = append(args, tx.Tenant)
		for _, s := range piece {
			args = append(args, s.after.SKU, s.after.Warehouse, s.after.OnHand, s.after.Reserved, s.after.Low)
		}
		tx.Change(tellText.For(len(piece), func(n int) string {
			return `WITH v(sku, warehouse, on_hand, reserved, low) AS (VALUES ` + db.Values(n, 5, 2, "::TEXT", "::TEXT", "::BIGINT", "::BIGINT", "::BOOLEAN") + `)
				UPDATE stock_levels SET threshold = 0, low = v.low FROM v
				WHERE ` + keyed + ` AND stock_levels.on_hand = v.on_hand AND stock_levels.reserved = v.reserved AND stock_levels.deleted_at IS NULL AND threshold IS NULL`
		}), args...).Rows(int64(len(piece)), nil)
		return nil
	})
}

var tellText db.Text

// reviveLevels makes deleted levels live again, for the product that has the SKU now.
func reviveLevels(tx *db.Tx, list []step) {
	offset := tx.Stamps(len(list))
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
}

var reviveText db.Text

// insertLevels writes new levels; their warehouses must be there.
func insertLevels(tx *db.Tx, list []step) {
	offset := tx.Stamps(len(list))
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
}

var insertText db.Text

// insertWarehouse makes a warehouse of which only the code is known.
func insertWarehouse(tx *db.Tx, code string) {
	tx.Change(`INSERT INTO warehouses (tenant_id, id, code, name, is_default, created_at) VALUES ($1,$2,$3,$3,FALSE,$4) ON CONFLICT (tenant_id, code) DO NOTHING`,
		tx.Tenant, id.New[id.Warehouse](), code, tx.Micros())
}
