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
		for _, m := range piece {
			args = append(args, m.ID, m.SKU, m.Warehouse, m.Delta, m.Balance)
		}
		tx.Queue(movementsText.For(len(piece), func(n int) string {
			return `WITH v(id, sku, warehouse, delta, balance) AS (VALUES ` + db.Values(n, 5, 8, "::UUID", "::TEXT", "::TEXT", "::BIGINT", "::BIGINT") + `)
				INSERT INTO movements (tenant_id, id, sku, warehouse_code, cause, delta, balance, reference_type, reference_id, note, actor, created_at)
				SELECT $1::BIGINT, id, sku, warehouse, $3::TEXT, delta, balance, $4::TEXT, $5::TEXT, $6::TEXT, $7::TEXT, $2::BIGINT FROM v`
		}), args...)
		return nil
	})
}

var movementsText db.Text
