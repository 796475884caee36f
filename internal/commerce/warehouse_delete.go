package commerce

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// DeleteWarehouse deletes an empty warehouse. Errors: NotFound; those of Expected; Conflict if it is the default, has
// stock, or something is reserved in it.
func (s *Service) DeleteWarehouse(tx *db.Tx, warehouse id.Warehouse, expected Expected) error {
	w, err := holdWarehouse(tx, warehouse, expected)
	if err != nil {
		return err
	}
	return w.Delete(tx)
}
