package stock

import (
	"entrepot/internal/db"
	"entrepot/internal/id"
)

// Movement is one row of the ledger.
type Movement struct {
	ID        id.Movement
	SKU       string
	Warehouse string
	Delta     int64
	Balance   int64 // on-hand after it
	At        int64
	Why
}

// NewMovement is the ledger row of a change of on-hand.
func NewMovement(tx *db.Tx, c Change, why Why) Movement {
	return Movement{ID: id.New[id.Movement](), SKU: c.SKU, Warehouse: c.Warehouse, Delta: c.OnHand - c.PreviousOnHand, Balance: c.OnHand, At: tx.Micros(), Why: why}
}

// insertMovements writes ledger rows of one act.
func insertMovements(tx *db.Tx, list []Movement, why Why) {
	db.Chunks(list, func(piece []Movement) error {
		args := make([]any, 0, 7+5*len(piece))
		args = append(args, tx.Tenant, tx.Micros(), string(why.Cause), why.ReferenceType, why.ReferenceID, why.Note, why.Actor)
		for i := range piece {
			m := &piece[i]
			args = append(args, string(m.ID), m.SKU, m.Warehouse, m.Delta, m.Balance)
		}
		tx.Queue(movementsText.For(len(piece), func(n int) string {
			return `INSERT INTO movements (tenant_id, created_at, cause, reference_type, reference_id, note, actor, id, sku, warehouse_code, delta, balance) VALUES ` +
				rows(n, 8, 0, "(#1,#2,#3,#4,#5,#6,#7,$,$,$,$,$)")
		}), args...)
		return nil
	})
}

var movementsText db.Text
