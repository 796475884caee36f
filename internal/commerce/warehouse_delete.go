package commerce

import (
	"context"
	"errors"

	"entrepot/internal/accounts"
	"entrepot/internal/audit"
	"entrepot/internal/base/apperr"
	"entrepot/internal/base/id"
	"entrepot/internal/db"
	"entrepot/internal/jobs"
	"entrepot/internal/stock"
)

// DeleteWarehouse deletes an empty warehouse. EmptyWarehouse precedes it, and FinishWarehouse must follow, whatever
// it returns. Errors: NotFound; those of Expected; Conflict if it is the default, has stock, or something is reserved
// in it.
func (s *Service) DeleteWarehouse(tx *db.Tx, who accounts.Caller, warehouse id.Warehouse, expected Expected) error {
	begun, err := jobs.LockOperation(tx, jobs.WarehouseEmptied, string(warehouse))
	if err != nil {
		return err
	}
	w, err := holdWarehouse(tx, warehouse, expected)
	if err != nil {
		return err
	}
	if begun != nil {
		begun.Cursor = w.Code
		begun.StepDone(tx)
	}
	audit.Record(tx, who.Actor(), "warehouse.deleted", "warehouse", string(w.ID), map[string]string{"code": w.Code})
	return w.Delete(tx)
}

// EmptyWarehouse precedes DeleteWarehouse: of a warehouse with many levels it removes those that are empty, in short
// transactions, so that few are left for the deletion. It removes none if the deletion would be refused, which says
// why. If that is refused later, or never comes, FinishWarehouse restores those with a threshold; any other is there
// again when its stock is set.
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
			begun, err := jobs.LockOperation(tx, jobs.WarehouseEmptied, string(warehouse))
			if err != nil {
				return "", err
			}
			w, err := holdWarehouse(tx, warehouse, expected)
			if err == nil && last == "" {
				err = w.MayBeDeleted(tx)
			}
			if err != nil {
				return "", err
			}
			if to, err = w.RemoveEmpty(tx, last, orders*textsAtOnce); begun != nil {
				begun.StepDone(tx)
			} else if to != "" {
				jobs.Begin(tx, jobs.WarehouseEmptied, string(warehouse), "{}")
			}
			return to, err
		})
	}
	var refused *apperr.Error
	if errors.As(err, &refused) {
		return nil
	}
	return err
}

// FinishWarehouse ends what EmptyWarehouse has begun, in short transactions: the thresholds of the levels that it has
// removed are forgotten if the warehouse is deleted; otherwise these are restored. Several processes may do it at
// once, and each returns when all is done.
func (s *Service) FinishWarehouse(ctx context.Context, store *db.DB, tenant id.Tenant, warehouse id.Warehouse) error {
	do := s.operation(store, tenant, jobs.WarehouseEmptied, string(warehouse))
	for {
		more, err := do.step(ctx, func(tx *db.Tx, begun *jobs.Job) (bool, error) {
			code, limit, n := begun.Cursor, do.batch.Size*textsAtOnce, 0
			w, err := stock.WarehouseByID(tx, warehouse)
			if err == nil {
				code = w.Code
				n, err = w.RestoreLevels(tx, limit)
			} else if apperr.Is(err, apperr.NotFound) {
				err = nil
			}
			if err == nil && n == 0 {
				n, err = stock.ForgetThresholds(tx, code, limit)
			}
			if err == nil && n == 0 {
				begun.LastStepDone(tx)
			}
			return n > 0, err
		})
		if err != nil || !more {
			return orEnded(err)
		}
	}
}
