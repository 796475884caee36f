package stock

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Setting is an on-hand figure as told for one SKU in one warehouse.
type Setting struct {
	SKU       string
	Product   id.Product // needed where there is no level yet
	Variant   id.Variant
	Warehouse string // "" until Look: the default
	Quantity  int64  // 0 to MaxQuantity

	at int // its place on the Sheet, set by Look
}

// Sheet is what settings meet: the account's warehouses, and for each setting the level that it speaks of.
type Sheet struct {
	Default    string // code of the account's default warehouse
	warehouses map[string]bool
	levels     []Level // of the settings as looked at, place by place
}

// Look reads all that Set needs to know of settings, and puts the default warehouse into those without one.
func Look(tx *db.Tx, settings []Setting) (*Sheet, error) {
	s := &Sheet{Default: MainWarehouse, warehouses: map[string]bool{}, levels: make([]Level, len(settings))}
	err := tx.Each(func(r db.Rows) error {
		var code string
		var usual bool
		err := r.Scan(&code, &usual)
		s.warehouses[code] = true
		if usual {
			s.Default = code
		}
		return err
	}, "SELECT code, is_default FROM warehouses WHERE tenant_id = $1", tx.Tenant)
	if err != nil {
		return nil, err
	}
	only := s.Default
	for i := range settings {
		t := &settings[i]
		t.at = i
		if t.Warehouse == "" {
			t.Warehouse = s.Default
		}
		if i == 0 {
			only = t.Warehouse
		} else if only != t.Warehouse {
			only = ""
		}
	}
	return s, s.readLevels(tx, settings, only)
}

// readLevels finds the level of each setting; only is the warehouse of all of them, "" when they speak of several.
func (s *Sheet) readLevels(tx *db.Tx, settings []Setting, only string) error {
	text, row, from, first := &lookText, "($::TEXT,%)", "$2", 3
	if only == "" {
		text, row, from, first = &lookEachText, "($::TEXT,$::TEXT,%)", "v.warehouse", 2
	}
	begin := 0
	return db.Chunks(settings, func(piece []Setting) error {
		args := make([]any, 0, 2+2*len(piece))
		args = append(args, tx.Tenant)
		if only != "" {
			args = append(args, only)
		}
		for i := range piece {
			args = append(args, piece[i].SKU)
			if only == "" {
				args = append(args, piece[i].Warehouse)
			}
		}
		levels := s.levels[begin : begin+len(piece)]
		begin += len(piece)
		var l Level
		var i, threshold int64
		into := []any{&i, (*string)(&l.Product), (*string)(&l.Variant), &l.OnHand, &l.Reserved, &threshold, &l.Low, &l.Deleted}
		return tx.Each(func(r db.Rows) error {
			err := r.Scan(into...)
			l.SKU, l.Warehouse, l.Threshold = piece[i].SKU, piece[i].Warehouse, thresholdOf(threshold)
			levels[i] = l
			return err
		}, text.For(len(piece), func(n int) string {
			columns := "sku, i"
			if only == "" {
				columns = "sku, warehouse, i"
			}
			return "WITH v(" + columns + ") AS (VALUES " + rows(n, first, 1, row) + `)
				SELECT v.i, l.product_id, coalesce(l.variant_id::TEXT, ''), l.on_hand, l.reserved, coalesce(l.threshold, -1), l.low, l.deleted_at IS NOT NULL
				FROM v CROSS JOIN stock_levels l WHERE l.tenant_id = $1 AND l.sku = v.sku AND l.warehouse_code = ` + from
		}), args...)
	})
}

var lookText, lookEachText db.Text

// thresholdOf is a threshold as read with -1 for none. Nearly all are 0 and share one place.
func thresholdOf(n int64) *int64 {
	switch n {
	case -1:
		return nil
	case 0:
		return &zero
	}
	return &n
}

var zero int64

// Knows tells whether the account has a warehouse.
func (s *Sheet) Knows(warehouse string) bool { return s.warehouses[warehouse] }

// Stocked tells whether a setting, looked at, meets a level, so that its SKU is known.
func (s *Sheet) Stocked(t Setting) bool { return s.levels[t.at].exists() && !s.levels[t.at].Deleted }

// OnHand is what the level of a setting, looked at, has on hand; 0 when there is none.
func (s *Sheet) OnHand(t Setting) int64 { return s.levels[t.at].OnHand }

// Set makes on-hand what settings tell and writes the ledger; warehouses and levels that are not there yet are made. The
// settings are some of those looked at, or copies of them, and no two speak of one level. It gives the levels that changed or
// are new: one that is new with nothing on hand is a feed entry, but nothing moved. The writes are queued; a level that moved
// meanwhile makes the act run again.
func (s *Sheet) Set(tx *db.Tx, settings []Setting, why Why) []Change {
	w := writes{counted: true, changes: make([]Change, 0, len(settings)), moved: make([]int, 0, len(settings))}
	for i := range settings {
		s.set(tx, &w, &settings[i], &s.levels[settings[i].at])
	}
	w.send(tx, why)
	return w.changes
}

// set decides on one setting.
func (s *Sheet) set(tx *db.Tx, w *writes, t *Setting, before *Level) {
	after := *before
	after.OnHand = t.Quantity
	if after.Threshold == nil { // from now on it can fall low
		after.Threshold = &zero
	}
	s.appear(tx, t, before, &after)
	if *before != after {
		after.Low = after.below()
		w.add(before, &after)
		*before = after
	}
}

// Add is Set for settings whose quantities are differences, not 0. It gives the ledger rows too, setting by setting.
func (s *Sheet) Add(tx *db.Tx, settings []Setting, why Why) ([]Change, []Movement) {
	w := writes{counted: true}
	at := make(map[Place]int, len(settings))
	for i := range settings {
		t := settings[i]
		t.Quantity += s.OnHand(t)
		s.set(tx, &w, &t, &s.levels[t.at])
		at[Place{t.SKU, t.Warehouse}] = i
	}
	w.send(tx, why)
	ledger := make([]Movement, len(settings))
	for _, e := range w.ledger {
		ledger[at[e.Place()]] = e.movement(tx, why)
	}
	return w.changes, ledger
}

// SetThresholds makes the settings' quantities the thresholds of their levels; otherwise it is like Set, and a level that is
// not there yet is made with nothing on hand.
func (s *Sheet) SetThresholds(tx *db.Tx, settings []Setting) []Change {
	var w writes
	for i := range settings {
		t := &settings[i]
		before := &s.levels[t.at]
		after := *before
		s.appear(tx, t, before, &after)
		if after.Threshold == nil || *after.Threshold != t.Quantity {
			after.Threshold = thresholdOf(t.Quantity)
			after.Low = after.below()
			w.add(before, &after)
			*before = after
		}
	}
	w.send(tx, Why{})
	return w.changes
}

// appear puts a level, and its warehouse, where there is none that lives.
func (s *Sheet) appear(tx *db.Tx, t *Setting, before, after *Level) {
	if before.exists() && !before.Deleted {
		return
	}
	if !s.warehouses[t.Warehouse] {
		s.warehouses[t.Warehouse] = true
		insertWarehouse(tx, t.Warehouse)
	}
	after.SKU, after.Warehouse, after.Product, after.Variant, after.Deleted = t.SKU, t.Warehouse, t.Product, t.Variant, false
}
