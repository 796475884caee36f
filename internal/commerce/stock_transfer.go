package commerce

import (
	"entrepot/internal/accounts"
	"entrepot/internal/base/apperr"
	"entrepot/internal/db"
	"entrepot/internal/stock"
	"entrepot/internal/webhooks"
)

// Transfer is a caller's input to move stock of one SKU from one warehouse to another (interface §4.5.5).
type Transfer struct {
	SKU      string
	From, To string // codes of two warehouses
	Quantity int64  // above 0
	Reason   string
}

// TransferStock moves on-hand between two warehouses in one operation and returns the ledger rows: out, in.
// Reservations stay where they are. Errors: NotFound as for MoveStock; Conflict when the first warehouse has less on
// hand.
func (s *Service) TransferStock(tx *db.Tx, who accounts.Caller, in Transfer) ([]stock.Movement, error) {
	levels, settings, err := lookAt(tx, in.SKU, in.From, in.To)
	if err != nil {
		return nil, err
	}
	if has := levels.OnHand(settings[0]); has < in.Quantity {
		return nil, apperr.New(apperr.Conflict, "insufficient_stock", "%s has %d of %s on hand, less than %d", in.From, has, in.SKU,
			in.Quantity).With("skus", []string{in.SKU})
	}
	settings[0].Quantity, settings[1].Quantity = -in.Quantity, in.Quantity
	changes, ledger := levels.Add(tx, settings, stock.Why{Cause: stock.Transfer, Note: in.Reason, Actor: who.Actor()})
	webhooks.Record(tx, stockEvents(tx, changes, "transfer")...)
	return ledger, nil
}
