package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/id"
	"entrepot/internal/base/patch"
	"entrepot/internal/db"
	"entrepot/internal/stock"
)

// WarehouseDraft is a caller's input for a warehouse (interface §4.5.3). In an update, absent fields stay.
type WarehouseDraft struct {
	Code    patch.Field[string]
	Name    patch.Field[string]
	Default patch.Field[bool]
	Address patch.Field[string] // free JSON; null clears
}

// CreateWarehouse creates a warehouse, as the audit log says. Errors: Conflict when the code is taken.
func (s *Service) CreateWarehouse(tx *db.Tx, who accounts.Caller, d WarehouseDraft) (stock.Warehouse, error) {
	w := stock.Warehouse{ID: id.New[id.Warehouse](), Code: d.Code.Value, Name: d.Name.Value, Default: d.Default.Value,
		Address: d.Address.Value, CreatedAt: tx.Micros()}
	taken, err := stock.HasWarehouse(tx, w.Code)
	if err == nil && taken {
		err = stock.CodeTaken(w.Code)
	}
	if err != nil {
		return w, err
	}
	w.Insert(tx)
	audit.Record(tx, who.Actor(), "warehouse.created", "warehouse", string(w.ID), nil)
	return w, nil
}
