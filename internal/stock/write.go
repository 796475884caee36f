package stock

import (
	"slices"
	"strconv"
	"strings"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Change is a level after an operation.
type Change struct {
	Level
	PreviousOnHand int64
	FellLow        bool // it became low by this change
	Returned       bool // it was deleted with another product, and copies of the level may be older than the deletion

	held      int64 // the reserved quantity before
	wasLow    bool
	threshold *int64 // the threshold before
	movement  id.Movement
}

// changed returns the change of a level from before; before is the zero Level for a missing one.
func changed(before, after *Level) Change {
	return Change{Level: *after, PreviousOnHand: before.OnHand, FellLow: after.Low && !before.Low,
		Returned: before.Deleted && !after.Deleted && before.Product != after.Product,
		held:     before.Reserved, wasLow: before.Low, threshold: before.Threshold}
}

// writes groups an operation's changes of levels by the statement that writes them. Each statement checks that a level
// is still as it was read: if the level changed meanwhile, the operation runs again.
type writes struct {
	counted  bool // stock is set: levels without a threshold get one, and so can become low from now on
	changes  []Change
	made     []int // indexes in changes: new rows
	restored []int // rows of deleted levels that are restored
	moved    []int // on-hand changes, perhaps reserved too
	deleted  []int // like moved, of deleted levels
	bounded  []int // only the threshold changes
	ledger   []entry
	counts   counts
}

// add takes a level as it was read and as it shall become. before is the zero Level for a missing one.
func (w *writes) add(before, after *Level) {
	at := len(w.changes)
	w.counts.move(before, after)
	switch {
	case !before.exists():
		if after.ID == "" {
			after.ID = id.New[id.Level]()
		}
		w.made = append(w.made, at)
	case before.Deleted && !after.Deleted:
		w.restored = append(w.restored, at)
	case after.Deleted:
		w.deleted = append(w.deleted, at)
	case before.OnHand == after.OnHand && before.Reserved == after.Reserved:
		w.bounded = append(w.bounded, at)
	default:
		w.moved = append(w.moved, at)
	}
	c := changed(before, after)
	if c.OnHand != c.PreviousOnHand {
		c.movement = id.New[id.Movement]()
	}
	w.changes = append(w.changes, c)
}

// send queues the statements, and the ledger of the changes.
func (w *writes) send(q db.Writer, why Why) {
	w.enter(q, w.made, insertLevels)
	w.enter(q, w.restored, restoreLevels)
	w.enter(q, w.moved, moveLevels(w.counted, &moveTexts[0], live))
	w.enter(q, w.deleted, moveLevels(false, &moveTexts[1], dead))
	boundLevels(q, w.changes, w.bounded)
	insertMovements(q, w.ledger, why)
	w.counts.tally(q)
}

// enter queues a statement for some of the changes, whose levels get consecutive stamps, and adds their ledger rows.
func (w *writes) enter(q db.Writer, list []int, statement func(q db.Writer, changes []Change, list []int, offset int64)) {
	if len(list) == 0 {
		return
	}
	offset := q.Stamps(len(list))
	statement(q, w.changes, list, offset)
	w.ledger = slices.Grow(w.ledger, len(list))
	for _, at := range list {
		if c := &w.changes[at]; c.movement != "" {
			w.ledger = append(w.ledger, entry{c, offset})
		}
		offset += db.StampStep
	}
}

// rows repeats a row of a VALUES list n times: each $ becomes the next placeholder from $first on, # is $1, and % the
// row's index times step. The casts of the first row are left out in the others.
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
				b.WriteString("$1")
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

// keyed joins v to the levels by their key; live and dead select those that count. They are written so that both
// engines use that key. From some 200 rows on, SQLite would index v by any column that stands alone in an equation,
// and read all levels: the casts and additions of 0, here and in the conditions that follow, prevent that. PostgreSQL
// would read all levels of a tenant with few rows by its statistics, through the index of the feed, so every condition
// on that index's columns must use v. And what it looks up must contain no function that could leak rows past
// row-level security (package db); a cast to the same type is none.
const (
	keyed = "stock_levels.tenant_id = CAST(v.tenant AS BIGINT) AND stock_levels.sku = CAST(v.sku AS TEXT)" +
		" AND stock_levels.warehouse_code = CAST(v.warehouse_code AS TEXT)"
	live = "coalesce(stock_levels.deleted_at, 0) = 0"
	dead = "coalesce(stock_levels.deleted_at, 0) <> 0"
)

// moveLevels writes levels of which on-hand, and perhaps reserved, changes.
func moveLevels(counted bool, text *db.Text, deleted string) func(db.Writer, []Change, []int, int64) {
	return func(q db.Writer, changes []Change, list []int, offset int64) {
		db.Chunks(list, func(piece []int) error {
			args := make([]any, 0, 4+8*len(piece))
			args = append(args, q.TenantID(), q.Micros(), offset, counted)
			for _, at := range piece {
				c := &changes[at]
				args = append(args, c.SKU, c.Warehouse, c.PreviousOnHand, c.held, c.OnHand, c.Reserved, c.Low, c.wasLow)
			}
			offset += int64(len(piece)) * db.StampStep
			q.Change(text.For(len(piece), func(n int) string {
				return `WITH v(tenant, sku, warehouse_code, was, held, on_hand, reserved, low, was_low, at) AS (VALUES ` +
					rows(n, 5, db.StampStep, "(#::BIGINT,$::TEXT,$::TEXT,$::BIGINT,$::BIGINT,$::BIGINT,$::BIGINT,$::BOOLEAN,$::BOOLEAN,%)") + `)
					UPDATE stock_levels SET on_hand = v.on_hand, reserved = v.reserved,
						threshold = CASE WHEN $4::BOOLEAN THEN coalesce(threshold, 0) ELSE threshold END, low = v.low,
						updated_at = $2, changed_at = ` + db.Clock + ` + $3::BIGINT + v.at
					FROM v WHERE ` + keyed + ` AND stock_levels.on_hand = v.was + 0 AND stock_levels.reserved = v.held + 0 AND ` + deleted + `
						AND NOT coalesce(CASE WHEN $4::BOOLEAN THEN coalesce(threshold, 0) ELSE threshold END > v.on_hand - v.reserved, FALSE) <> v.low
						AND NOT stock_levels.low <> v.was_low`
			}), args...).Rows(int64(len(piece)), nil)
			return nil
		})
	}
}

var moveTexts [2]db.Text

// boundLevels writes levels of which only the threshold changes, and whether they are low. No feed shows that, so
// there are no stamps.
func boundLevels(q db.Writer, changes []Change, list []int) {
	db.Chunks(list, func(piece []int) error {
		args := make([]any, 0, 1+7*len(piece))
		args = append(args, q.TenantID())
		for _, at := range piece {
			c := &changes[at]
			args = append(args, c.SKU, c.Warehouse, c.OnHand, c.Reserved, orNone(c.threshold), orNone(c.Threshold), c.Low)
		}
		q.Change(boundText.For(len(piece), func(n int) string {
			return `WITH v(tenant, sku, warehouse_code, on_hand, reserved, was, threshold, low) AS (VALUES ` +
				rows(n, 2, 0, "(#::BIGINT,$::TEXT,$::TEXT,$::BIGINT,$::BIGINT,$::BIGINT,$::BIGINT,$::BOOLEAN)") + `)
				UPDATE stock_levels SET threshold = v.threshold, low = v.low FROM v
				WHERE ` + keyed + ` AND stock_levels.on_hand = v.on_hand + 0 AND stock_levels.reserved = v.reserved + 0
					AND coalesce(stock_levels.threshold, -1) = v.was + 0 AND ` + live
		}), args...).Rows(int64(len(piece)), nil)
		return nil
	})
}

// orNone returns a threshold, or -1 for none.
func orNone(threshold *int64) int64 {
	if threshold == nil {
		return -1
	}
	return *threshold
}

var boundText db.Text

// stands is the condition that v's SKU and warehouse exist, so that creating levels cannot overlap with deleting the
// SKU or the warehouse.
const stands = `EXISTS (SELECT 1 FROM warehouses WHERE warehouses.tenant_id = $1 AND warehouses.code = v.warehouse_code)
	AND EXISTS (SELECT 1 FROM skus WHERE skus.tenant_id = $1 AND skus.sku = v.sku AND skus.product_id = v.product_id)`

// restoreLevels restores deleted levels, for the product that has the SKU now.
func restoreLevels(q db.Writer, changes []Change, list []int, offset int64) {
	db.Chunks(list, func(piece []int) error {
		args := make([]any, 0, 3+10*len(piece))
		args = append(args, q.TenantID(), q.Micros(), offset)
		for _, at := range piece {
			c := &changes[at]
			args = append(args, c.SKU, c.Warehouse, c.PreviousOnHand, c.held, c.OnHand, c.Reserved, c.Threshold, c.Low,
				c.Product, db.Null(c.Variant))
		}
		offset += int64(len(piece)) * db.StampStep
		q.Change(restoreText.For(len(piece), func(n int) string {
			return `WITH v(tenant, sku, warehouse_code, was, held, on_hand, reserved, threshold, low, product_id, variant_id, at) AS (VALUES ` +
				rows(n, 4, db.StampStep,
					"(#::BIGINT,$::TEXT,$::TEXT,$::BIGINT,$::BIGINT,$::BIGINT,$::BIGINT,$::BIGINT,$::BOOLEAN,$::UUID,$::UUID,%)") + `)
				UPDATE stock_levels SET on_hand = v.on_hand, reserved = v.reserved, threshold = v.threshold, low = v.low, product_id = v.product_id,
					variant_id = v.variant_id, deleted_at = NULL, updated_at = $2, changed_at = ` + db.Clock + ` + $3::BIGINT + v.at
				FROM v WHERE ` + keyed + ` AND stock_levels.on_hand = v.was + 0 AND stock_levels.reserved = v.held + 0 AND ` + dead + `
					AND ` + stands
		}), args...).Rows(int64(len(piece)), nil)
		return nil
	})
}

var restoreText db.Text

// insertLevels writes new levels.
func insertLevels(q db.Writer, changes []Change, list []int, offset int64) {
	rows := make([]Row, len(list))
	for i, at := range list {
		rows[i].Level = changes[at].Level
	}
	levelTable.InsertStampedFrom(q, offset, rows, stands)
}
