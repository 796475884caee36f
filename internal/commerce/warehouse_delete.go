package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/stock"
)

// DeleteWarehouse takes an empty warehouse away. Errors: NotFound; Conflict while it is the default, holds stock, or something
// is reserved in it.
func (s *Service) DeleteWarehouse(tx *db.Tx, _ accounts.Caller, warehouse id.Warehouse) error {
	w, err := stock.WarehouseByID(tx, warehouse)
	if err != nil {
		return err
	}
	return w.Delete(tx)
}
