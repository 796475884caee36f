package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
)

// planStock plans the changes of stock levels that follow from the order's change (before is nil for a new order):
// reservations by line, and on-hand by what was shipped or unshipped. The levels are the prefetched ones, or read if
// prefetched is nil.
func planStock(r db.Reader, prefetched *db.Pending[stock.Levels], before, o *orders.Order, reject bool) (*stock.ShiftPlan, error) {
	var shifts []stock.Shift
	var chosen []int // for each shift the index of the line whose warehouse it chooses, -1 for none
	move := func(l orders.Line, reserve, shipped int64, index int) {
		if l.Product != "" && (reserve != 0 || shipped != 0) {
			shifts = append(shifts, stock.Shift{SKU: l.SKU, Warehouse: l.Warehouse, Product: l.Product, Variant: l.Variant, Reserve: reserve,
				OnHand: -shipped})
			chosen = append(chosen, index)
		}
	}
	for i, l := range o.Lines {
		var old orders.Line
		if before != nil {
			if found := before.Line(l.ID); found != nil {
				old = *found
			}
		}
		if old.ID != "" && (old.SKU != l.SKU || old.Warehouse != l.Warehouse) {
			move(old, -old.Reserved, -old.Shipped, -1)
			old = orders.Line{}
		}
		move(l, l.Reserved-old.Reserved, l.Shipped-old.Shipped, i)
	}
	if before != nil {
		for _, l := range before.Lines {
			if o.Line(l.ID) == nil {
				move(l, -l.Reserved, -l.Shipped, -1)
			}
		}
	}
	if len(shifts) == 0 {
		return nil, nil
	}
	levels, err := stock.Choose(r, prefetched, shifts)
	if err != nil {
		return nil, err
	}
	for k, i := range chosen {
		if i >= 0 {
			o.Lines[i].Warehouse = shifts[k].Warehouse
		}
	}
	return stock.PlanShifts(levels, shifts, reject)
}

// holdStock is planStock with its writes.
func holdStock(tx *db.Tx, before, o *orders.Order, why stock.Why, reject bool) ([]stock.Change, error) {
	plan, err := planStock(tx, nil, before, o, reject)
	if err == nil {
		plan.Store(tx, why)
	}
	return plan.Changed(), err
}

// shiftStock plans and writes shifts of levels that were not read yet.
func shiftStock(tx *db.Tx, shifts []stock.Shift, why stock.Why) ([]stock.Change, error) {
	levels, err := stock.Choose(tx, nil, shifts)
	if err != nil {
		return nil, err
	}
	plan, err := stock.PlanShifts(levels, shifts, false)
	if err == nil {
		plan.Store(tx, why)
	}
	return plan.Changed(), err
}

// restock adds what was shipped to on-hand again.
func restock(tx *db.Tx, o *orders.Order, who accounts.Caller) ([]stock.Change, error) {
	var shifts []stock.Shift
	for _, l := range o.Lines {
		if l.Shipped > 0 && l.Product != "" {
			shifts = append(shifts, stock.Shift{SKU: l.SKU, Warehouse: l.Warehouse, Product: l.Product, Variant: l.Variant, OnHand: l.Shipped})
		}
	}
	return shiftStock(tx, shifts, stock.Why{Cause: stock.Return, ReferenceType: "order", ReferenceID: string(o.ID), Actor: who.Actor()})
}
