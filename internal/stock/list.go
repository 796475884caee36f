package stock

import (
	"errors"
	"strings"

	"entrepot/internal/db"
)

// Row is a level as lists and feeds show it (interface §2.7).
type Row struct {
	Level
	ChangedAt int64 // stamp of the tenant's change clock
	DeletedAt int64 // 0 while it lives
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

// Filter says which levels a list shows, and which part of them.
type Filter struct {
	SKU       string
	Warehouse string
	Low       bool   // only levels below their threshold
	Search    string // part of the product's SKU or name, in any case, or the whole SKU
	Limit     int
	Offset    int
}

// List reads a page of live levels by SKU and warehouse, and how many match in all.
func List(tx *db.Tx, f Filter) (list []Row, total int64, err error) {
	w := db.NewWhere(tx, "l").And("l.deleted_at IS NULL")
	db.AndGiven(w, "l.sku = ?", f.SKU)
	db.AndGiven(w, "l.warehouse_code = ?", f.Warehouse)
	if f.Low {
		w.And("l.low = TRUE")
	}
	if f.Search != "" {
		w.Join("JOIN products p ON p.tenant_id = $1 AND p.id = l.product_id")
		w.And(`(p.search LIKE ? ESCAPE '\' OR l.sku = ?)`, db.Containing(strings.ToLower(f.Search)), f.Search)
	}
	return levelTable.Page(tx, w, "l.sku, l.warehouse_code", f.Limit, f.Offset)
}

// Changes reads up to limit levels whose stamp is since or later, oldest change first, and reports whether there are more;
// deleted ones are among them only on request (interface §4.3).
func Changes(tx *db.Tx, since int64, limit int, deleted bool) (list []Row, more bool, err error) {
	list, err = db.List(tx, rowScanner(), levelTable.Select("l")+" WHERE l.tenant_id = $1 AND l.changed_at >= $2"+living(deleted)+
		" ORDER BY l.changed_at LIMIT $3::BIGINT", tx.Tenant, since, limit+1)
	if len(list) > limit {
		return list[:limit], true, err
	}
	return list, false, err
}

// Newest is the newest stamp of a level, tombstones included; 0 when there is none.
func Newest(tx *db.Tx) (newest int64, err error) {
	err = tx.Row("SELECT changed_at FROM stock_levels WHERE tenant_id = $1 ORDER BY changed_at DESC LIMIT 1", []any{tx.Tenant}, &newest)
	if errors.Is(err, db.ErrNoRow) {
		err = nil
	}
	return newest, err
}

// Count counts the levels with a stamp from since to before until.
func Count(tx *db.Tx, since, until int64, deleted bool) (n int64, err error) {
	err = tx.Row("SELECT count(*) FROM stock_levels l WHERE l.tenant_id = $1 AND l.changed_at >= $2 AND l.changed_at < $3"+living(deleted),
		[]any{tx.Tenant, since, until}, &n)
	return n, err
}

func living(deleted bool) string {
	if deleted {
		return ""
	}
	return " AND l.deleted_at IS NULL"
}

// SweepTombstones drops up to limit tombstones deleted before a time that nothing is reserved on any more. It serves every
// tenant.
func SweepTombstones(tx *db.Tx, before int64, limit int) (int64, error) {
	return tx.Exec(`DELETE FROM stock_levels WHERE (tenant_id, sku, warehouse_code) IN (SELECT tenant_id, sku, warehouse_code FROM stock_levels
		WHERE deleted_at < $1 AND reserved = 0 AND on_hand = 0 ORDER BY deleted_at LIMIT $2)`, before, limit)
}
