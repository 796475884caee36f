package stock

import (
	"cmp"
	"slices"
	"strings"

	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/id"
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

// PrefetchLevels are the levels of some SKUs, deleted ones too, as a pending read.
func PrefetchLevels(r db.Reader, skus []string) *db.Pending[Levels] {
	p := &db.Pending[Levels]{Value: make(Levels, len(skus))}
	return p.Await(prefetchLevels(r, slices.Clone(skus), "", func(l Level) { p.Value[l.Place()] = l })...)
}

// ShiftPlan is the changes of levels, to be stored.
type ShiftPlan struct {
	changes  []Change // each level after the change
	reserved []reservation
	writes   writes
	reject   bool
}

// PlanShifts computes the changes of levels by shifts with chosen warehouses, and updates levels. With reject it
// refuses to take more than is available: Conflict naming the SKUs.
func PlanShifts(levels Levels, shifts []Shift, reject bool) (*ShiftPlan, error) {
	merged := merge(shifts)
	if reject {
		if err := enough(levels, merged); err != nil {
			return nil, err
		}
	}
	p := &ShiftPlan{changes: make([]Change, 0, len(merged)), reject: reject}
	for _, s := range merged {
		before := levels[Place{s.SKU, s.Warehouse}]
		after := s.on(before)
		levels[after.Place()] = after
		if before.exists() && s.OnHand == 0 && !before.Deleted {
			p.reserved = append(p.reserved, reservation{after, after.Reserved - before.Reserved, before.Low})
			p.writes.counts.move(&before, &after)
			p.changes = append(p.changes, changed(&before, &after))
			continue
		}
		p.writes.add(&before, &after)
		p.changes = append(p.changes, p.writes.changes[len(p.writes.changes)-1])
	}
	return p, nil
}

// Changed are the changes of a plan; a nil plan has none.
func (p *ShiftPlan) Changed() []Change {
	if p == nil {
		return nil
	}
	return p.changes
}

// Store queues the writes and the ledger. If a level changed since it was read in a way that matters, the operation
// runs again. A nil plan writes nothing.
func (p *ShiftPlan) Store(w db.GuardedWriter, why Why) {
	if p == nil {
		return
	}
	reserve(w, p.reserved, p.reject)
	p.writes.send(w, why)
}

// on is the level after the shift; before is the zero Level for a missing one. A deleted level is restored only if the
// shift's SKU belongs to its product.
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
}

// reserve adds to the reserved quantities, so that orders of one SKU do not wait for each other. They run again only
// if the outcome would differ: the level becomes low or out of stock, or did through another order since it was read,
// or has too little under reject.
func reserve(w db.GuardedWriter, list []reservation, reject bool) {
	offset := w.Stamps(len(list))
	db.Chunks(list, func(piece []reservation) error {
		args := append(make([]any, 0, 2+9*len(piece)), w.TenantID(), reject)
		for _, r := range piece {
			args = append(args, r.after.SKU, r.after.Warehouse, r.delta, r.after.Low, r.wasLow, r.after.out(), r.after.Available()+r.delta <= 0,
				offset, w.Micros())
			offset += db.StampStep
		}
		w.PutRowsStamped(db.Touches(int64(len(piece))), reserveRows, args...)
		return nil
	})
}

var reserveRows = &db.Form{Head: 2, Width: 9, Key: []int{0, 1}, Stamps: []int{7},
	Build: func(n int) string {
		return reserveText("tenant", rows(n, 3, 0, "(#::BIGINT,"+reserveRow), db.Clock, "$2::BOOLEAN")
	},
	Mixed: func(n int) string {
		return reserveText("tenant, reject", rows(n, 1, 0, "($::BIGINT,$::BOOLEAN,"+reserveRow), db.ClockOf("v.tenant"), "v.reject")
	},
	One: strings.NewReplacer("v.delta", "$5", "v.low", "$6", "v.was_low", "$7", "v.out", "$8", "v.was_out", "$9", "v.at", "$10",
		"v.now", "$11").Replace(reserveSets(db.Clock) +
		" WHERE tenant_id = $1 AND sku = $3 AND warehouse_code = $4 AND " + reserveIf("$2"))}

const reserveRow = "$::TEXT,$::TEXT,$::BIGINT,$::BOOLEAN,$::BOOLEAN,$::BOOLEAN,$::BOOLEAN,$::BIGINT,$::BIGINT)"

func reserveText(head, rows, clock, reject string) string {
	return `WITH v(` + head + `, sku, warehouse_code, delta, low, was_low, out, was_out, at, now) AS (VALUES ` + rows + `)
		` + reserveSets(clock) + ` FROM v WHERE ` + keyed + ` AND ` + reserveIf(reject)
}

func reserveSets(clock string) string {
	return "UPDATE stock_levels SET reserved = reserved + v.delta, low = v.low, updated_at = v.now, changed_at = " + clock + " + v.at"
}

func reserveIf(reject string) string {
	return live + ` AND NOT coalesce(threshold > on_hand - reserved - v.delta, FALSE) <> v.low AND NOT stock_levels.low <> v.was_low
		AND NOT (on_hand - reserved - v.delta <= 0) <> v.out AND NOT (on_hand - reserved <= 0) <> v.was_out
		AND (NOT ` + reject + ` OR v.delta <= 0 OR on_hand - reserved >= v.delta)`
}
