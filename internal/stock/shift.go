// Package stock holds warehouses, stock levels and their ledger (interface §2.7, §4.3).
//
//	Level     one SKU in one warehouse: on hand, reserved, available = on hand − reserved
//	Movement  one row of the ledger; the sum of a level's movements is its on-hand, always
//	Shift     what an order does to a level: it reserves, releases, ships
package stock

import (
	"cmp"
	"errors"
	"slices"

	"entrepot/internal/db"
	"entrepot/internal/fault"
	"entrepot/internal/id"
)

// MainWarehouse is the code of the default warehouse an account starts with.
const MainWarehouse = "MAIN"

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
}

// Available is what can still be sold; below 0 when oversold.
func (l Level) Available() int64 { return l.OnHand - l.Reserved }

// below tells whether a level is under its threshold.
func (l Level) below() bool { return l.Threshold != nil && l.Available() < *l.Threshold }

// Shift is what one act does to one SKU.
type Shift struct {
	SKU       string
	Warehouse string // "" lets Apply choose
	Product   id.Product
	Variant   id.Variant
	Reserve   int64 // change of reserved
	OnHand    int64 // change of on-hand; 0 leaves no ledger row
}

// Cause says why on-hand moved; it stands in the ledger (interface §4.5).
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

// Why is what the ledger keeps of an act.
type Why struct {
	Cause         Cause
	ReferenceType string // "order", "shipment" …
	ReferenceID   string
	Note          string
	Actor         string
}

// Change is a level after an act.
type Change struct {
	Level
	PreviousOnHand int64
	FellLow        bool // it just went below its threshold
}

// Choose settles where shifts without a warehouse happen: the default warehouse if it has enough, else the one with
// the most available, else the default. It gives the levels it read, for Apply.
func Choose(tx *db.Tx, shifts []Shift) (map[Place]Level, error) {
	levels, err := levelsOf(tx, shifts)
	if err != nil {
		return nil, err
	}
	bySKU, wanted := map[string][]Level{}, map[string]int64{}
	for _, l := range levels {
		bySKU[l.SKU] = append(bySKU[l.SKU], l)
	}
	for _, s := range shifts {
		wanted[s.SKU] += s.Reserve
	}
	fallback := ""
	for i, s := range shifts {
		if s.Warehouse != "" {
			continue
		}
		if known := bySKU[s.SKU]; len(known) == 1 {
			shifts[i].Warehouse = known[0].Warehouse
			continue
		}
		if fallback == "" {
			if fallback, err = DefaultWarehouse(tx); err != nil {
				return nil, err
			}
		}
		shifts[i].Warehouse = place(bySKU[s.SKU], fallback, wanted[s.SKU])
	}
	return levels, nil
}

// Place names a level.
type Place struct{ SKU, Warehouse string }

func place(levels []Level, fallback string, wanted int64) string {
	best := fallback
	var most int64
	for i, l := range levels {
		if l.Warehouse == fallback && l.Available() >= wanted {
			return fallback
		}
		if i == 0 || l.Available() > most || l.Available() == most && l.Warehouse == fallback {
			best, most = l.Warehouse, l.Available()
		}
	}
	return best
}

// DefaultWarehouse is the code of the account's default warehouse.
func DefaultWarehouse(tx *db.Tx) (string, error) {
	code := MainWarehouse
	err := tx.Row("SELECT code FROM warehouses WHERE tenant_id = $1 AND is_default = TRUE", []any{tx.Tenant}, &code)
	if errors.Is(err, db.ErrNoRow) {
		err = nil
	}
	return code, err
}

// levelsOf reads the levels of the shifts' SKUs.
func levelsOf(tx *db.Tx, shifts []Shift) (map[Place]Level, error) {
	skus := make([]string, 0, len(shifts))
	for _, s := range shifts {
		skus = append(skus, s.SKU)
	}
	slices.Sort(skus)
	skus = slices.Compact(skus)
	levels := map[Place]Level{}
	for len(skus) > 0 {
		piece := skus[:min(256, len(skus))]
		skus = skus[len(piece):]
		args := append([]any{tx.Tenant}, db.Padded(piece)...)
		err := tx.Each(func(r db.Rows) error {
			l, err := scanLevel(r)
			levels[Place{l.SKU, l.Warehouse}] = l
			return err
		}, levelsText.For(len(args)-1, func(n int) string {
			return `SELECT id, sku, warehouse_code, product_id, variant_id, on_hand, reserved, threshold, low
				FROM stock_levels WHERE tenant_id = $1 AND sku IN ` + db.In(n, 2) + ` AND deleted_at IS NULL`
		}), args...)
		if err != nil {
			return nil, err
		}
	}
	return levels, nil
}

