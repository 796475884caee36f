package orders

import "entrepot/internal/db"

// References lists up to limit external references after one, in the order of the index; "" begins with the first.
func References(tx *db.Tx, after string, limit int) (list []string, err error) {
	err = tx.Each(func(r db.Rows) error {
		var one string
		err := r.Scan(&one)
		list = append(list, one)
		return err
	}, `SELECT external_reference FROM orders WHERE tenant_id = $1 AND external_reference > $2 ORDER BY external_reference LIMIT $3::BIGINT`,
		tx.Tenant, after, limit)
	return list, err
}
