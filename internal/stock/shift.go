package stock

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Shift is how one operation changes one SKU.
type Shift struct {
	SKU       string
	Warehouse string // "" lets Choose choose
	Product   id.Product
	Variant   id.Variant
	Reserve   int64 // change of reserved
	OnHand    int64 // change of on-hand; 0 leaves no ledger row

	alive bool // its SKU belongs to its product, so that a deleted level is restored
}

// Levels are levels by place.
type Levels = map[Place]Level

// PrefetchLevels returns the levels of some SKUs, deleted ones too, as a pending read.
func PrefetchLevels(r db.Reader, skus []string) *db.Pending[Levels] {
	p := &db.Pending[Levels]{Value: make(Levels, len(skus))}
	return p.Await(prefetchLevels(r, slices.Clone(skus), "", func(l Level) { p.Value[l.Place()] = l })...)
}

// ShiftPlan is how the shifts of one operation, or of several orders that are created together, change levels. Choose and Add take the
// shifts of one order after the other; Store writes one change of each level.
type ShiftPlan struct {
	levels   Levels             // after the shifts so far
	bySKU    map[string][]Place // the places of levels, by SKU
	fallback string             // the default warehouse, once it was needed
	before   Levels             // before the first shift, of the levels that have any
	least    map[Place]int64    // what must be available before, so that no shift is refused
	places   []Place            // of before

	finished bool
	changes  []Change // each level after the change
	reserved []reservation
	writes   writes
}

// NewShiftPlan returns a plan without shifts on levels, which the plan changes; more may be there than shifts will
// need.
func NewShiftPlan(levels Levels) *ShiftPlan {
	p := &ShiftPlan{levels: levels, bySKU: map[string][]Place{}, before: Levels{}, least: map[Place]int64{}}
	for place := range levels {
		p.bySKU[place.SKU] = append(p.bySKU[place.SKU], place)
	}
	return p
}

// Next returns a plan without shifts on the levels as this plan leaves them.
func (p *ShiftPlan) Next() *ShiftPlan {
	next := NewShiftPlan(p.levels)
	next.fallback = p.fallback
	return next
}

// PlanShifts returns a plan of some shifts alone: it reads their levels, chooses their warehouses and adds them. reject
// is that of Add.
func PlanShifts(r db.Reader, shifts []Shift, reject bool) (*ShiftPlan, error) {
	skus := make([]string, len(shifts))
	for i, s := range shifts {
		skus[i] = s.SKU
	}
	levels, err := PrefetchLevels(r, skus).Wait()
	if err != nil {
		return nil, err
	}
	p := NewShiftPlan(levels)
	if err := p.Choose(r, shifts); err != nil {
		return nil, err
	}
	if err := p.Add(shifts, reject); err != nil {
		return nil, err
	}
	return p, nil
}

// Add takes shifts with chosen warehouses. With reject it refuses to take more than is available, and takes none of them: Conflict naming
// the SKUs.
func (p *ShiftPlan) Add(shifts []Shift, reject bool) error {
	merged := merge(shifts)
	if reject {
		if err := enough(p.levels, merged); err != nil {
			return err
		}
	}
	for _, s := range merged {
		place := Place{s.SKU, s.Warehouse}
		level, known := p.levels[place]
		if !known {
			p.bySKU[s.SKU] = append(p.bySKU[s.SKU], place)
		}
		if _, shifted := p.before[place]; !shifted {
			p.before[place] = level
			p.places = append(p.places, place)
		}
		after := s.on(level)
		if takes := s.takes(); reject && takes > 0 {
			p.least[place] = max(p.least[place], p.before[place].Available()-level.Available()+takes)
		}
		p.levels[place] = after
	}
	return nil
}

// finish sorts out how each level is written.
func (p *ShiftPlan) finish() {
	if p.finished {
		return
	}
	p.finished = true
	slices.SortFunc(p.places, Place.compare)
	for _, place := range p.places {
		before, after := p.before[place], p.levels[place]
		if before.exists() && before.OnHand == after.OnHand && !before.Deleted {
			least, bounded := p.least[place]
			if !bounded {
				least = math.MinInt64
			}
			p.reserved = append(p.reserved, reservation{after, after.Reserved - before.Reserved, before.Low, least})
			p.writes.counts.move(&before, &after)
			p.changes = append(p.changes, changed(&before, &after))
			continue
		}
		p.writes.add(&before, &after)
		p.levels[place] = after
		p.changes = append(p.changes, p.writes.changes[len(p.writes.changes)-1])
	}
}

// Changed returns the changes of a plan that takes no more shifts; a nil plan has none.
func (p *ShiftPlan) Changed() []Change {
	if p == nil {
		return nil
	}
	p.finish()
	return p.changes
}