var levelsText db.Text

func scanLevel(r db.Rows) (Level, error) {
	var l Level
	err := r.Scan(&l.ID, &l.SKU, &l.Warehouse, &l.Product, db.Opt(&l.Variant), &l.OnHand, &l.Reserved, &l.Threshold, &l.Low)
	return l, err
}

// Apply makes shifts (their warehouses chosen) on levels as read in this transaction, writes the ledger, and gives each
// level after. reject refuses to reserve what is not available: Conflict naming the SKUs. The writes are queued; if a level
// has moved meanwhile in a way that matters, the act runs again.
func Apply(tx *db.Tx, levels map[Place]Level, shifts []Shift, why Why, reject bool) ([]Change, error) {
	merged := merge(shifts)
	if reject {
		if err := enough(levels, merged); err != nil {
			return nil, err
		}
	}
	changes := make([]Change, 0, len(merged))
	offset := tx.Stamps(len(merged))
	var moved []Movement
	var reserved []reservation
	for _, s := range merged {
		before, exists := levels[Place{s.SKU, s.Warehouse}]
		after := before
		after.OnHand += s.OnHand
		after.Reserved += s.Reserve
		if !exists {
			after = Level{ID: id.New[id.Level](), SKU: s.SKU, Warehouse: s.Warehouse, Product: s.Product, Variant: s.Variant, OnHand: s.OnHand, Reserved: s.Reserve}
		}
		after.Low = after.below()
		change := Change{Level: after, PreviousOnHand: before.OnHand, FellLow: after.Low && !before.Low}
		switch {
		case !exists:
			insertLevel(tx, after, offset)
		case s.OnHand == 0:
			reserved = append(reserved, reservation{after, s.Reserve, offset})
		default:
			updateLevel(tx, before, after, offset)
		}
		if s.OnHand != 0 {
			moved = append(moved, movement(tx, after, s.OnHand, why))
		}
		levels[Place{s.SKU, s.Warehouse}] = after
		changes = append(changes, change)
		offset += db.StampStep
	}
	reserve(tx, reserved, reject)
	InsertMovements(tx, moved)
	return changes, nil
}

// merge adds up shifts of one level and sorts them by SKU: the order in which every act locks levels.
func merge(shifts []Shift) []Shift {
	at := map[Place]int{}
	var out []Shift
	for _, s := range shifts {
		key := Place{s.SKU, s.Warehouse}
		if i, ok := at[key]; ok {
			out[i].Reserve += s.Reserve
			out[i].OnHand += s.OnHand
			continue
		}
		at[key] = len(out)
		out = append(out, s)
	}
	out = slices.DeleteFunc(out, func(s Shift) bool { return s.Reserve == 0 && s.OnHand == 0 })
	slices.SortFunc(out, func(a, b Shift) int {
		return cmp.Or(cmp.Compare(a.SKU, b.SKU), cmp.Compare(a.Warehouse, b.Warehouse))
	})
	return out
}

// enough is the 409 that names every SKU of which too little is left.
func enough(levels map[Place]Level, shifts []Shift) error {
	var short []string
	for _, s := range shifts {
		if s.Reserve > 0 && levels[Place{s.SKU, s.Warehouse}].Available() < s.Reserve {
			short = append(short, s.SKU)
		}
	}
	if len(short) == 0 {
		return nil
	}
	slices.Sort(short)
	return fault.New(fault.Conflict, "insufficient_stock", "not enough stock of %s", join(slices.Compact(short))).With("skus", short)
}

func join(list []string) string {
	text := ""
	for i, s := range list {
		if i > 0 {
			text += ", "
		}
		text += s
	}
	return text
}

func insertLevel(tx *db.Tx, l Level, offset int64) {
	tx.Change(`INSERT INTO stock_levels (tenant_id, sku, warehouse_code, id, product_id, variant_id, on_hand, reserved, threshold, low, updated_at, changed_at)
		VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,`+db.Clock+` + $12::BIGINT)
		ON CONFLICT (tenant_id, sku, warehouse_code) DO UPDATE SET id = excluded.id, product_id = excluded.product_id, variant_id = excluded.variant_id,
			on_hand = excluded.on_hand, reserved = excluded.reserved, threshold = excluded.threshold, low = excluded.low,
			updated_at = excluded.updated_at, changed_at = excluded.changed_at, deleted_at = NULL
		WHERE stock_levels.deleted_at IS NOT NULL`,
		tx.Tenant, l.SKU, l.Warehouse, l.ID, l.Product, db.Null(l.Variant), l.OnHand, l.Reserved, l.Threshold, l.Low, tx.Micros(), offset).Rows(1, nil)
}

