package stock

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Setting is an on-hand figure as told for one SKU in one warehouse.
type Setting struct {
	SKU       string
	Product   id.Product
	Variant   id.Variant
	Warehouse string // "" until Look: the default
	Quantity  int64  // 0 to MaxQuantity
}

// Sheet is what Set needs to have read before anything is written.
type Sheet struct {
	Default    string // code of the account's default warehouse
	warehouses map[string]bool
	levels     map[Place]Level
}

// Look reads the warehouses and the levels that settings speak of, and puts the default warehouse into settings without one.
func Look(tx *db.Tx, settings []Setting) (*Sheet, error) {
	s := &Sheet{Default: MainWarehouse, warehouses: map[string]bool{}, levels: make(map[Place]Level, len(settings))}
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
	skus, only := make([]string, len(settings)), ""
	for i := range settings {
		if settings[i].Warehouse == "" {
			settings[i].Warehouse = s.Default
		}
		skus[i] = settings[i].SKU
		if i == 0 {
			only = settings[i].Warehouse
		} else if only != settings[i].Warehouse {
			only = ""
		}
	}
	return s, readLevels(tx, skus, only, func(l Level) { s.levels[l.Place()] = l })
}

// Knows tells whether the account has a warehouse.
func (s *Sheet) Knows(warehouse string) bool { return s.warehouses[warehouse] }

// Level is the live level at a place, as looked at or as Set made it.
func (s *Sheet) Level(at Place) (Level, bool) {
	l, ok := s.levels[at]
	return l, ok && !l.Deleted
}

// Set makes on-hand what settings tell and writes the ledger; warehouses and levels that are not there yet are made. The
// settings must have been looked at and each name another place. It gives the levels that changed or are new: one that is
// new with nothing on hand is a feed entry, but nothing moved. The writes are queued; a level that moved meanwhile makes the
// act run again.
func (s *Sheet) Set(tx *db.Tx, settings []Setting, why Why) []Change {
	w := writes{counted: true}
	for i := range settings {
		s.set(tx, &w, &settings[i])
	}
	w.send(tx, why)
	return w.changes
}

// set decides on one setting.
func (s *Sheet) set(tx *db.Tx, w *writes, t *Setting) {
	before, exists := s.levels[Place{t.SKU, t.Warehouse}]
	after := before
	after.OnHand = t.Quantity
	if after.Threshold == nil { // from now on it can fall low
		after.Threshold = new(int64)
	}
	if !exists || before.Deleted {
		if !s.warehouses[t.Warehouse] {
			s.warehouses[t.Warehouse] = true
			insertWarehouse(tx, t.Warehouse)
		}
		after.SKU, after.Warehouse, after.Product, after.Variant, after.Deleted = t.SKU, t.Warehouse, t.Product, t.Variant, false
	} else if before.OnHand == after.OnHand && before.Threshold != nil {
		return
	}
	if !exists {
		after.ID = id.New[id.Level]()
	}
	after.Low = after.below()
	s.levels[after.Place()] = after
	w.add(before, after)
}
