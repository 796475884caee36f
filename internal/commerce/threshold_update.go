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
	items, err := readStockItems(tx, u)
	if err != nil {
		return Updated{}, err
	}
	settings, err := items.accept(tx, who)
	if err != nil {
		return Updated{}, err
	}
	webhooks.Record(tx, stockEvents(tx, items.levels.SetThresholds(tx, settings), "adjustment")...)
	return items.Updated, nil
}
