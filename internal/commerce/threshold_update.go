package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/db"
)

// UpdateThresholds is the bulk update of the available quantities below which stock is reported as low (interface
// §4.5.5). A level that is low by its new threshold is reported at once, and a missing level is created empty.
func (s *Service) UpdateThresholds(who accounts.Caller, u StockUpdate) *Bulk[*StockPlan] {
	u.thresholds = true
	return s.UpdateInventory(who, u)
}

// SetThresholds is UpdateThresholds in the caller's transaction, for a few levels.
func (s *Service) SetThresholds(tx *db.Tx, who accounts.Caller, u StockUpdate) (Updated, error) {
	if err := calm(tx); err != nil {
		return Updated{}, err
	}
	u.thresholds = true
	plan, err := s.PlanInventory(tx, who, u)
	if err != nil {
		return Updated{}, err
	}
	return plan.Apply(tx, who)
}