// Store queues the writes and the ledger of a plan that takes no more shifts. If a level changed since it was read in a way that matters,
// the operation runs again. A nil plan writes nothing.
func (p *ShiftPlan) Store(w db.Writer, why Why) {
	if p == nil {
		return
	}
	p.finish()
	if len(p.changes) == 0 {
		return
	}
	reserve(w, p.reserved)
	p.writes.send(w, why)
}

// on returns the level after the shift; before is the zero Level for a missing one. A deleted level is restored only if
// the shift's SKU belongs to its product.
func (s Shift) on(before Level) Level {
	after := before
	if !before.exists() || before.Deleted && s.alive {
		after.SKU, after.Warehouse, after.Product, after.Variant, after.Deleted = s.SKU, s.Warehouse, s.Product, s.Variant, false
	}
	after.OnHand += s.OnHand
	after.Reserved = max(0, after.Reserved+s.Reserve)
	after.Low = after.below()
	return after
}

// merge adds up shifts of the same level and sorts them by SKU: the order in which every operation locks levels.
func merge(shifts []Shift) []Shift {
	at := map[Place]int{}
	var out []Shift
	for _, s := range shifts {
		key := Place{s.SKU, s.Warehouse}
		if i, ok := at[key]; ok {
			out[i].Reserve += s.Reserve
			out[i].OnHand += s.OnHand
			out[i].alive = out[i].alive || s.alive
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

// enough is the 409 that names every SKU with too little available.
func enough(levels Levels, shifts []Shift) error {
	var short []string
	for _, s := range shifts {
		if takes := s.Reserve - s.OnHand; takes > 0 && levels[Place{s.SKU, s.Warehouse}].Available() < takes {
			short = append(short, s.SKU)
		}
	}
	if len(short) == 0 {
		return nil
	}
	slices.Sort(short)
	return apperr.New(apperr.Conflict, "insufficient_stock", "not enough stock of %s", join(slices.Compact(short))).With("skus", short)
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

// reservation is a level of which only the reserved quantity changes.
type reservation struct {
	after  Level
	delta  int64
	wasLow bool
	least  int64 // what must be available before
}

// reserve adds to the reserved quantities, so that orders of one SKU do not wait for each other. They run again only
// if the outcome would differ: the level becomes low or out of stock, or did through another order since it was read,
// or has less available than it must.
func reserve(w db.Writer, list []reservation) {
	offset := w.Stamps(len(list))
	db.Chunks(list, func(piece []reservation) error {
		args := append(make([]any, 0, 2+9*len(piece)), w.TenantID(), w.Micros())
		for _, r := range piece {
			args = append(args, r.after.SKU, r.after.Warehouse, r.delta, r.after.Low, r.wasLow, r.after.out(), r.after.Available()+r.delta <= 0,
				r.least, offset)
			offset += db.StampStep
		}
		w.Change(reserveText.For(len(piece), reserveRows), args...).Rows(int64(len(piece)), nil)
		return nil
	})
}

var reserveText db.Text

// reserveRows returns the statement for n levels. For one, SQLite would otherwise build a table of one row.
func reserveRows(n int) string {
	if n == 1 {
		return strings.NewReplacer("v.delta", "$5", "v.low", "$6", "v.was_low", "$7", "v.out", "$8", "v.was_out", "$9", "v.least", "$10",
			"v.at", "$11").Replace(reserveSets + " WHERE tenant_id = $1 AND sku = $3 AND warehouse_code = $4 AND " + reserveIf)
	}
	return `WITH v(tenant, sku, warehouse_code, delta, low, was_low, out, was_out, least, at) AS (VALUES ` +
		rows(n, 3, 0, "(#::BIGINT,$::TEXT,$::TEXT,$::BIGINT,$::BOOLEAN,$::BOOLEAN,$::BOOLEAN,$::BOOLEAN,$::BIGINT,$::BIGINT)") + `)
		` + reserveSets + ` FROM v WHERE ` + keyed + ` AND ` + reserveIf
}

const (
	reserveSets = "UPDATE stock_levels SET reserved = reserved + v.delta, low = v.low, updated_at = $2, changed_at = " + db.Clock + " + v.at"
	reserveIf   = live + ` AND NOT coalesce(threshold > on_hand - reserved - v.delta, FALSE) <> v.low AND NOT stock_levels.low <> v.was_low
		AND NOT (on_hand - reserved - v.delta <= 0) <> v.out AND NOT (on_hand - reserved <= 0) <> v.was_out
		AND on_hand - reserved >= v.least`
)
