package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/db"
	"entrepot/internal/webhooks"
)

// UpdateThresholds sets the available quantities below which stock is reported as low (interface §4.5). A level that
// is low by its new threshold is reported at once, and a missing level is created empty.
func (s *Service) UpdateThresholds(tx *db.Tx, who accounts.Caller, u StockUpdate) (Updated, error) {
	if err := calm(tx); err != nil {
		return Updated{}, err
	}
	sheet, settings, out, err := acceptStock(tx, who, u)
	if err != nil {
		return out, err
	}
	webhooks.Record(tx, StockEvents(tx, sheet.SetThresholds(tx, settings), "adjustment")...)
	return out, nil
}
