package stock

import (
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// StockInput is the quantity to set for one SKU in one warehouse.
type StockInput struct {
	SKU       string
	Product   id.Product // required if there is no level yet
	Variant   id.Variant
	Warehouse string // "" until ReadSnapshot sets the default
	Quantity  int64  // 0 to limits.MaxStock

	at int // its index in the Snapshot, set by ReadSnapshot
}

// Snapshot is the account's warehouses and the level of each input. It may be read in one transaction and used in a
// later one: the writes detect a level that changed since, and then the operation runs again. Planning does not change it.
type Snapshot struct {
	Default    string // code of the account's default warehouse
	warehouses map[string]bool
	levels     []Level // of the inputs, by index
	inputs     []StockInput
	clock      int64 // the newest stamp of the account at the time of the read
}

// ReadSnapshot reads everything that Set needs about inputs, and sets the default warehouse where an input has none.
func ReadSnapshot(tx *db.Tx, inputs []StockInput) (*Snapshot, error) {
	s := &Snapshot{Default: MainWarehouse, warehouses: map[string]bool{}, levels: make([]Level, len(inputs)), inputs: inputs}
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
	if s.clock, err = readClock(tx); err != nil {
		return nil, err
	}
	only := s.Default
	for i := range inputs {
		t := &inputs[i]
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
	return s, s.readLevels(tx, inputs, only)
}

// readClock returns the newest stamp of the account.
func readClock(tx *db.Tx) (clock int64, err error) {
	err = tx.Row("SELECT last FROM change_clocks WHERE tenant_id = $1", []any{tx.Tenant}, &clock)
	return clock, err
}

// readLevels finds the level of each input; only is the warehouse of all of them, "" if there are several.
func (s *Snapshot) readLevels(tx *db.Tx, inputs []StockInput, only string) error {
	text, row, from, first := &snapshotText, "($::TEXT,%)", "$2", 3
	if only == "" {
		text, row, from, first = &snapshotEachText, "($::TEXT,$::TEXT,%)", "v.warehouse", 2
	}
	begin := 0
	return db.Chunks(inputs, func(piece []StockInput) error {
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
				SELECT v.i, l.product_id, coalesce(l.variant_id::TEXT, ''), l.on_hand, l.reserved, coalesce(l.threshold, -1), l.low,
					l.deleted_at IS NOT NULL
				FROM v CROSS JOIN stock_levels l WHERE l.tenant_id = $1 AND l.sku = v.sku AND l.warehouse_code = ` + from
		}), args...)
	})
}

var snapshotText, snapshotEachText db.Text

// thresholdOf returns a threshold that is read as -1 for none. Nearly all thresholds are 0 and share one variable.
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

// Knows reports whether the account has a warehouse.
func (s *Snapshot) Knows(warehouse string) bool { return s.warehouses[warehouse] }

// Stocked reports whether there is a level for an input of this snapshot, so that its SKU exists.
func (s *Snapshot) Stocked(t StockInput) bool {
	return s.levels[t.at].exists() && !s.levels[t.at].Deleted
}

// OnHand returns the on-hand of an input's level; 0 if there is no level.
func (s *Snapshot) OnHand(t StockInput) int64 { return s.levels[t.at].OnHand }

// manyMoved is the number of changed levels from which Refresh reads all levels of the snapshot again.
const manyMoved = 10_000

// Refresh reads the levels that changed since the snapshot, and reports whether there are any: plans made before are
// then outdated. If the account was written to at all, Refresh first locks the account's change clock, so that no level
// changes until the transaction ends.
func (s *Snapshot) Refresh(tx *db.Tx) (moved bool, err error) {
	clock, err := readClock(tx)
	if err != nil || clock == s.clock {
		return false, err
	}
	if err := tx.LockClock(); err != nil {
		return false, err
	}
	changed, err := db.List(tx, rowScanner(),
		levelTable.Select("")+" WHERE tenant_id = $1 AND changed_at > $2 ORDER BY changed_at LIMIT $3::BIGINT", tx.Tenant, s.clock, manyMoved)
	if err != nil {
		return false, err
	}
	if len(changed) == manyMoved {
		clear(s.levels)
		return true, s.readLevels(tx, s.inputs, "")
	}
	return s.patch(changed), nil
}

// patch replaces levels of the snapshot with newer ones, and reports whether any of the newer ones belongs to the
// snapshot.
func (s *Snapshot) patch(changed []Row) (found bool) {
	if len(changed) == 0 {
		return false
	}
	here := make(map[Place]int, len(s.inputs))
	for i := range s.inputs {
		here[Place{s.inputs[i].SKU, s.inputs[i].Warehouse}] = i
	}
	for i := range changed {
		if at, ours := here[changed[i].Place()]; ours {
			s.levels[at], found = changed[i].Level, true
		}
	}
	return found
}

// Set sets on-hand to the inputs' quantities and writes the ledger; it creates missing warehouses and levels. The
// inputs are some inputs of the snapshot, or copies of them, and no two have the same level. Set returns the levels
// that changed or are new: a new level with nothing on hand is in the feed but has no movement. The writes are queued;
// if a level changed meanwhile, the operation runs again.
func (s *Snapshot) Set(tx db.Writer, inputs []StockInput, why Why) []Change {
	p := s.Plan(inputs)
	p.Write(tx, why)
	return p.changes
}

// Plan holds the writes of a Set.
type Plan struct {
	writes
	codes []string // of warehouses to create
}

// Plan computes the writes of Set.
func (s *Snapshot) Plan(inputs []StockInput) *Plan {
	p := &Plan{writes: writes{counted: true, changes: make([]Change, 0, len(inputs)), moved: make([]int, 0, len(inputs))}}
	for i := range inputs {
		p.set(s, &inputs[i])
	}
	return p
}

// Changes returns the levels that Set would return.
func (p *Plan) Changes() []Change { return p.changes }

// Write queues the plan's writes, at most once for a plan.
func (p *Plan) Write(tx db.Writer, why Why) {
	for _, code := range p.codes {
		insertWarehouse(tx, code)
	}
	p.send(tx, why)
}

// set plans one input.
func (p *Plan) set(s *Snapshot, t *StockInput) {
	before := &s.levels[t.at]
	after := *before
	after.OnHand = t.Quantity
	p.appear(s, t, before, &after)
	if after.Threshold == nil { // the level gets a threshold and can become low
		after.Threshold = &zero
	}
	if *before != after {
		after.Low = after.below()
		p.add(before, &after)
	}
}

// appear creates a level if there is none or a deleted one, and its warehouse likewise.
func (p *Plan) appear(s *Snapshot, t *StockInput, before, after *Level) {
	if before.exists() && !before.Deleted {
		return
	}
	if !s.warehouses[t.Warehouse] {
		after.Threshold = nil // of a deleted warehouse with the same code: see RestoreLevels
		if !slices.Contains(p.codes, t.Warehouse) {
			p.codes = append(p.codes, t.Warehouse)
		}
	}
	after.SKU, after.Warehouse, after.Product, after.Variant, after.Deleted = t.SKU, t.Warehouse, t.Product, t.Variant, false
}

// Add is Set for inputs whose quantities are differences other than 0. It also returns the ledger rows, one for each input.
func (s *Snapshot) Add(tx db.Writer, inputs []StockInput, why Why) ([]Change, []Movement) {
	summed := slices.Clone(inputs)
	at := make(map[Place]int, len(inputs))
	for i := range summed {
		summed[i].Quantity += s.OnHand(summed[i])
		at[Place{summed[i].SKU, summed[i].Warehouse}] = i
	}
	p := s.Plan(summed)
	p.Write(tx, why)
	ledger := make([]Movement, len(inputs))
	for _, e := range p.ledger {
		ledger[at[e.Place()]] = e.row(tx, why)
	}
	return p.changes, ledger
}

// PlanThresholds plans that the thresholds of levels become the inputs' quantities; otherwise it is like Plan, and a missing level
// is created with nothing on hand.
func (s *Snapshot) PlanThresholds(inputs []StockInput) *Plan {
	p := &Plan{writes: writes{changes: make([]Change, 0, len(inputs))}}
	for i := range inputs {
		t := &inputs[i]
		before := &s.levels[t.at]
		after := *before
		p.appear(s, t, before, &after)
		if after.Threshold == nil || *after.Threshold != t.Quantity {
			after.Threshold = thresholdOf(t.Quantity)
			after.Low = after.below()
			p.add(before, &after)
		}
	}
	return p
}
