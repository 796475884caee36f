package stock

import (
	"cmp"
	"errors"
	"slices"

	"entrepot/internal/base/id"
	"entrepot/internal/db"
)

// Choose sets the warehouse of shifts without one: the default warehouse if it has enough for all of them that have the
// SKU, else the one with the most available, else the default. If that warehouse has too little for all, each of
// several shifts gets a warehouse on its own. Units that the other shifts release or take count: a line that replaces
// another finds the units of the replaced line. The plan must have the levels of the shifts' SKUs.
func (p *ShiftPlan) Choose(r db.Reader, shifts []Shift) error {
	if err := follow(r, p.levels, shifts); err != nil {
		return err
	}
	bySKU, open := map[string][]Level{}, map[string][]int{} // open: the shifts without a warehouse
	var freed map[Place]int64                               // by the shifts that have a warehouse; nil for a new order, which has none
	for i, s := range shifts {
		if s.Warehouse == "" {
			open[s.SKU] = append(open[s.SKU], i)
			continue
		}
		if freed == nil {
			freed = map[Place]int64{}
		}
		freed[Place{s.SKU, s.Warehouse}] += s.OnHand - s.Reserve
	}
	for sku := range open {
		for _, l := range p.bySKU[sku] {
			if l := p.levels[l]; !l.Deleted {
				l.OnHand += freed[l.Place()]
				bySKU[sku] = append(bySKU[sku], l)
			}
		}
	}
	for sku, which := range open {
		if p.fallback == "" && len(bySKU[sku]) != 1 {
			var err error
			if p.fallback, err = defaultWarehouse(r); err != nil {
				return err
			}
		}
		placeAll(bySKU[sku], p.fallback, shifts, which)
	}
	return nil
}

// follow handles shifts of older lines whose level was deleted. If the level went with its product, the reservation
// stays there. If it went with its warehouse, which had nothing reserved, another warehouse is chosen.
func follow(r db.Reader, levels Levels, shifts []Shift) error {
	for i := range shifts {
		s := &shifts[i]
		l, ok := levels[Place{s.SKU, s.Warehouse}]
		if s.alive = s.Warehouse == "" || ok && !l.Deleted; s.alive {
			continue
		}
		var product id.Product
		err := r.Row("SELECT product_id FROM skus WHERE tenant_id = $1 AND sku = $2", []any{r.TenantID(), s.SKU}, &product)
		if err != nil && !errors.Is(err, db.ErrNoRow) {
			return err
		}
		s.alive = product == s.Product
		there, err := HasWarehouse(r, s.Warehouse)
		if err != nil {
			return err
		}
		if !there {
			s.Warehouse = ""
		}
	}
	return nil
}

// placeAll chooses the warehouse of some shifts of one SKU: the same for all, unless no warehouse has enough for that;
// otherwise one for each, the largest shift first, as the smaller ones fit in more warehouses. It changes levels, which
// are the levels of the SKU.
func placeAll(levels []Level, fallback string, shifts []Shift, which []int) {
	var wanted int64
	for _, i := range which {
		wanted += shifts[i].takes()
	}
	warehouse := place(levels, fallback, wanted)
	level := func() *Level {
		return &levels[slices.IndexFunc(levels, func(l Level) bool { return l.Warehouse == warehouse })]
	}
	apart := len(levels) > 1 && level().Available() < wanted
	if apart {
		slices.SortStableFunc(which, func(a, b int) int { return cmp.Compare(shifts[b].takes(), shifts[a].takes()) })
	}
	for _, i := range which {
		if apart {
			warehouse = place(levels, fallback, shifts[i].takes())
			level().Reserved += shifts[i].takes()
		}
		shifts[i].Warehouse = warehouse
	}
}

// takes returns how many available units the shift takes: an order that is created as shipped reserves nothing.
func (s Shift) takes() int64 { return s.Reserve - s.OnHand }

// place returns the warehouse that takes wanted units: fallback if it has enough, else the one with the most available.
// Of several with equally much, fallback wins, otherwise the first code, whatever order the levels come in.
func place(levels []Level, fallback string, wanted int64) string {
	best := fallback
	var most int64
	for i, l := range levels {
		if l.Warehouse == fallback && l.Available() >= wanted {
			return fallback
		}
		equal := l.Available() == most && best != fallback && (l.Warehouse == fallback || l.Warehouse < best)
		if i == 0 || l.Available() > most || equal {
			best, most = l.Warehouse, l.Available()
		}
	}
	return best
}
