package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/apperr"
	"entrepot/internal/db"
	"entrepot/internal/stock"
)

// UpdateWarehouse changes a warehouse that was read in this transaction. Errors: Invalid for another code, by which stock and orders
// know it; Conflict when the default one shall no longer be it, without another one being made so.
func (s *Service) UpdateWarehouse(tx *db.Tx, _ accounts.Caller, w stock.Warehouse, d WarehouseDraft) (stock.Warehouse, error) {
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
