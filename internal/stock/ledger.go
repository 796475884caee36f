package stock

import (
	"entrepot/internal/base/id"
	"entrepot/internal/db"
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

// entry is a ledger row to be written.
type entry struct {
	*Change
	offset int64 // from which its level's stamp is computed
}

// row returns the entry in the form in which it is read.
func (e entry) row(q db.Writer, why Why) Movement {
	return Movement{ID: e.movement, SKU: e.SKU, Warehouse: e.Warehouse, Delta: e.OnHand - e.PreviousOnHand, Balance: e.OnHand,
		At: q.Micros(), Why: why}
}

// insertMovements writes the ledger rows of one operation.
func insertMovements(q db.Writer, list []entry, why Why) {
	db.Chunks(list, func(piece []entry) error {
		args := make([]any, 0, 7+6*len(piece))
		args = append(args, q.TenantID(), q.Micros(), string(why.Cause), why.ReferenceType, why.ReferenceID, why.Note, why.Actor)
		for i := range piece {
			e := &piece[i]
			args = append(args, e.SKU, e.offset, e.Warehouse, string(e.movement), e.OnHand-e.PreviousOnHand, e.OnHand)
		}
		q.Change(movementsText.For(len(piece), func(n int) string {
			return `WITH v(sku, at, warehouse, id, delta, balance) AS (VALUES ` +
				rows(n, 8, 0, "($::TEXT,$::BIGINT,$::TEXT,$::UUID,$::BIGINT,$::BIGINT)") + `)
				INSERT INTO movements (tenant_id, sku, stamp, warehouse_code, id, cause, delta, balance,
					reference_type, reference_id, note, actor, created_at)
				SELECT $1::BIGINT, sku, ` + db.Clock + ` + at, warehouse, id, $3::TEXT, delta, balance,
					$4::TEXT, $5::TEXT, $6::TEXT, $7::TEXT, $2::BIGINT FROM v`
		}), args...)
		return nil
	})
}

var movementsText db.Text

// OfReferences reads the movements that an order, its shipments and its returns caused, oldest first, up to limit.
func OfReferences(tx *db.Tx, references []string, limit int) ([]Movement, error) {
	args := append([]any{tx.Tenant, limit}, db.Padded(references)...)
	return db.List(tx, movementTable.Scanner(), "SELECT "+movementTable.Columns("")+" FROM movements WHERE tenant_id = $1 "+
		"AND reference_type IN ('order', 'shipment', 'return') AND reference_id IN "+db.In(len(args)-2, 3)+" ORDER BY created_at, id LIMIT $2::BIGINT",
		args...)
}

// Ledger reads a page of a SKU's ledger, newest first, in one warehouse or (with "") in all, and how many rows there are.
func Ledger(tx *db.Tx, sku, warehouse string, limit, offset int) ([]Movement, int64, error) {
	w := db.AndGiven(db.NewWhere(tx, "").And("sku = ?", sku), "warehouse_code = ?", warehouse)
	return movementTable.Page(tx, w, "stamp DESC", limit, offset)
}

// LedgerSums sums the whole ledger of a SKU by warehouse. If nothing is wrong, the sums are what is on hand.
func LedgerSums(tx *db.Tx, sku string) (map[string]int64, error) {
	sums := map[string]int64{}
	return sums, tx.Each(func(r db.Rows) error {
		var warehouse string
		var sum int64
		err := r.Scan(&warehouse, &sum)
		sums[warehouse] = sum
		return err
	}, "SELECT warehouse_code, sum(delta)::BIGINT FROM movements WHERE tenant_id = $1 AND sku = $2 GROUP BY warehouse_code", tx.Tenant, sku)
}
