package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/apijson"
	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/stock"
)

// WarehouseDraft is what a caller says of a warehouse (interface §4.5). On a change, what is absent stays.
type WarehouseDraft struct {
	Code    apijson.Field[string]
	Name    apijson.Field[string]
	Default apijson.Field[bool]
	Address apijson.Field[string] // free JSON; null clears
}

// CreateWarehouse makes a warehouse. Errors: Conflict when the code is taken.
func (s *Service) CreateWarehouse(tx *db.Tx, _ accounts.Caller, d WarehouseDraft) (stock.Warehouse, error) {
	w := stock.Warehouse{ID: id.New[id.Warehouse](), Code: d.Code.Value, Name: d.Name.Value, Default: d.Default.Value, Address: d.Address.Value, CreatedAt: tx.Micros()}
	taken, err := stock.HasWarehouse(tx, w.Code)
	if err == nil && taken {
		err = stock.CodeTaken(w.Code)
	}
	if err != nil {
		return w, err
	}
	w.Insert(tx)
	return w, nil
}

// SaveWarehouse changes a warehouse that was read in this transaction. Errors: Invalid for another code, by which stock and orders
// know it; Conflict when the default one shall no longer be it, without another one being made so.
func (s *Service) SaveWarehouse(tx *db.Tx, _ accounts.Caller, w stock.Warehouse, d WarehouseDraft) (stock.Warehouse, error) {
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
	}
	return w, nil
}

// DeleteWarehouse takes an empty warehouse away. Errors: NotFound; Conflict while it is the default, holds stock, or something
// is reserved in it.
func (s *Service) DeleteWarehouse(tx *db.Tx, _ accounts.Caller, warehouse id.Warehouse) error {
	w, err := stock.WarehouseByID(tx, warehouse)
	if err != nil {
		return err
	}
	return w.Delete(tx)
}
