package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/catalog"
	"entrepot/internal/db"
	"entrepot/internal/fault"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// Movement is stock that came, went or was counted anew, as a caller tells it (interface §4.5).
type Movement struct {
	SKU       string
	Warehouse string      // "" for the default
	Cause     stock.Cause // Receive or Adjustment
	Quantity  int64       // signed, not 0
	Reason    string
}

// MoveStock moves on-hand of one SKU by a difference and gives the ledger row. What is on hand may go below 0: the ledger keeps
// what it is told. Faults: NotFound for an unknown SKU, and for an unknown warehouse where the account does not make them on
// the fly.
func (s *Service) MoveStock(tx *db.Tx, who accounts.Caller, in Movement) (stock.Movement, error) {
	reason := "movement"
	if in.Cause == stock.Adjustment {
		reason = "adjustment"
	}
	sheet, settings, err := lookAt(tx, who, in.SKU, in.Warehouse)
	if err != nil {
		return stock.Movement{}, err
	}
	settings[0].Quantity = in.Quantity
	changes, ledger := sheet.Add(tx, settings, stock.Why{Cause: in.Cause, Note: in.Reason, Actor: who.Actor()})
	webhooks.Record(tx, StockEvents(tx, changes, reason)...)
	return ledger[0], nil
}

// calm keeps a transaction that has lost a race from losing it to orders of the same SKU again: it holds the account's change clock
// while it reads levels.
func calm(tx *db.Tx) error {
	if tx.Try() == 0 {
		return nil
	}
	return tx.LockClock()
}

// lookAt reads the levels of one SKU in some warehouses, "" being the default one. Faults: as of MoveStock.
func lookAt(tx *db.Tx, who accounts.Caller, sku string, warehouses ...string) (*stock.Sheet, []stock.Setting, error) {
	if err := calm(tx); err != nil {
		return nil, nil, err
	}
	found, err := catalog.Resolve(tx, []string{sku})
	if err != nil {
		return nil, nil, err
	}
	item, ok := found[sku]
	if !ok {
		return nil, nil, fault.Missing("SKU " + sku)
	}
	settings := make([]stock.Setting, len(warehouses))
	for i, code := range warehouses {
		settings[i] = stock.Setting{SKU: sku, Product: item.Product, Variant: item.Variant, Warehouse: code}
	}
	sheet, err := stock.Look(tx, settings)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range settings {
		if who.Settings.StrictWarehouses && !sheet.Knows(t.Warehouse) {
			return nil, nil, fault.Missing("warehouse " + t.Warehouse)
		}
	}
	return sheet, settings, nil
}
