package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// DeleteWarehouse takes an empty warehouse away. Errors: NotFound; those of Expected; Conflict while it is the default, holds stock, or
// something is reserved in it.
func (s *Service) DeleteWarehouse(tx *db.Tx, _ accounts.Caller, warehouse id.Warehouse, expected Expected) error {
	w, err := holdWarehouse(tx, warehouse, expected)
	if err != nil {
		return err
	}
	return w.Delete(tx)
}