// updateLevel writes a level whose on-hand moved; it must still stand as it was read.
func updateLevel(tx *db.Tx, before, after Level, offset int64) {
	tx.Change(`UPDATE stock_levels SET on_hand = $4, reserved = $5, low = $6, updated_at = $7, changed_at = `+db.Clock+` + $8::BIGINT
		WHERE tenant_id = $1 AND sku = $2 AND warehouse_code = $3 AND on_hand = $9 AND reserved = $10 AND deleted_at IS NULL`,
		tx.Tenant, after.SKU, after.Warehouse, after.OnHand, after.Reserved, after.Low, tx.Micros(), offset, before.OnHand, before.Reserved).Rows(1, nil)
}

// reservation is a level of which only the reserved part moved.
type reservation struct {
	after  Level
	delta  int64
	offset int64
}

// reserve moves reservations by their difference, so that orders of one SKU do not wait for each other; they run again only
// when the outcome would be another one: the level falls low, or is short under reject.
func reserve(tx *db.Tx, list []reservation, reject bool) {
	db.Chunks(list, func(piece []reservation) error {
		args := make([]any, 0, 3+5*len(piece))
		args = append(args, tx.Tenant, tx.Micros(), reject)
		for _, r := range piece {
			args = append(args, r.after.SKU, r.after.Warehouse, r.delta, r.offset, r.after.Low)
		}
		tx.Change(reserveText.For(len(piece), func(n int) string {
			return `WITH v(sku, warehouse, delta, at, low) AS (VALUES ` + db.Values(n, 5, 4, "::TEXT", "::TEXT", "::BIGINT", "::BIGINT", "::BOOLEAN") + `)
				UPDATE stock_levels SET reserved = reserved + v.delta, low = v.low, updated_at = $2, changed_at = ` + db.Clock + ` + v.at
				FROM v WHERE stock_levels.tenant_id = $1 AND stock_levels.sku = v.sku AND stock_levels.warehouse_code = v.warehouse
					AND stock_levels.deleted_at IS NULL AND coalesce(threshold > on_hand - reserved - v.delta, FALSE) = v.low
					AND (NOT $3::BOOLEAN OR v.delta <= 0 OR on_hand - reserved >= v.delta)`
		}), args...).Rows(int64(len(piece)), nil)
		return nil
	})
}

var reserveText db.Text

// Movement is one row of the ledger.
type Movement struct {
	ID        id.Movement
	SKU       string
	Warehouse string
	Delta     int64
	Balance   int64 // on-hand after it
	At        int64
	Why
}

func movement(tx *db.Tx, after Level, delta int64, why Why) Movement {
	return Movement{ID: id.New[id.Movement](), SKU: after.SKU, Warehouse: after.Warehouse, Delta: delta, Balance: after.OnHand, At: tx.Micros(), Why: why}
}

// InsertMovements writes ledger rows.
func InsertMovements(tx *db.Tx, list []Movement) {
	db.Chunks(list, func(piece []Movement) error {
		args := make([]any, 0, 2+10*len(piece))
		args = append(args, tx.Tenant, tx.Micros())
		for _, m := range piece {
			args = append(args, m.ID, m.SKU, m.Warehouse, string(m.Cause), m.Delta, m.Balance, m.ReferenceType, m.ReferenceID, m.Note, m.Actor)
		}
		tx.Queue(movementsText.For(len(piece), func(n int) string {
			return `WITH v(id, sku, warehouse, cause, delta, balance, rt, ri, note, actor) AS (VALUES ` +
				db.Values(n, 10, 3, "::UUID", "::TEXT", "::TEXT", "::TEXT", "::BIGINT", "::BIGINT", "::TEXT", "::TEXT", "::TEXT", "::TEXT") + `)
				INSERT INTO movements (tenant_id, id, sku, warehouse_code, cause, delta, balance, reference_type, reference_id, note, actor, created_at)
				SELECT $1::BIGINT, id, sku, warehouse, cause, delta, balance, rt, ri, note, actor, $2::BIGINT FROM v`
		}), args...)
		return nil
	})
}

var movementsText db.Text
