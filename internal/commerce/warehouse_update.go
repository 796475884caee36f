package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apijson"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/records"
	"entrepot/internal/stock"
)

// holdWarehouse reads a warehouse that an operation changes. Writers of stock lock warehouses after the account's
// change clock, so it locks no row: for a caller who expects certain versions, it locks the clock. Errors: NotFound;
// those of Expected.
func holdWarehouse(tx *db.Tx, warehouse id.Warehouse, expected Expected) (stock.Warehouse, error) {
	if expected.conditional() {
		if err := tx.LockClock(); err != nil {
			return stock.Warehouse{}, err
		}
	}
	w, err := stock.WarehouseByID(tx, warehouse)
	if err == nil {
		err = expected.check(func(out *apijson.Writer) { records.WriteWarehouse(out, "data", w) })
	}
	return w, err
}

// UpdateWarehouse changes a warehouse. Errors: NotFound; those of Expected; Invalid for another code, because stock
// and orders refer to it; Conflict when the default one would no longer be the default, without another one becoming
// it.
func (s *Service) UpdateWarehouse(tx *db.Tx, who accounts.Caller, warehouse id.Warehouse, expected Expected,
	d WarehouseDraft) (stock.Warehouse, error) {
	w, err := holdWarehouse(tx, warehouse, expected)
	if err != nil {
		return w, err
	}
	before := w
	if d.Code.Set && d.Code.Value != w.Code {
		return w, apperr.At("code", "cannot be changed: stock and orders know the warehouse by it")
	}
	w.Name = d.Name.Or(w.Name)
	w.Default = d.Default.Or(w.Default)
	if d.Address.Set {
		w.Address = d.Address.Value
	}
	if before.Default && !w.Default {
		return w, apperr.New(apperr.Conflict, "conflict", "%s is the default warehouse, make another one the default instead", w.Code)
	}
	if w != before {
		w.Save(tx, before)
		audit.Record(tx, who.Actor(), "warehouse.updated", "warehouse", string(w.ID), nil,
			audit.Diff(auditedWarehouse(before), auditedWarehouse(w))...)
	}
	return w, nil
}
