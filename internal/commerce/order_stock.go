package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/db"
	"entrepot/internal/orders"
	"entrepot/internal/stock"
)

// lineShifts are the changes of stock levels that follow from the order's change (before is nil for a new order):
// reservations by line, and on-hand by what was shipped or unshipped. chosen has for each shift the index of the line
// whose warehouse it chooses, -1 for none.
func lineShifts(before, o *orders.Order) (shifts []stock.Shift, chosen []int) {
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
	return shifts, chosen
}

// placeLines sets the warehouses that were chosen for the shifts of lineShifts in the order's lines.
func placeLines(o *orders.Order, shifts []stock.Shift, chosen []int) {
	for k, i := range chosen {
		if i >= 0 {
			o.Lines[i].Warehouse = shifts[k].Warehouse
		}
	}
}

// holdStock reads and writes the levels that an order's change shifts. reject is that of stock.ShiftPlan.Add.
func holdStock(tx *db.Tx, before, o *orders.Order, why stock.Why, reject bool) ([]stock.Change, error) {
	shifts, chosen := lineShifts(before, o)
	if len(shifts) == 0 {
		return nil, nil
	}
	plan, err := stock.PlanShifts(tx, shifts, reject)
	if err != nil {
		return nil, err
	}
	placeLines(o, shifts, chosen)
	plan.Store(tx, why)
	return plan.Changed(), nil
}

// shiftStock plans and writes shifts of levels.
func shiftStock(tx *db.Tx, shifts []stock.Shift, why stock.Why) ([]stock.Change, error) {
	plan, err := stock.PlanShifts(tx, shifts, false)
	if err == nil {
		plan.Store(tx, why)
	}
	return plan.Changed(), err
}

// restock adds shipped units to on-hand again.
func restock(tx *db.Tx, o *orders.Order, who accounts.Caller) ([]stock.Change, error) {
	var shifts []stock.Shift
	for _, l := range o.Lines {
		if l.Shipped > 0 && l.Product != "" {
			shifts = append(shifts, stock.Shift{SKU: l.SKU, Warehouse: l.Warehouse, Product: l.Product, Variant: l.Variant, OnHand: l.Shipped})
		}
	}
	return shiftStock(tx, shifts, stock.Why{Cause: stock.Return, ReferenceType: "order", ReferenceID: string(o.ID), Actor: who.Actor()})
}
