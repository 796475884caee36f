package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// DeleteWarehouse deletes an empty warehouse. Errors: NotFound; those of Expected; Conflict if it is the default, has
// stock, or something is reserved in it.
func (s *Service) DeleteWarehouse(tx *db.Tx, who accounts.Caller, warehouse id.Warehouse, expected Expected) error {
	w, err := holdWarehouse(tx, warehouse, expected)
	if err != nil {
		return err
	}
	audit.Record(tx, who.Actor(), "warehouse.deleted", "warehouse", string(w.ID), map[string]string{"code": w.Code})
	return w.Delete(tx)
}
