package commerce

import (
	"maps"
	"slices"
	"strconv"

	"entrepot/internal/accounts"
	"entrepot/internal/base/id"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/records"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// snapshot is what the store has of everything that drafts of products name, and the stock that they set.
type snapshot struct {
	known    *catalog.Lookup
	levels   *stock.Snapshot
	strict   bool                    // unknown warehouses are refused
	settings []stock.StockInput      // of all drafts, in their order
	at       map[*catalog.Draft]span // the settings of each draft
	accepted []stock.StockInput
}

// span is a part of a list.
type span struct{ from, to int }

func readSnapshot(tx *db.Tx, who accounts.Caller, drafts []catalog.Draft) (*snapshot, error) {
	s := &snapshot{strict: who.Settings.StrictWarehouses, at: map[*catalog.Draft]span{}}
	for i := range drafts {
		s.note(&drafts[i])
	}
	var err error
	if s.known, err = catalog.ReadFor(tx, drafts, records.Media); err != nil {
		return nil, err
	}
	if len(s.settings) > 0 {
		s.levels, err = stock.ReadSnapshot(tx, s.settings)
	}
	return s, err
}

// note adds the stock that a draft sets.
func (s *snapshot) note(d *catalog.Draft) {
	before := len(s.settings)
	add := func(sku string, list []catalog.StockDraft) {
		for _, l := range list {
			s.settings = append(s.settings, stock.StockInput{SKU: sku, Warehouse: l.Warehouse, Quantity: l.Quantity})
		}
	}
	add(d.SKU, d.Stock)
	for i := range d.Variants {
		add(d.Variants[i].SKU, d.Variants[i].Stock)
	}
	if n := len(s.settings) - before; n > 0 {
		s.at[d] = span{before, before + n}
	}
}

// diff computes the change of one draft and, if it is valid, of its stock.
func (s *snapshot) diff(d *catalog.Draft, replace bool) (catalog.Change, []catalog.ItemError) {
	settings, sets := s.at[d]
	if sets && s.strict {
		if errs := s.unknown(d); len(errs) > 0 {
			return catalog.Change{}, errs
		}
	}
	r, errs := s.known.Diff(d, replace)
	if len(errs) > 0 || !sets {
		return r, errs
	}
	for _, t := range s.settings[settings.from:settings.to] {
		t.Product = r.After.ID
		for j := range r.After.Variants {
			if r.After.Variants[j].SKU == t.SKU {
				t.Variant = r.After.Variants[j].ID
			}
		}
		s.accepted = append(s.accepted, t)
	}
	return r, nil
}

// unknown are the warehouses that a draft names and the account does not have.
func (s *snapshot) unknown(d *catalog.Draft) (errs []catalog.ItemError) {
	settings := s.settings[s.at[d].from:]
	look := func(at string, list []catalog.StockDraft) {
		for i, l := range list {
			if s.levels.Knows(settings[i].Warehouse) {
				continue
			}
			field := at + "stock.warehouseCode"
			if l.Listed {
				field = at + "levels[" + strconv.Itoa(i) + "].warehouseCode"
			}
			errs = append(errs, catalog.ItemError{Field: field, Code: "unknown_warehouse",
				Message: field + " " + settings[i].Warehouse + " is not a warehouse of this account"})
		}
		settings = settings[len(list):]
	}
	look("", d.Stock)
	for i := range d.Variants {
		look("variants["+strconv.Itoa(i)+"].", d.Variants[i].Stock)
	}
	return errs
}

// levelChanges are the levels whose quantity an accepted draft would change.
func (s *snapshot) levelChanges(d *catalog.Draft) (list []LevelChange) {
	settings := s.at[d]
	for _, t := range s.settings[settings.from:settings.to] {
		c := LevelChange{SKU: t.SKU, Warehouse: t.Warehouse, To: t.Quantity}
		if s.levels.Stocked(t) {
			onHand := s.levels.OnHand(t)
			if c.From = &onHand; onHand == t.Quantity {
				continue
			}
		}
		list = append(list, c)
	}
	return list
}

// save queues the changes, with the stock that they set, and returns the events of the stock, including stock written
// off with removed variants: their product is still there, and their SKUs may come back without stock.
func (s *snapshot) save(tx *db.Tx, who accounts.Caller, changes []catalog.Change) (events []webhooks.Event, err error) {
	why := stock.Why{Cause: stock.Import, Actor: who.Actor()}
	var gone []string
	for i := range changes {
		for _, v := range changes[i].Removed {
			gone = append(gone, v.SKU)
		}
	}
	if len(gone) > 0 {
		if err := tx.LockClock(); err != nil { // or a level that another transaction creates meanwhile would stay
			return nil, err
		}
		writtenOff, err := stock.DeleteFor(tx, gone, why)
		if err != nil {
			return nil, err
		}
		events = stockEvents(tx, writtenOff, string(stock.Import))
	}
	returning, restored, err := s.returning(tx, changes)
	if err != nil {
		return nil, err
	}
	catalog.Save(tx, changes)
	var moved []stock.Change
	if len(restored) > 0 {
		moved = returning.Set(tx, restored, why)
	}
	if len(s.accepted) > 0 {
		moved = append(moved, s.levels.Set(tx, s.accepted, why)...)
	}
	return append(events, stockEvents(tx, moved, string(stock.Import))...), nil
}

// returning are the deleted levels that changes restore, because they make their SKUs again: open orders reserve from
// them. Setting a level restores it as well.
func (s *snapshot) returning(tx *db.Tx, changes []catalog.Change) (*stock.Snapshot, []stock.StockInput, error) {
	type owner struct {
		product id.Product
		variant id.Variant
	}
	owners := map[string]owner{}
	for i := range changes {
		r := &changes[i]
		had := map[string]bool{}
		if r.IsNew() {
			owners[r.After.SKU] = owner{product: r.After.ID}
		} else {
			for _, v := range r.Before.Variants {
				had[v.SKU] = true
			}
		}
		for _, v := range r.Written {
			if !had[v.SKU] {
				owners[v.SKU] = owner{r.After.ID, v.ID}
			}
		}
	}
	levels, list, err := stock.Returning(tx, slices.Collect(maps.Keys(owners)))
	list = slices.DeleteFunc(list, func(t stock.StockInput) bool {
		return slices.ContainsFunc(s.accepted, func(set stock.StockInput) bool { return set.SKU == t.SKU && set.Warehouse == t.Warehouse })
	})
	for i := range list {
		list[i].Product, list[i].Variant = owners[list[i].SKU].product, owners[list[i].SKU].variant
	}
	return levels, list, err
}

// productEvents are the events of created and changed products.
func productEvents(changes []catalog.Change, who accounts.Caller) []webhooks.Event {
	events := make([]webhooks.Event, 0, len(changes))
	for i := range changes {
		r := &changes[i]
		switch {
		case r.IsNew():
			events = append(events, productEvent(webhooks.ProductCreated, &r.After, who.Currency))
		case r.Changed():
			events = append(events, productUpdated(r.After.ID, r.After.SKU, r.After.Name, r.Fields))
		}
	}
	return events
}
