package commerce

import (
	"context"
	"errors"

	"entrepot/internal/accounts"
	"entrepot/internal/apperr"
	"entrepot/internal/audit"
	"entrepot/internal/db"
	"entrepot/internal/id"
	"entrepot/internal/stock"
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

// EmptyWarehouse precedes DeleteWarehouse: of a warehouse with many levels it removes those that are empty, in short transactions, so that
// few are left for the deletion. It removes none if the deletion would be refused, which says why. If that is refused later, or never
// comes, nothing is lost: a level is there again when its stock is set.
func (s *Service) EmptyWarehouse(ctx context.Context, store *db.DB, tenant id.Tenant, warehouse id.Warehouse, expected Expected) error {
	few := s.atOnce() * textsAtOnce
	many := false
	err := store.Read(ctx, tenant, func(tx *db.Tx) error {
		w, err := stock.WarehouseByID(tx, warehouse)
		if err == nil {
			many, err = w.HasMore(tx, few)
		}
		return err
	})
	if err == nil && many {
		err = before(ctx, s, store, tenant, func(tx *db.Tx, last string, orders int) (to string, err error) {
			w, err := holdWarehouse(tx, warehouse, expected)
			if err == nil && last == "" {
				err = w.MayBeDeleted(tx)
			}
			if err != nil {
				return "", err
			}
			return w.RemoveEmpty(tx, last, orders*textsAtOnce)
		})
	}
	var refused *apperr.Error
	if errors.As(err, &refused) {
		return nil
	}
	return err
}
