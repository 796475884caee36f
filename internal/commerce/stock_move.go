package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// Movement is a caller's input for stock that was received or counted (interface §4.5.5).
type Movement struct {
	SKU       string
	Warehouse string      // "" for the default
	Cause     stock.Cause // Receive or Adjustment
	Quantity  int64       // signed, not 0
	Reason    string
}

// MoveStock adds a difference to on-hand of one SKU and returns the ledger row. On-hand may become negative: the
// ledger records what it is given. Errors: NotFound for an unknown SKU or warehouse.
func (s *Service) MoveStock(tx *db.Tx, who accounts.Caller, in Movement) (stock.Movement, error) {
	reason := "movement"
	if in.Cause == stock.Adjustment {
		reason = "adjustment"
	}
	levels, settings, err := lookAt(tx, in.SKU, in.Warehouse)
	if err != nil {
		return stock.Movement{}, err
	}
	settings[0].Quantity = in.Quantity
	changes, ledger := levels.Add(tx, settings, stock.Why{Cause: in.Cause, Note: in.Reason, Actor: who.Actor()})
	webhooks.Record(tx, stockEvents(tx, changes, reason)...)
	return ledger[0], nil
}

// calm locks the account's change clock in a transaction that has lost a race, so that it does not lose again to
// orders of the same SKU.
func calm(tx *db.Tx) error {
	if tx.Try() == 0 {
		return nil
	}
	return tx.LockClock()
}

// lookAt reads the levels of one SKU in some warehouses, "" being the default one. Errors: those of MoveStock.
func lookAt(tx *db.Tx, sku string, warehouses ...string) (*stock.Snapshot, []stock.StockInput, error) {
	if err := calm(tx); err != nil {
		return nil, nil, err
	}
	found, err := catalog.Resolve(tx, []string{sku})
	if err != nil {
		return nil, nil, err
	}
	item, ok := found[sku]
	if !ok {
		return nil, nil, apperr.Missing("SKU " + sku)
	}
	settings := make([]stock.StockInput, len(warehouses))
	for i, code := range warehouses {
		settings[i] = stock.StockInput{SKU: sku, Product: item.Product, Variant: item.Variant, Warehouse: code}
	}
	levels, err := stock.ReadSnapshot(tx, settings)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range settings {
		if !levels.Knows(t.Warehouse) {
			return nil, nil, apperr.Missing("warehouse " + t.Warehouse)
		}
	}
	return levels, settings, nil
}
