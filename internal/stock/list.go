package stock

import (
	"errors"

	"entrepot/internal/db"
	"entrepot/internal/lists"
)

// Row is a level as lists and feeds show it (interface §2.7.5).
type Row struct {
	Level
	ChangedAt int64 // stamp of the tenant's change clock
	DeletedAt int64 // 0 unless deleted
}

// rowScanner reads rows of levelTable.
func rowScanner() func(db.Rows) (Row, error) {
	scan := levelTable.Scanner()
	return func(r db.Rows) (Row, error) {
		row, err := scan(r)
		row.Deleted = row.DeletedAt != 0
		return row, err
	}
}

// Filter selects the levels of a list, and the page.
type Filter struct {
	SKU       string
	Warehouse string
	Low       bool   // only levels below their threshold
	Oversold  bool   // only levels with more reserved than on hand
	Search    string // part of the product's SKU or name, in any case, or any whole SKU
	After     *Place // the last level of the page before, in place of Offset
	Limit     int
	Offset    int
	Uncounted bool // the caller needs no total: it is counted only where finding the page depends on it
}

// List reads a page of levels by SKU and warehouse, without deleted ones, and how many match in all.
func List(tx *db.Tx, f Filter) (list []Row, total int64, err error) {
	q, err := f.query(tx)
	if err != nil {
		return nil, 0, err
	}
	return lists.Read(tx, q, listReader)
}

// Changes reads up to limit levels with the stamp since or a later one, oldest change first; deleted ones only on
// request (interface §4.3). It passes each to show as it is read, valid until show returns, with the columns that the
// feed shows, and returns how many they were, whether there are more, and the last one's stamp.
func Changes(tx *db.Tx, since int64, limit int, deleted bool, show func(*Row)) (count int, more bool, last int64, err error) {
	var row Row
	places := feedTable.Places(&row)
	err = tx.Each(func(r db.Rows) error {
		if count == limit {
			more = true
			return nil
		}
		if err := r.Scan(places...); err != nil {
			return err
		}
		count, last = count+1, row.ChangedAt
		show(&row)
		return nil
	}, feedTable.Select("l")+" WHERE l.tenant_id = $1 AND l.changed_at >= $2"+living(deleted)+
		" ORDER BY l.changed_at LIMIT $3::BIGINT", tx.Tenant, since, limit+1)
	return count, more, last, err
}

// Newest returns the newest stamp of a level, tombstones included; 0 when there is none.
func Newest(tx *db.Tx) (newest int64, err error) {
	err = tx.Row("SELECT changed_at FROM stock_levels WHERE tenant_id = $1 ORDER BY changed_at DESC LIMIT 1", []any{tx.Tenant}, &newest)
	if errors.Is(err, db.ErrNoRow) {
		err = nil
	}
	return newest, err
}

// Count counts the levels with a stamp from since to before until, without deleted ones.
func Count(tx *db.Tx, since, until int64) (n int64, err error) {
	err = tx.Row("SELECT count(*) FROM stock_levels WHERE tenant_id = $1 AND changed_at >= $2 AND changed_at < $3 AND deleted_at IS NULL",
		[]any{tx.Tenant, since, until}, &n)
	return n, err
}

// All returns how many levels there are, without deleted ones.
func All(tx *db.Tx) (n int64, err error) {
	counts, err := prefetchCounts(tx)()
	return sum(counts, "").Levels, err
}

// Tombstones counts the deleted levels with the stamp since or a later one. The query must not use the index by stamp,
// because that has every level.
func Tombstones(tx *db.Tx, since int64) (n int64, err error) {
	err = tx.Row("SELECT count(*) FROM stock_levels WHERE tenant_id = $1 AND deleted_at > 0 AND changed_at + 0 >= $2",
		[]any{tx.Tenant, since}, &n)
	return n, err
}

func living(deleted bool) string {
	if deleted {
		return ""
	}
	return " AND l.deleted_at IS NULL"
}

// DeleteTombstones removes up to limit tombstones that were deleted before a time, have nothing reserved, and add
// nothing to the view of the stock's value (package stockvalue). It serves every tenant.
func DeleteTombstones(tx *db.Tx, before int64, limit int) (int64, error) {
	return tx.Exec(`DELETE FROM stock_levels WHERE (tenant_id, sku, warehouse_code) IN (SELECT tenant_id, sku, warehouse_code FROM stock_levels
		WHERE deleted_at < $1 AND reserved = 0 AND on_hand = 0 AND NOT EXISTS (SELECT 1 FROM stock_level_values k
			WHERE k.tenant_id = stock_levels.tenant_id AND k.sku = stock_levels.sku AND k.warehouse_code = stock_levels.warehouse_code) ORDER BY deleted_at LIMIT $2)`, before, limit)
}
